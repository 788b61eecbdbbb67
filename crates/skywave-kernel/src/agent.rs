//! The laws of all connections, told in the order of the kernel's messages.

use std::collections::HashMap;

use crate::answer::Answer;
use crate::connection::Connection;
use crate::law::Law;
use crate::message::{Kind, Message};

/// Messages at once from which the process is behind: then only the latest ACK of several counts.
const BACKLOG: usize = 512;

/// Counts of the kernel's messages that an [`Agent`] took, merged and missed, and of their connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Connections of which messages came.
    pub connections: u64,
    /// Messages from the kernel that were handled one by one; ACKs counted in [`Self::merged`] are not among
    /// them.
    pub messages: u64,
    /// ACKs of which only the totals were heard, with a later one's, as the process was behind.
    pub merged: u64,
    /// Messages that never came: the kernel had no room for them.
    pub missing: u64,
}

/// User-space end of one law in the kernel: takes the messages of all its TCP connections in order, keeps a
/// [`Connection`] for each, and gives the answers.
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
    /// An agent for `law`, before any message.
    pub fn new(law: Law) -> Self {
        Self {
            law,
            connections: HashMap::new(),
            heard: Heard::default(),
        }
    }

    /// Counts of the kernel's messages, and of their connections, since the agent began.
    pub fn heard(&self) -> Heard {
        self.heard
    }

    /// Takes `messages`, all that have come since the last call, and calls `answer` with each answer: the
    /// slot of its connection, the message, the answer. If more than 512 came, only the latest ACK of a
    /// connection is answered.
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
