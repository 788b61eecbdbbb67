//! `poll` and `epoll`: what a file descriptor is ready for, and who is told when.

use skywave_core::tcp::connection::State;
use skywave_core::time::Duration;

use super::calls::Answer;
use super::socket::{Kind, Socket};
use super::transfer::words;
use super::{End, Host};
use crate::language::{Call, Value};
use crate::report::Skip;

/// Events without `POLL` or `EPOLL` before their names.
const EVENTS: [&str; 5] = ["IN", "OUT", "ERR", "HUP", "RDHUP"];
/// How a watch behaves.
const MANNERS: [&str; 3] = ["ET", "ONESHOT", "EXCLUSIVE"];
const INPUT: u32 = 1;
const OUTPUT: u32 = 2;
const ERROR: u32 = 4;
const HANG_UP: u32 = 8;
const PEER_CLOSED: u32 = 16;
/// Told whether asked for or not.
const ALWAYS: u32 = ERROR | HANG_UP;

/// How often something has woken those who wait for a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wakes {
    /// Data or the end of data came.
    pub(crate) input: u32,
    /// Room to write, after there was none.
    pub(crate) output: u32,
    /// An error, or a note of the error queue.
    pub(crate) error: u32,
}

impl Wakes {
    /// Whether one that waits for `events` was woken since `before`.
    fn woken_since(self, before: Self, events: u32) -> bool {
        let input = events & (INPUT | PEER_CLOSED) != 0 && self.input != before.input;
        let output = events & OUTPUT != 0 && self.output != before.output;
        input || output || self.error != before.error
    }
}

/// A file descriptor that an epoll instance watches.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    file: i64,
    events: u32,
    /// Tells of an event once.
    edge: bool,
    /// Tells once, and then nothing until it is set again.
    once: bool,
    /// Nobody was told of anything since it was set.
    fresh: bool,
    seen: Wakes,
}

/// Events and manners that words name; `None` for one that is not modelled.
fn events(value: Option<&Value>) -> Option<(u32, Vec<&str>)> {
    let mut bits = 0;
    let mut manners = Vec::new();
    for word in words(value) {
        let name = word.trim_start_matches('E').strip_prefix("POLL")?;
        match EVENTS.iter().position(|e| *e == name) {
            Some(at) => bits |= 1 << at,
            None if MANNERS.contains(&name) => manners.push(name),
            None => return None,
        }
    }
    Some((bits, manners))
}

fn shown(bits: u32) -> String {
    let set = EVENTS
        .iter()
        .enumerate()
        .filter(|(at, _)| bits & 1 << at != 0);
    let names: Vec<&str> = set.map(|(_, name)| *name).collect();
    if names.is_empty() {
        "0".to_owned()
    } else {
        names.join("|")
    }
}

/// A file descriptor or a time; -1, which is neither, for no number.
fn number(value: Option<&Value>) -> i64 {
    value.and_then(Value::number).unwrap_or(-1)
}

fn unknown(call: &Call) -> Skip {
    Skip::new("call", format!("{} of another kind", call.name))
}

impl Host {
    /// Events that a file descriptor is ready for. To ask makes the kernel remember that somebody waits for room.
    fn ready(&mut self, file: i64) -> u32 {
        let waiting = match self.files.get(&file).map(|socket| &socket.kind) {
            Some(Kind::Listener(queue)) => {
                let ready = queue.iter().any(|&number| self.ends[number].connected);
                return if ready { INPUT } else { 0 };
            }
            Some(Kind::Stream(number)) => Some(*number),
            Some(Kind::Fresh) => return OUTPUT | HANG_UP,
            _ => None,
        };
        waiting.map_or(0, |number| self.ends[number].ready())
    }

    fn wakes(&self, file: i64) -> Wakes {
        match self.files.get(&file).map(|socket| &socket.kind) {
            Some(Kind::Stream(number)) => self.ends[*number].wakes,
            _ => Wakes::default(),
        }
    }

    /// File descriptors that an epoll instance watches.
    fn watches(&mut self, poller: i64) -> Option<&mut Vec<Watch>> {
        match &mut self.files.get_mut(&poller)?.kind {
            Kind::Poller(watches) => Some(watches),
            _ => None,
        }
    }

    pub(super) fn epoll_create(&mut self, call: &Call) -> Answer {
        let number = number(Some(&call.result)).max(0);
        self.files
            .insert(number, Socket::new(Kind::Poller(Vec::new())));
        Answer::count(number.cast_unsigned())
    }

    pub(super) fn epoll_ctl(&mut self, poller: i64, call: &Call) -> Result<Answer, Skip> {
        let file = number(call.arguments.get(2));
        let action = words(call.arguments.get(1)).concat();
        let asked = call.arguments.get(3).and_then(|v| v.field("events"));
        let (events, manners) = events(asked).ok_or_else(|| unknown(call))?;
        let seen = self.wakes(file);
        let Some(watches) = self.watches(poller) else {
            return Ok(Answer::error("EINVAL"));
        };
        let known = watches.iter().position(|watch| watch.file == file);
        match (action.as_str(), known) {
            ("EPOLL_CTL_ADD", Some(_)) => return Ok(Answer::error("EEXIST")),
            ("EPOLL_CTL_MOD" | "EPOLL_CTL_DEL", None) => return Ok(Answer::error("ENOENT")),
            ("EPOLL_CTL_ADD", None) => {}
            ("EPOLL_CTL_MOD" | "EPOLL_CTL_DEL", Some(at)) => {
                watches.remove(at);
            }
            _ => return Err(unknown(call)),
        }
        if action != "EPOLL_CTL_DEL" {
            watches.push(Watch {
                file,
                events: events | ALWAYS,
                edge: manners.contains(&"ET"),
                once: manners.contains(&"ONESHOT"),
                fresh: true,
                seen,
            });
        }
        Ok(Answer::count(0))
    }

    /// `epoll_wait`, which blocks until something is ready or its time is over.
    pub(super) fn epoll_wait(
        &mut self,
        poller: i64,
        call: &Call,
        deadline: &mut u64,
        first: bool,
    ) -> Result<Option<Answer>, Skip> {
        let Some(mut watches) = self.watches(poller).cloned() else {
            return Ok(Some(Answer::error("EINVAL")));
        };
        let mut told = Vec::new();
        for watch in &mut watches {
            let wakes = self.wakes(watch.file);
            let woken = watch.fresh || wakes.woken_since(watch.seen, watch.events);
            if watch.events == 0 || watch.edge && !woken {
                continue;
            }
            (watch.fresh, watch.seen) = (false, wakes);
            let ready = self.ready(watch.file) & watch.events;
            if ready != 0 {
                told.push(ready);
                if watch.once {
                    watch.events = 0;
                }
            }
        }
        if let Some(kept) = self.watches(poller) {
            *kept = watches;
        }
        let expected = call.arguments.get(1).and_then(|v| v.field("events"));
        let (expected, _) = events(expected).ok_or_else(|| unknown(call))?;
        let timeout = number(call.arguments.get(3));
        Ok(self.answer(&told, &[expected], timeout, deadline, first))
    }

    /// `poll`, which blocks until something is ready or its time is over.
    pub(super) fn poll_files(
        &mut self,
        call: &Call,
        deadline: &mut u64,
        first: bool,
    ) -> Result<Option<Answer>, Skip> {
        let Some(Value::List(all)) = call.arguments.first() else {
            return Err(unknown(call));
        };
        let mut told = Vec::new();
        let mut expected = Vec::new();
        for entry in all {
            let (wanted, _) = events(entry.field("events")).ok_or_else(|| unknown(call))?;
            let (back, _) = events(entry.field("revents")).ok_or_else(|| unknown(call))?;
            told.push(self.ready(number(entry.field("fd"))) & (wanted | ALWAYS));
            expected.push(back);
        }
        let timeout = number(call.arguments.get(2));
        if told.iter().all(|&ready| ready == 0) {
            told.clear();
        }
        Ok(self.answer(&told, &expected, timeout, deadline, first))
    }

    /// Answer of a call that has found `told`, if it returns now. `deadline` is kept from its first attempt on, in
    /// nanoseconds.
    fn answer(
        &mut self,
        told: &[u32],
        expected: &[u32],
        timeout: i64,
        deadline: &mut u64,
        first: bool,
    ) -> Option<Answer> {
        if first && timeout >= 0 {
            let wait = Duration::from_millis(1) * timeout.cast_unsigned();
            *deadline = (self.now + wait).as_nanos();
            self.call_deadline = Some(self.now + wait);
        } else if first {
            *deadline = u64::MAX;
        }
        if told.is_empty() && self.now.as_nanos() < *deadline {
            return None;
        }
        self.call_deadline = None;
        let ready = told.iter().filter(|&&ready| ready != 0).count();
        let mut answer = Answer::count(ready as u64);
        let differs = told.iter().zip(expected).find(|(got, want)| got != want);
        answer.wrong = differs.map(|(got, want)| (format!("events {}", shown(*want)), shown(*got)));
        Some(answer)
    }
}

impl End {
    /// Events that its application could be told of.
    fn ready(&mut self) -> u32 {
        let mut bits = 0;
        let ended = self.peer_closed || self.read_shut || self.over;
        if ended || self.connection.readable() > 0 {
            bits |= INPUT;
        }
        if ended {
            bits |= PEER_CLOSED;
        }
        if self.over || ended && self.write_shut {
            bits |= HANG_UP;
        }
        if self.error.is_some() || !self.sending.notes.is_empty() {
            bits |= ERROR;
        }
        let open = !matches!(self.connection.state(), State::SynSent | State::SynReceived);
        if open && (self.write_shut || self.asks_for_room()) {
            bits |= OUTPUT;
        }
        bits
    }
}
