//! Reading and writing.

use super::calls::Answer;
use super::control;
use super::socket::Kind;
use super::{Host, System};
use crate::language::{Call, Value};
use crate::report::Skip;

/// Flags of a call that changes how data moves in ways that are not modelled, and their classes.
const NOT_MODELLED: [(&str, &str); 2] = [
    ("MSG_FASTOPEN", "TCP Fast Open"),
    ("MSG_OOB", "urgent data"),
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

/// The control messages that a script expects.
fn expected_control(call: &Call) -> Option<&Value> {
    call.arguments.get(1)?.field("msg_control")
}

/// Whether a call is given no buffer.
fn lacks_buffer(call: &Call) -> bool {
    matches!(call.arguments.get(1), Some(Value::Word(word)) if word == "NULL")
}

/// Bytes of a message's buffers.
fn message_len(value: Option<&Value>) -> Result<u64, Skip> {
    let Some(message @ Value::Structure(_)) = value else {
        return Err(Skip::new("call", "a message without its structure"));
    };
    Ok(message.field("msg_iov").map_or(0, vector_len))
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
        if flags.contains(&"MSG_ERRQUEUE") {
            return Ok(Some(self.take_note(file, call)));
        }
        let tells_readable = self
            .files
            .get(&file)
            .is_some_and(|s| s.wishes.tells_readable);
        let tolerance = self.tolerance;
        let Some((end, nonblocking)) = self.stream(file) else {
            return Ok(Some(Answer::error("ENOTCONN")));
        };
        let available = end.connection.readable();
        if available > 0 && wanted > 0 {
            if lacks_buffer(call) {
                return Ok(Some(Answer::error("EFAULT")));
            }
            let count = available.min(wanted);
            if flags.contains(&"MSG_WAITALL") && count < wanted && !end.peer_closed && !end.over {
                return Ok(None);
            }
            if !flags.contains(&"MSG_PEEK") {
                end.connection.read(count);
            }
            let left = end.connection.readable();
            // The end of the data counts for a byte.
            let left = left.max(end.peer_closed.into());
            let control = tells_readable.then(|| control::readable(left));
            let mut answer = Answer::count(count);
            answer.wrong = control::differ(control.as_slice(), expected_control(call), tolerance);
            self.drain();
            return Ok(Some(answer));
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

    /// `recvmsg` with `MSG_ERRQUEUE`, which never blocks.
    fn take_note(&mut self, file: i64, call: &Call) -> Answer {
        let (start, tolerance) = (self.start, self.tolerance);
        let note = self
            .stream(file)
            .and_then(|(end, _)| end.sending.notes.take());
        let Some(note) = note else {
            return Answer::error("EAGAIN");
        };
        let mut answer = Answer::count(0);
        let got = control::of_note(note, start);
        answer.wrong = control::differ(&got, expected_control(call), tolerance);
        answer
    }

    /// `write` and its kin; `None` if it blocks. `done` counts what earlier attempts of the same call have written.
    pub(super) fn write(
        &mut self,
        file: i64,
        call: &Call,
        done: &mut u64,
        first: bool,
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
        if lacks_buffer(call) && bytes > 0 {
            return Ok(Some(Answer::error("EFAULT")));
        }
        if !first && end.sending.waits {
            return Ok(None);
        }
        let more = flags.contains(&"MSG_MORE");
        let connected = end.connected;
        while let Some((end, _)) = self.stream(file) {
            let portion = end.portion(bytes - *done);
            if portion == 0 {
                break;
            }
            end.take(portion, more);
            *done += portion;
            // What fills a buffer goes out before the next one is filled.
            self.drain();
        }
        let zerocopy = flags.contains(&"MSG_ZEROCOPY")
            && self.files.get(&file).is_some_and(|s| s.wishes.zerocopy);
        let Some((end, _)) = self.stream(file) else {
            return Ok(None);
        };
        end.sending.waits |= *done < bytes;
        if *done < bytes && !nonblocking {
            return Ok(None);
        }
        if *done > 0 {
            end.note_written(zerocopy, flags.contains(&"MSG_EOR"));
            self.drain();
        }
        if *done == bytes {
            return Ok(Some(Answer::count(bytes)));
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
