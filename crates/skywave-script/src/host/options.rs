//! Options of sockets.

use skywave_core::tcp::connection::DEFAULT_MSS;
use skywave_core::time::Duration;

use super::calls::Answer;
use super::notes::Stamps;
use super::socket::Kind;
use super::transfer::words;
use super::{Host, System};
use crate::language::{Call, Value};
use crate::report::Skip;

/// Options that are kept and told again, and change nothing that a script could see here.
const KEPT: [&str; 16] = [
    "SO_MARK",
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SO_SNDTIMEO",
    "SO_RCVTIMEO",
    "TCP_KEEPIDLE",
    "TCP_KEEPINTVL",
    "TCP_KEEPCNT",
    "TCP_KEEPINIT",
    "TCP_QUICKACK",
    "TCP_LOG",
    "IP_MTU_DISCOVER",
    "IP_TOS",
    "IP_FREEBIND",
    "SO_RCVLOWAT",
    "TCP_FUNCTION_BLK",
];

/// The least send buffer of Linux: two of the smallest segments.
const LEAST_SEND_BUFFER: u64 = 4608;

/// The one value in `[value]`.
fn alone(value: &Value) -> &Value {
    match value {
        Value::List(all) if all.len() == 1 => alone(&all[0]),
        value => value,
    }
}

/// A value as a number. Which constants it has by their names matters only to those options that look at them.
fn number(value: &Value) -> Option<i64> {
    let named = || (!words(Some(value)).is_empty()).then_some(1);
    value.number().or_else(named)
}

/// The stages of a byte's way that `SO_TIMESTAMPING` asks for, counted from the byte `from`.
fn stamps(call: &Call, from: u64) -> Stamps {
    let list = match call.arguments.get(3) {
        Some(Value::List(all)) => all.first(),
        _ => None,
    };
    let asks = |stage: &str| words(list).contains(&stage);
    Stamps {
        scheduled: asks("SOF_TIMESTAMPING_TX_SCHED"),
        sent: asks("SOF_TIMESTAMPING_TX_SOFTWARE"),
        acknowledged: asks("SOF_TIMESTAMPING_TX_ACK"),
        from,
    }
}

fn name(call: &Call) -> &str {
    match call.arguments.get(2) {
        Some(Value::Word(word)) => word,
        _ => "",
    }
}

impl Host {
    pub(super) fn set_option(&mut self, file: i64, call: &Call) -> Result<Answer, Skip> {
        let name = name(call);
        let unknown = || Skip::new(class(name), name);
        let value = call.arguments.get(3).map(alone).and_then(number);
        let system = self.settings.system;
        let now = self.now;
        let Some(socket) = self.files.get_mut(&file) else {
            return Ok(Answer::error("EBADF"));
        };
        let value = value.ok_or_else(unknown)?;
        let size = u32::try_from(value).unwrap_or(0);
        let on = value != 0;
        let wishes = &mut socket.wishes;
        match name {
            "SO_RCVBUF" => wishes.receive_buffer = Some(size),
            "SO_SNDBUF" => {
                wishes.send_buffer = Some(match system {
                    System::Linux => (u64::from(size) * 2).max(LEAST_SEND_BUFFER),
                    System::FreeBsd => size.into(),
                });
            }
            "TCP_MAXSEG" => wishes.mss = Some(size.max(1)),
            "TCP_NODELAY" => wishes.no_delay = on,
            "TCP_NOTSENT_LOWAT" => {
                let given = u64::from(size);
                wishes.unsent_limit = Some(given).filter(|&given| given > 0);
            }
            "SO_ZEROCOPY" => wishes.zerocopy = on,
            "TCP_INQ" => wishes.tells_readable = on,
            "TCP_USER_TIMEOUT" => {
                let given = Duration::from_millis(size.into());
                wishes.user_timeout = Some(given).filter(|given| !given.is_zero());
            }
            "TCP_CORK" | "TCP_NOPUSH" | "SO_TIMESTAMPING" => {}
            "TCP_SYNCNT" => wishes.syn_retries = Some(size),
            _ if KEPT.contains(&name) => {}
            _ => return Err(unknown()),
        }
        socket.told.retain(|(n, _)| n != name);
        socket.told.push((name.to_owned(), value));
        let wishes = socket.wishes.clone();
        if let Kind::Stream(number) = socket.kind {
            let end = &mut self.ends[number];
            let settings = self.settings.unsent_limit;
            end.sending.unsent_limit = wishes.unsent_limit.unwrap_or(settings);
            match name {
                "SO_RCVBUF" => {
                    end.receive_buffer = size;
                    end.own_buffer = true;
                    end.connection.set_receive_buffer(size);
                }
                "SO_SNDBUF" => {
                    end.sending.limit = wishes.send_buffer.unwrap_or(end.sending.limit);
                    end.sending.own_limit = true;
                }
                "SO_TIMESTAMPING" => {
                    end.sending.notes.stamps = stamps(call, end.connection.acknowledged());
                }
                "TCP_USER_TIMEOUT" => end.connection.set_user_timeout(wishes.user_timeout),
                "TCP_CORK" | "TCP_NOPUSH" => end.connection.set_cork(on),
                "TCP_NODELAY" => end.connection.set_nagle(!on),
                "TCP_KEEPINIT" if !end.connected => {
                    end.deadline = Some(now + Duration::from_secs(u64::from(size)));
                }
                _ => {}
            }
        }
        self.drain();
        Ok(Answer::count(0))
    }

    pub(super) fn get_option(&mut self, file: i64, call: &Call) -> Result<Answer, Skip> {
        let name = name(call);
        let expected = match call.arguments.get(3) {
            Some(Value::List(all)) if all.len() == 1 => &all[0],
            _ => return Err(Skip::new(class(name), name)),
        };
        if name == "SO_ERROR" {
            let error = self.stream(file).and_then(|(end, _)| end.error.take());
            return Ok(compare_error(expected, error));
        }
        let value = self
            .option(file, name)
            .ok_or_else(|| Skip::new(class(name), name))?;
        let expected = alone(expected).number();
        let expected = expected.ok_or_else(|| Skip::new("socket option", name))?;
        let mut answer = Answer::count(0);
        if value != expected {
            answer.wrong = Some((format!("{name} {expected}"), value.to_string()));
        }
        Ok(answer)
    }

    fn option(&mut self, file: i64, name: &str) -> Option<i64> {
        let linux = self.settings.system == System::Linux;
        let default = self.settings.receive_buffer;
        let socket = self.files.get(&file)?;
        let told = socket.told(name);
        let asked = socket.wishes.receive_buffer.unwrap_or(default);
        let end = self.stream(file).map(|(end, _)| end);
        match (name, end) {
            ("SO_RCVBUF", end) => {
                let bytes = end.map_or(asked, |end| end.receive_buffer);
                Some(i64::from(bytes) * if linux { 2 } else { 1 })
            }
            ("TCP_MAXSEG", Some(end)) if end.connected => Some(end.connection.agreed().mss.into()),
            ("TCP_MAXSEG", _) if linux => Some(told.unwrap_or_else(|| DEFAULT_MSS.into())),
            ("TCP_MAXSEG", _) => None,
            ("SO_SNDBUF", _) if linux => told.map(|v| v * 2),
            ("TCP_NOTSENT_LOWAT", _) => Some(told.unwrap_or(0)),
            _ => told,
        }
    }
}

fn compare_error(expected: &Value, error: Option<&'static str>) -> Answer {
    let got = error.unwrap_or("0");
    let expected = match expected {
        Value::Word(word) => word.clone(),
        Value::Number(n) => n.to_string(),
        _ => "a value".to_owned(),
    };
    let mut answer = Answer::count(0);
    if expected != got {
        answer.wrong = Some((format!("SO_ERROR {expected}"), got.to_owned()));
    }
    answer
}

/// The class of what is not modelled.
fn class(name: &str) -> &'static str {
    match name {
        "TCP_FASTOPEN" | "TCP_FASTOPEN_CONNECT" | "TCP_FASTOPEN_KEY" => "TCP Fast Open",
        "TCP_MD5SIG" => "MD5 signatures",
        "TCP_REMOTE_UDP_ENCAPS_PORT" => "TCP over UDP",
        "SO_ZEROCOPY" => "MSG_ZEROCOPY",
        "SO_TIMESTAMPING" => "SO_TIMESTAMPING",
        "TCP_NOTSENT_LOWAT" => "TCP_NOTSENT_LOWAT",
        "TCP_INQ" => "TCP_INQ",
        "TCP_CORK" | "TCP_NOPUSH" => "MSG_MORE and TCP_CORK",
        "TCP_USER_TIMEOUT" => "TCP_USER_TIMEOUT",
        "SO_KEEPALIVE" => "keep-alive",
        "TCP_INFO" => "TCP_INFO as a structure",
        "IP_TOS" | "IP_TTL" | "IPV6_TCLASS" | "IPV6_UNICAST_HOPS" => "fields of the IP header",
        _ => "socket option",
    }
}
