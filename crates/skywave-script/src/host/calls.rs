//! Calls of an application.

use std::collections::VecDeque;

use skywave_core::tcp::connection::State;
use skywave_core::time::Duration;

use super::socket::{Kind, Socket};
use super::transfer::words;
use super::{End, Host, System};
use crate::language::{Call, Value};
use crate::report::Skip;

/// `O_RDWR`.
const READ_WRITE: i64 = 2;

/// Return of a call: its value, the name of its error, and a wrong value that it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) value: i64,
    pub(crate) error: Option<&'static str>,
    /// A value that the call wrote is another one than expected: what was expected, what came.
    pub(crate) wrong: Option<(String, String)>,
}

impl Answer {
    pub(super) fn count(count: u64) -> Self {
        Self {
            value: count.cast_signed(),
            error: None,
            wrong: None,
        }
    }

    pub(super) fn error(error: &'static str) -> Self {
        Self {
            value: -1,
            error: Some(error),
            wrong: None,
        }
    }
}

/// The number of a file descriptor that a call makes: the one that the script gives it.
fn new_file(call: &Call) -> Option<i64> {
    call.result.number().filter(|&number| number >= 0)
}

impl Host {
    /// Makes a call; `None` if it blocks. `done` is `None` at the first attempt of a call, and afterwards what earlier
    /// attempts have transferred.
    pub(crate) fn call(
        &mut self,
        call: &Call,
        done: &mut Option<u64>,
    ) -> Result<Option<Answer>, Skip> {
        let first = done.is_none();
        let done = done.get_or_insert(0);
        let file = call.arguments.first().and_then(Value::number).unwrap_or(-1);
        match call.name.as_str() {
            "socket" => self.socket(call).map(Some),
            "epoll_create" | "epoll_create1" => Ok(Some(self.epoll_create(call))),
            "poll" => self.poll_files(call, done, first),
            "open" => {
                let number = new_file(call).unwrap_or(0);
                self.files.insert(number, Socket::new(Kind::File));
                Ok(Some(Answer::count(number.cast_unsigned())))
            }
            _ => {
                let exists = self.files.contains_key(&file);
                let answer = self.call_on(file, call, first, done)?;
                Ok(if exists {
                    answer
                } else {
                    Some(Answer::error("EBADF"))
                })
            }
        }
    }

    /// A call on a file descriptor.
    fn call_on(
        &mut self,
        file: i64,
        call: &Call,
        first: bool,
        done: &mut u64,
    ) -> Result<Option<Answer>, Skip> {
        Ok(Some(match call.name.as_str() {
            "epoll_ctl" => return self.epoll_ctl(file, call).map(Some),
            "epoll_wait" => return self.epoll_wait(file, call, done, first),
            "bind" => Answer::count(0),
            "listen" => self.listen(file),
            "accept" | "accept4" => return Ok(self.accept(file, call)),
            "connect" => return Ok(self.connect(file, first)),
            "close" => self.close(file),
            "shutdown" => self.shutdown(file, call),
            "fcntl" => return self.fcntl(file, call).map(Some),
            "ioctl" => return self.ioctl(file, call).map(Some),
            "setsockopt" => return self.set_option(file, call).map(Some),
            "getsockopt" => return self.get_option(file, call).map(Some),
            "read" | "readv" | "recv" | "recvfrom" | "recvmsg" => return self.read(file, call),
            "write" | "writev" | "send" | "sendto" | "sendmsg" | "sendfile" => {
                return self.write(file, call, done, first);
            }
            name => return Err(Skip::new("call", name)),
        }))
    }

    fn socket(&mut self, call: &Call) -> Result<Answer, Skip> {
        let stream = words(call.arguments.get(1)).contains(&"SOCK_STREAM");
        let protocol = words(call.arguments.get(2));
        let tcp = protocol.is_empty() || protocol == ["IPPROTO_TCP"];
        if stream && protocol == ["IPPROTO_UDP"] {
            return Ok(Answer::error("EPROTONOSUPPORT"));
        }
        let Some(number) = new_file(call).filter(|_| stream && tcp) else {
            return Err(Skip::new("sockets of another kind", protocol.join("|")));
        };
        self.files.insert(number, Socket::new(Kind::Fresh));
        self.newest = Some(number);
        self.tested = None;
        self.sent.clear();
        Ok(Answer::count(number.cast_unsigned()))
    }

    fn listen(&mut self, file: i64) -> Answer {
        match self.files.get_mut(&file) {
            Some(socket) if matches!(socket.kind, Kind::Fresh) => {
                socket.kind = Kind::Listener(VecDeque::new());
                Answer::count(0)
            }
            Some(Socket {
                kind: Kind::Listener(_),
                ..
            }) => Answer::count(0),
            _ => Answer::error("EINVAL"),
        }
    }

    fn accept(&mut self, file: i64, call: &Call) -> Option<Answer> {
        let system = self.settings.system;
        let socket = self.files.get_mut(&file)?;
        let (nonblocking, wishes) = (socket.nonblocking, socket.wishes.clone());
        let Kind::Listener(queue) = &mut socket.kind else {
            return Some(Answer::error("EINVAL"));
        };
        let ready = queue.iter().position(|&number| self.ends[number].connected);
        let Some(number) = ready.and_then(|at| queue.remove(at)) else {
            return nonblocking.then(|| Answer::error("EAGAIN"));
        };
        self.ends[number].accepted = true;
        let accepted = new_file(call).unwrap_or(0);
        self.files.insert(
            accepted,
            Socket {
                nonblocking: nonblocking && system == System::FreeBsd,
                wishes,
                ..Socket::new(Kind::Stream(number))
            },
        );
        Some(Answer::count(accepted.cast_unsigned()))
    }

    fn connect(&mut self, file: i64, first: bool) -> Option<Answer> {
        let system = self.settings.system;
        if let Some((end, nonblocking)) = self.stream(file) {
            if let Some(error) = end.error.take() {
                return Some(Answer::error(error));
            }
            let connected = end.connected;
            return match (first, connected, nonblocking) {
                (true, true, _) => Some(Answer::error("EISCONN")),
                (false, true, _) => Some(Answer::count(0)),
                (true, false, true) => Some(Answer::error("EALREADY")),
                _ => None,
            };
        }
        let socket = self.files.get_mut(&file)?;
        if !matches!(socket.kind, Kind::Fresh) {
            return Some(Answer::error("EINVAL"));
        }
        let nonblocking = socket.nonblocking;
        let number = self.ends.len();
        socket.kind = Kind::Stream(number);
        let given = socket.told("TCP_KEEPINIT");
        let mut end = End::new(
            &self.settings,
            &socket.wishes,
            &self.composition,
            false,
            self.now,
        );
        if system == System::FreeBsd {
            let limit = given.map_or(self.settings.keep_init, |s| {
                Duration::from_secs(1) * u64::try_from(s).unwrap_or(0)
            });
            end.deadline = Some(self.now + limit);
        }
        end.accepted = true;
        end.connection.open_active();
        self.ends.push(end);
        self.tested = Some(number);
        self.newest = Some(file);
        self.drain();
        nonblocking.then(|| Answer::error("EINPROGRESS"))
    }

    fn close(&mut self, file: i64) -> Answer {
        let linux = self.settings.system == System::Linux;
        let Some(socket) = self.files.remove(&file) else {
            return Answer::error("EBADF");
        };
        let mut reset = None;
        match socket.kind {
            Kind::Fresh | Kind::File | Kind::Poller(_) => {}
            Kind::Listener(queue) => {
                for number in queue {
                    self.ends[number].connection.abort();
                }
            }
            Kind::Stream(number) => {
                let end = &mut self.ends[number];
                let unread = end.connection.readable() > 0;
                if linux && unread {
                    reset = end.abort_unread(self.now);
                } else {
                    end.connection.close();
                }
                end.write_shut = true;
                end.read_shut = true;
                end.closed = true;
            }
        }
        if let Some(reset) = reset {
            self.send_reset(reset);
        }
        self.drain();
        Answer::count(0)
    }

    fn shutdown(&mut self, file: i64, call: &Call) -> Answer {
        let how = words(call.arguments.get(1));
        let Some((end, _)) = self.stream(file) else {
            return Answer::error("ENOTCONN");
        };
        if end.over || end.connection.state() == State::SynSent {
            return Answer::error("ENOTCONN");
        }
        if how != ["SHUT_WR"] {
            end.read_shut = true;
        }
        if how != ["SHUT_RD"] {
            end.write_shut = true;
            end.connection.close();
        }
        self.drain();
        Answer::count(0)
    }

    fn fcntl(&mut self, file: i64, call: &Call) -> Result<Answer, Skip> {
        let flag = if self.settings.system == System::Linux {
            0x800
        } else {
            4
        };
        let Some(socket) = self.files.get_mut(&file) else {
            return Ok(Answer::error("EBADF"));
        };
        match words(call.arguments.get(1))[..] {
            ["F_GETFL"] => {
                let nonblocking = if socket.nonblocking { flag } else { 0 };
                let mut answer = Answer::count((READ_WRITE | nonblocking).cast_unsigned());
                // Words say the same on any system.
                if let names @ [_, ..] = &words(Some(&call.result))[..] {
                    let same = names.contains(&"O_NONBLOCK") == socket.nonblocking;
                    answer.wrong = (!same).then(|| (names.join("|"), answer.value.to_string()));
                }
                Ok(answer)
            }
            ["F_SETFL"] => {
                socket.nonblocking = match call.arguments.get(2) {
                    Some(Value::Number(n)) => n & flag != 0,
                    other => words(other).contains(&"O_NONBLOCK"),
                };
                Ok(Answer::count(0))
            }
            _ => Err(Skip::new("call", "fcntl of another kind")),
        }
    }

    fn ioctl(&mut self, file: i64, call: &Call) -> Result<Answer, Skip> {
        let request = words(call.arguments.get(1)).join("|");
        let Some((end, _)) = self.stream(file) else {
            return Err(Skip::new("call", "ioctl"));
        };
        let value = match request.as_str() {
            "SIOCINQ" | "FIONREAD" => end.connection.readable(),
            "SIOCOUTQ" => end.sending.written - end.connection.acknowledged(),
            _ => return Err(Skip::new("call", format!("ioctl {request}"))),
        };
        let mut answer = Answer::count(0);
        if let Some(Value::List(all)) = call.arguments.get(2)
            && all.as_slice() != [Value::Number(value.cast_signed())]
        {
            answer.wrong = Some((format!("{request} {all:?}"), value.to_string()));
        }
        Ok(answer)
    }
}
