//! Reading and writing.

use super::calls::Answer;
use super::socket::Kind;
use super::{Host, System};
use crate::language::{Call, Value};
use crate::report::Skip;

/// Flags of a call that changes how data moves in ways that are not modelled, and their classes.
const NOT_MODELLED: [(&str, &str); 6] = [
    ("MSG_FASTOPEN", "TCP Fast Open"),
    ("MSG_ZEROCOPY", "MSG_ZEROCOPY"),
    ("MSG_EOR", "MSG_EOR"),
    ("MSG_MORE", "MSG_MORE and TCP_CORK"),
    ("MSG_OOB", "urgent data"),
    ("MSG_ERRQUEUE", "error queue"),
];

/// The words of a value: `MSG_PEEK|MSG_DONTWAIT`.
pub(super) fn words(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::Word(word)) => vec![word],
        Some(Value::Union(all)) => all.iter().flat_map(|v| words(Some(v))).collect(),
        _ => Vec::new(),
    }
}

/// The flags of a call, if all of them are modelled.
fn flags(value: Option<&Value>) -> Result<Vec<&str>, Skip> {
    let flags = words(value);
    match NOT_MODELLED.iter().find(|(flag, _)| flags.contains(flag)) {
        Some((_, class)) => Err(Skip::new(class, "")),
        None => Ok(flags),
    }
}

/// Bytes of the buffers of a vector: each is an address and a length.
fn vector_len(value: &Value) -> u64 {
    match value {
        Value::Number(n) => u64::try_from(*n).unwrap_or(0),
        Value::List(all) => all.iter().map(vector_len).fold(0, u64::saturating_add),
        Value::Structure(fields) => fields
            .iter()
            .map(|(_, v)| vector_len(v))
            .fold(0, u64::saturating_add),
        _ => 0,
    }
}

/// Bytes of a message's buffers.
fn message_len(value: Option<&Value>) -> Result<u64, Skip> {
    let Some(Value::Structure(fields)) = value else {
        return Err(Skip::new("call", "a message without its structure"));
    };
    if fields.iter().any(|(name, _)| name == "msg_control") {
        return Err(Skip::new("control messages", ""));
    }
    let buffers = fields.iter().find(|(name, _)| name == "msg_iov");
    Ok(buffers.map_or(0, |(_, value)| vector_len(value)))
}

fn number(call: &Call, at: usize) -> Result<u64, Skip> {
    if matches!(call.arguments.get(1), Some(Value::Number(_))) && call.name != "sendfile" {
        return Err(Skip::new("invalid pointers", ""));
    }
    match call.arguments.get(at) {
        Some(Value::Number(n)) => Ok(u64::try_from(*n).unwrap_or(0)),
        _ => Err(Skip::new("call", format!("{} without a length", call.name))),
    }
}

impl Host {
    /// `read` and its kin; `None` if it blocks.
    pub(super) fn read(&mut self, file: i64, call: &Call) -> Result<Option<Answer>, Skip> {
        let at = &call.arguments;
        let (wanted, flags) = match call.name.as_str() {
            "readv" => (at.get(1).map_or(0, vector_len), Vec::new()),
            "recvmsg" => (message_len(at.get(1))?, flags(at.get(2))?),
            "read" => (number(call, 2)?, Vec::new()),
            _ => (number(call, 2)?, flags(at.get(3))?),
        };
        let Some((end, nonblocking)) = self.stream(file) else {
            return Ok(Some(Answer::error("ENOTCONN")));
        };
        let available = end.connection.readable();
        if available > 0 && wanted > 0 {
            let count = available.min(wanted);
            if flags.contains(&"MSG_WAITALL") && count < wanted && !end.peer_closed && !end.over {
                return Ok(None);
            }
            if !flags.contains(&"MSG_PEEK") {
                end.connection.read(count);
            }
            self.drain();
            return Ok(Some(Answer::count(count)));
        }
        if let Some(error) = end.error.take() {
            return Ok(Some(Answer::error(error)));
        }
        if end.peer_closed || end.over || end.read_shut || wanted == 0 {
            return Ok(Some(Answer::count(0)));
        }
        if nonblocking || flags.contains(&"MSG_DONTWAIT") {
            return Ok(Some(Answer::error("EAGAIN")));
        }
        Ok(None)
    }

    /// `write` and its kin; `None` if it blocks. `done` counts what earlier attempts of the same call have written.
    pub(super) fn write(
        &mut self,
        file: i64,
        call: &Call,
        done: &mut u64,
    ) -> Result<Option<Answer>, Skip> {
        let at = &call.arguments;
        let (bytes, flags) = match call.name.as_str() {
            "writev" => (at.get(1).map_or(0, vector_len), Vec::new()),
            "sendmsg" => (message_len(at.get(1))?, flags(at.get(2))?),
            "sendfile" => (number(call, 3)?, Vec::new()),
            "write" => (number(call, 2)?, Vec::new()),
            _ => (number(call, 2)?, flags(at.get(3))?),
        };
        let system = self.settings.system;
        let Some((end, nonblocking)) = self.stream(file) else {
            return Ok(Some(Answer::error(if system == System::Linux {
                "EPIPE"
            } else {
                "ENOTCONN"
            })));
        };
        let nonblocking = nonblocking || flags.contains(&"MSG_DONTWAIT");
        if let Some(error) = end.error.take() {
            return Ok(Some(Answer::error(error)));
        }
        if end.write_shut || end.over {
            return Ok(Some(Answer::error("EPIPE")));
        }
        let left = bytes - *done;
        let room = if end.connected { end.room() } else { 0 };
        let now = left.min(room);
        end.connection.write(now);
        end.written += now;
        *done += now;
        let connected = end.connected;
        self.drain();
        if *done == bytes {
            return Ok(Some(Answer::count(bytes)));
        }
        if !nonblocking {
            return Ok(None);
        }
        Ok(Some(match (*done, connected, system) {
            (0, false, System::FreeBsd) => Answer::error("ENOTCONN"),
            (0, ..) => Answer::error("EAGAIN"),
            (count, ..) => Answer::count(count),
        }))
    }

    /// The connection of a file descriptor, and whether calls on it do not block.
    pub(super) fn stream(&mut self, file: i64) -> Option<(&mut super::End, bool)> {
        let socket = self.files.get(&file)?;
        match socket.kind {
            Kind::Stream(number) => Some((self.ends.get_mut(number)?, socket.nonblocking)),
            _ => None,
        }
    }
}
