//! Captures made by hand, for tests.

use etherparse::{PacketBuilder, PacketBuilderStep, TcpHeader, TcpOptionElement};

use super::{Transfer, read};

const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 1], 4000);
const SERVER: ([u8; 4], u16) = ([10, 0, 0, 2], 80);
/// Round trip of the opening, milliseconds.
pub(crate) const RTT_MS: u64 = 50;
/// Payload of a full segment, bytes.
pub(crate) const MSS: u32 = 1000;

/// A capture at the client, which sends to the server, made by hand.
pub(crate) struct Script {
    file: Vec<u8>,
    /// The client's port.
    pub(crate) port: u16,
    /// The client's first sequence number, after its SYN.
    first: u32,
    /// The server's window, as its packets have it: a quarter of the bytes.
    pub(crate) window: u16,
    /// Timestamps that answers echo, if packets have timestamps; the client's are milliseconds.
    pub(crate) echo: Option<u32>,
}

impl Script {
    /// A capture without an opening.
    pub(crate) fn midway(first: u32) -> Self {
        let mut file = Vec::new();
        // The header of a pcap file with microseconds, packets from the IP header on.
        for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x0004_0000, 101] {
            file.extend(word.to_le_bytes());
        }
        Self {
            file,
            port: CLIENT.1,
            first,
            window: 60_000,
            echo: None,
        }
    }

    /// A capture that begins with an opening.
    pub(crate) fn begun(first: u32) -> Self {
        Self::agreed(first, MSS as u16)
    }

    /// Script of a connection with a largest segment that both ends agree upon.
    pub(crate) fn agreed(first: u32, mss: u16) -> Self {
        let mut script = Self::midway(first);
        let options = [
            TcpOptionElement::MaximumSegmentSize(mss),
            TcpOptionElement::WindowScale(2),
        ];
        let syn = PacketBuilder::ipv4(CLIENT.0, SERVER.0, 64)
            .tcp(CLIENT.1, SERVER.1, first.wrapping_sub(1), 65535)
            .syn()
            .options(&options)
            .unwrap();
        script.packet(0, syn, 0);
        let answer = PacketBuilder::ipv4(SERVER.0, CLIENT.0, 64)
            .tcp(SERVER.1, CLIENT.1, 0, 65535)
            .syn()
            .ack(first)
            .options(&options)
            .unwrap();
        script.packet(RTT_MS, answer, 0);
        script
    }

    fn packet(&mut self, at_ms: u64, packet: PacketBuilderStep<TcpHeader>, payload: usize) {
        let mut bytes = vec![0; packet.size(payload)];
        packet
            .write_to_slice(&mut bytes, &vec![0; payload])
            .unwrap();
        let at = [at_ms / 1000, at_ms % 1000 * 1000].map(|word| word as u32);
        for word in [at[0], at[1], bytes.len() as u32, bytes.len() as u32] {
            self.file.extend(word.to_le_bytes());
        }
        self.file.extend(&bytes);
    }

    fn stamps(&self, at_ms: u64) -> Option<TcpOptionElement> {
        self.echo
            .map(|echo| TcpOptionElement::Timestamp(at_ms as u32, echo))
    }

    /// The client sends bytes of its stream.
    pub(crate) fn data(&mut self, at_ms: u64, from: u32, length: u32) -> &mut Self {
        let packet = PacketBuilder::ipv4(CLIENT.0, SERVER.0, 64)
            .tcp(self.port, SERVER.1, self.first.wrapping_add(from), 1000)
            .ack(1)
            .options(self.stamps(at_ms).as_slice())
            .unwrap();
        self.packet(at_ms, packet, length as usize);
        self
    }

    /// The server has all bytes before one, and others.
    pub(crate) fn ack(&mut self, at_ms: u64, before: u32, blocks: &[(u32, u32)]) -> &mut Self {
        let blocks: Vec<(u32, u32)> = blocks
            .iter()
            .map(|(from, to)| (self.first.wrapping_add(*from), self.first.wrapping_add(*to)))
            .collect();
        let mut rest = [None; 3];
        for (place, block) in rest.iter_mut().zip(blocks.iter().skip(1)) {
            *place = Some(*block);
        }
        let sack = blocks
            .first()
            .map(|first| TcpOptionElement::SelectiveAcknowledgement(*first, rest));
        let options: Vec<TcpOptionElement> = sack.into_iter().chain(self.stamps(at_ms)).collect();
        let packet = PacketBuilder::ipv4(SERVER.0, CLIENT.0, 64)
            .tcp(SERVER.1, self.port, 1, self.window)
            .ack(self.first.wrapping_add(before))
            .options(&options)
            .unwrap();
        self.packet(at_ms, packet, 0);
        self
    }

    /// The capture's bytes.
    pub(crate) fn file(&self) -> &[u8] {
        &self.file
    }

    pub(crate) fn transfer(&self) -> Transfer {
        let mut capture = read(&self.file[..]).unwrap();
        assert_eq!(capture.transfers.len(), 1);
        capture.transfers.remove(0)
    }
}
