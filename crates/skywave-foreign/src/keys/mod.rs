//! Handshakes and keys without secrets: what two ends of one process need of TLS, the same in each run.
//!
//! A handshake has TLS 1.3's messages in number and order, of sizes as with one small certificate, and in them the transport
//! parameters alone. Packets keep their 16 bytes of authentication, which number the packet instead. Nothing else is encrypted,
//! so that a run needs no random keys, and no time for ciphers.

mod session;

pub(crate) use session::{limits, session};

/// Bytes of the ClientHello, of the ServerHello, of the server's flight (its parameters, a certificate, its signature and
/// Finished) and of the client's Finished.
const MESSAGES: [usize; 4] = [300, 120, 760, 36];
/// Bytes of authentication at the end of each packet.
pub(crate) const TAG: usize = 16;

/// Keys that a step of a handshake yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Initial,
    Handshake,
    Data,
}

/// One end's half of a handshake.
pub(crate) struct Handshake {
    client: bool,
    /// Messages of [`MESSAGES`] written or read so far, both ends' together.
    done: usize,
    /// Transport parameters of this end.
    parameters: Vec<u8>,
    /// Transport parameters of the peer, once they are here.
    peer: Option<Vec<u8>>,
    /// Bytes read of a message that is not whole.
    unread: Vec<u8>,
    /// The keys that a client has still to take for messages read.
    owed: Option<Level>,
}

impl Handshake {
    pub(crate) fn new(client: bool, parameters: Vec<u8>) -> Self {
        Self {
            client,
            done: 0,
            parameters,
            peer: None,
            unread: Vec::new(),
            owed: None,
        }
    }

    /// Reads a part of what the peer has written.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
        while let Some((total, length)) = self.head()
            && self.unread.len() >= total
        {
            let parameters = self.unread[4..4 + length].to_vec();
            if length > 0 {
                self.peer = Some(parameters);
            }
            self.unread.drain(..total);
            self.done += 1;
            match self.done {
                2 => self.owed = Some(Level::Handshake),
                3 => self.owed = Some(Level::Data),
                _ => {}
            }
        }
    }

    /// Bytes of the message that is being read, and of the parameters in it.
    fn head(&self) -> Option<(usize, usize)> {
        let head = self.unread.first_chunk::<4>()?;
        let two = |at: usize| usize::from(u16::from_be_bytes([head[at], head[at + 1]]));
        Some((two(0), two(2)))
    }

    /// Writes what comes next into `buffer`, and yields the keys that come with it.
    pub(crate) fn write(&mut self, buffer: &mut Vec<u8>) -> Option<Level> {
        if self.client {
            if self.done == 0 {
                self.put(buffer, true);
                return None;
            }
            let keys = self.owed.take();
            if keys == Some(Level::Data) {
                self.put(buffer, false);
            }
            return keys;
        }
        match self.done {
            1 => {
                self.put(buffer, false);
                Some(Level::Handshake)
            }
            2 => {
                self.put(buffer, true);
                Some(Level::Data)
            }
            _ => None,
        }
    }

    /// Writes the next message, with the parameters or without.
    fn put(&mut self, buffer: &mut Vec<u8>, with_parameters: bool) {
        let parameters: &[u8] = if with_parameters {
            &self.parameters
        } else {
            &[]
        };
        let total = MESSAGES[self.done].max(4 + parameters.len());
        let end = buffer.len() + total;
        buffer.extend_from_slice(&(total as u16).to_be_bytes());
        buffer.extend_from_slice(&(parameters.len() as u16).to_be_bytes());
        buffer.extend_from_slice(parameters);
        buffer.resize(end, 0);
        self.done += 1;
    }

    pub(crate) fn is_handshaking(&self) -> bool {
        self.done < MESSAGES.len()
    }

    pub(crate) fn peer(&self) -> Option<&[u8]> {
        self.peer.as_deref()
    }
}

/// The key of one direction of one level, in one of its generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u64);

impl Key {
    /// The keys of a client's packets and of a server's.
    pub(crate) fn pair(seed: u64, level: Level, generation: u64) -> [Self; 2] {
        let both = mixed(seed ^ mixed(generation << 8 | level as u64));
        [Self(mixed(both ^ 1)), Self(mixed(both ^ 2))]
    }

    fn tag(self, packet: u64) -> [u8; TAG] {
        let word = |n| mixed(self.0 ^ mixed(packet << 1 | n)).to_le_bytes();
        let mut tag = [0; TAG];
        tag[..8].copy_from_slice(&word(0));
        tag[8..].copy_from_slice(&word(1));
        tag
    }

    /// Writes the tag into the last bytes of a packet.
    pub(crate) fn seal(self, packet: u64, bytes: &mut [u8]) {
        if let Some(end) = bytes.last_chunk_mut::<TAG>() {
            *end = self.tag(packet);
        }
    }

    /// The length of a packet without its tag, if that is right.
    pub(crate) fn opened(self, packet: u64, bytes: &[u8]) -> Option<usize> {
        let right = bytes.last_chunk::<TAG>()? == &self.tag(packet);
        right.then(|| bytes.len() - TAG)
    }
}

/// The finaliser of SplitMix64: each bit of the result depends on each of the argument.
pub(crate) fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A number of `N` bytes made of a seed and a counter.
pub(crate) fn numbered<const N: usize>(seed: u64, number: u64) -> [u8; N] {
    let mut bytes = [0; N];
    for (place, chunk) in bytes.chunks_mut(8).enumerate() {
        let word = mixed(seed ^ mixed(number << 8 | place as u64)).to_le_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands over what one end writes, byte by byte.
    fn step(from: &mut Handshake, to: &mut Handshake) -> Option<Level> {
        let mut written = Vec::new();
        let keys = from.write(&mut written);
        for byte in written {
            to.read(&[byte]);
        }
        keys
    }

    #[test]
    fn both_ends_get_the_same_keys_and_parameters_in_turn() {
        let mut client = Handshake::new(true, b"client".to_vec());
        let mut server = Handshake::new(false, b"server".to_vec());
        let (handshake, data) = (Some(Level::Handshake), Some(Level::Data));
        assert_eq!(step(&mut client, &mut server), None);
        assert_eq!(step(&mut server, &mut client), handshake);
        assert_eq!(step(&mut client, &mut server), handshake);
        assert_eq!(step(&mut server, &mut client), data);
        assert!(client.is_handshaking());
        assert_eq!(step(&mut client, &mut server), data);
        assert_eq!(client.peer(), Some(&b"server"[..]));
        assert_eq!(server.peer(), Some(&b"client"[..]));
        for end in [&mut client, &mut server] {
            assert!(!end.is_handshaking());
            assert_eq!(end.write(&mut Vec::new()), None);
        }
    }

    #[test]
    fn a_packet_opens_with_its_own_key_and_number_alone() {
        let [ours, theirs] = Key::pair(1, Level::Data, 0);
        let mut packet = [7; 40];
        ours.seal(3, &mut packet);
        assert_eq!(ours.opened(3, &packet), Some(24));
        assert_eq!(ours.opened(4, &packet), None);
        assert_eq!(theirs.opened(3, &packet), None);
        assert_eq!(ours.opened(3, &packet[30..]), None);
    }
}
