//! Congestion control laws of all connections, told in the order of the kernel's messages.

use std::collections::HashMap;

use crate::answer::Answer;
use crate::connection::Connection;
use crate::law::Law;
use crate::message::{Kind, Message};

/// Messages at once from which the process is behind: then only the latest ACK of several counts.
const BACKLOG: usize = 512;

/// Counts of the kernel's messages about TCP connections, as an [`Agent`] saw them. Each message is counted once:
/// handled in [`Self::messages`], skipped for a later one in [`Self::merged`], or never received in [`Self::missing`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// TCP connections of which at least one message was handled, apart from that of their end.
    pub connections: u64,
    /// Messages that were handled one by one; ACKs counted in [`Self::merged`] are not among them.
    pub messages: u64,
    /// ACKs that were skipped because the process was behind and a later ACK of the same connection had come, whose
    /// totals (bytes, packets, losses) include theirs.
    pub merged: u64,
    /// Messages that never came, by gaps in their numbers: the ring buffer from the kernel was full. Those are not
    /// counted that are the last ones of a connection before its end, or before nothing more comes.
    pub missing: u64,
}

/// User-space end of one congestion control law that the kernel's TCP connections go by: takes the kernel program's
/// messages in their order, keeps a [`Connection`] for each TCP connection, and gives the answers (window, threshold,
/// pacing rate).
#[derive(Debug)]
pub struct Agent {
    law: Law,
    /// By their slots: a connection whose end was not told makes room for the next one.
    connections: HashMap<u32, Entry>,
    heard: Heard,
}

#[derive(Debug)]
struct Entry {
    id: u64,
    connection: Connection,
    /// Number of its latest message.
    number: u64,
}

impl Agent {
    /// Agent for the TCP connections that have the congestion control `law`, before any message of the kernel's
    /// program.
    pub fn new(law: Law) -> Self {
        Self {
            law,
            connections: HashMap::new(),
            heard: Heard::default(),
        }
    }

    /// Counts of the kernel's messages and of their connections, since the agent was made.
    pub fn heard(&self) -> Heard {
        self.heard
    }

    /// Takes `messages`, all that have come since the last call, in their order. Calls `answer` for each one that has
    /// an answer, with the index of the connection's slot in the memory shared with the kernel, the message and the
    /// answer. If there are more than 512 messages, only the latest ACK of each connection is handled, and all messages
    /// of other kinds.
    pub fn take(&mut self, messages: &[Message], answer: &mut dyn FnMut(u32, &Message, &Answer)) {
        let mut later: HashMap<u64, usize> = HashMap::new();
        let is_behind = messages.len() > BACKLOG;
        if is_behind {
            for (at, message) in messages.iter().enumerate() {
                if message.kind == Kind::Ack {
                    later.insert(message.id, at);
                }
            }
        }
        for (at, message) in messages.iter().enumerate() {
            let is_old = later.get(&message.id).is_some_and(|&last| at < last);
            if is_old && message.kind == Kind::Ack {
                self.heard.merged += 1;
                let found = self.connections.get_mut(&message.slot);
                if let Some(entry) = found.filter(|entry| entry.id == message.id) {
                    entry.count(message, &mut self.heard);
                }
            } else if let Some(found) = self.one(message) {
                answer(message.slot, message, &found);
            }
        }
    }

    fn one(&mut self, message: &Message) -> Option<Answer> {
        self.heard.messages += 1;
        let known = self.connections.get(&message.slot).map(|entry| entry.id);
        if message.kind == Kind::Close {
            if known == Some(message.id) {
                self.connections.remove(&message.slot);
            }
            return None;
        }
        let heard = &mut self.heard;
        if known != Some(message.id) {
            heard.connections += 1;
            let entry = Entry {
                id: message.id,
                connection: Connection::new(&self.law, message),
                number: 0,
            };
            self.connections.insert(message.slot, entry);
        }
        let entry = self.connections.get_mut(&message.slot)?;
        entry.count(message, heard);
        entry.connection.take(message)
    }
}

impl Entry {
    fn count(&mut self, message: &Message, heard: &mut Heard) {
        heard.missing += message.number.saturating_sub(self.number + 1);
        self.number = message.number;
    }
}
