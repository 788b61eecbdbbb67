//! Packets: the fields of their headers.

use skywave_core::packet::Flags;

use super::cursor::Cursor;
use super::{IcmpPacket, Packet, TcpPacket, options};
use crate::place::Mistake;

/// Control bits with their letters, in the order in which scripts write them.
pub(crate) const LETTERS: [(Flags, char); 8] = [
    (Flags::SYN, 'S'),
    (Flags::FIN, 'F'),
    (Flags::RST, 'R'),
    (Flags::PSH, 'P'),
    (Flags::URG, 'U'),
    (Flags::ECE, 'E'),
    (Flags::CWR, 'W'),
    (Flags::ACK, '.'),
];

/// A packet after its direction.
pub(super) fn read(cursor: &mut Cursor<'_>, injected: bool) -> Result<Packet, Mistake> {
    let mut packet = TcpPacket::default();
    header_fields(cursor, &mut packet)?;
    cursor.skip_space()?;
    if let Some(other) = other_protocol(cursor)? {
        return Ok(other);
    }
    ports(cursor)?;
    flags(cursor, &mut packet)?;
    numbers(cursor, &mut packet)?;
    if cursor.take("!")? {
        packet.header = Some("`!` after the numbers".to_owned());
    }
    if cursor.take_word("ack")? {
        packet.ack = Some(cursor.number("an acknowledgement number")?);
    }
    if cursor.take_word("win")? {
        packet.window = Some(cursor.number("a window")?);
    } else if injected {
        return Err(cursor.expected("`win` and the window, which a packet that arrives must have"));
    }
    if cursor.take_word("urg")? {
        packet.urgent = Some(cursor.number("an urgent pointer")?);
    }
    cursor.skip_space()?;
    packet.options = Some(Vec::new());
    // The next event may be a packet that arrives: but each event begins with its time.
    if cursor.peek() == Some('<') {
        packet.options = options::read(cursor)?;
        if packet.options.is_none() && injected {
            return Err(cursor.mistake("`<...>` is only for packets that are expected"));
        }
    }
    if cursor.take("/udp")? {
        cursor.want("(")?;
        cursor.until(")")?;
        packet.header = Some("UDP encapsulation".to_owned());
    }
    Ok(Packet::Tcp(packet))
}

/// Fields of the IP header, in brackets or parentheses.
fn header_fields(cursor: &mut Cursor<'_>, packet: &mut TcpPacket) -> Result<(), Mistake> {
    let end = if cursor.take("[")? {
        "]"
    } else if cursor.take("(")? {
        ")"
    } else {
        return Ok(());
    };
    let fields = cursor.until(end)?;
    for field in fields.split(',').map(str::trim) {
        match field {
            "ect0" | "ect1" | "ce" | "noecn" | "ect01" => packet.ecn = Some(field.to_owned()),
            _ => {
                let name = field.split_whitespace().next().unwrap_or_default();
                packet.header = Some(name.to_owned());
            }
        }
    }
    Ok(())
}

/// A packet of another protocol than TCP.
fn other_protocol(cursor: &mut Cursor<'_>) -> Result<Option<Packet>, Mistake> {
    let mut ahead = cursor.clone();
    let name = ahead.word()?.to_owned();
    if name == "icmp" {
        *cursor = ahead;
        return icmp(cursor).map(|icmp| Some(Packet::Icmp(icmp)));
    }
    let lower = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !lower {
        return Ok(None);
    }
    // What the protocol's packet says does not matter: the script is not run. It ends before the next time.
    *cursor = ahead;
    let mut depth = 0_u32;
    while let Some(c) = cursor.peek() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '\n' if depth == 0 => break,
            _ => {}
        }
        cursor.step(c.len_utf8());
    }
    Ok(Some(Packet::Other(name)))
}

fn icmp(cursor: &mut Cursor<'_>) -> Result<IcmpPacket, Mistake> {
    let kind = cursor.word()?.to_owned();
    if kind.is_empty() {
        return Err(cursor.expected("a type of ICMP message"));
    }
    let mut packet = IcmpPacket {
        kind,
        code: String::new(),
        mtu: None,
        seq: None,
    };
    let mut ahead = cursor.clone();
    let code = ahead.word()?;
    if !matches!(code, "" | "mtu" | "id") && code.starts_with(|c: char| c.is_ascii_alphabetic()) {
        code.clone_into(&mut packet.code);
        *cursor = ahead;
    }
    if cursor.take_word("mtu")? {
        packet.mtu = Some(cursor.number("an MTU")?);
    }
    if cursor.take_word("id")? {
        cursor.unsigned()?;
    }
    if cursor.take("[")? {
        let quoted = cursor.until("]")?;
        let first = quoted.split(':').next().unwrap_or_default().trim();
        packet.seq = first.parse().ok();
    }
    Ok(packet)
}

/// `1234 > 8080`: which ports they are does not matter, since there is one pair.
fn ports(cursor: &mut Cursor<'_>) -> Result<(), Mistake> {
    let mut ahead = cursor.clone();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    if is_number(ahead.word()?) && ahead.take(">")? && is_number(ahead.word()?) {
        *cursor = ahead;
    }
    Ok(())
}

fn flags(cursor: &mut Cursor<'_>, packet: &mut TcpPacket) -> Result<(), Mistake> {
    let start = cursor.clone();
    let letters = cursor.while_in(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')?;
    if letters.is_empty() {
        return Err(start.expected("control bits, as in `S.`, or `-` for none"));
    }
    for letter in letters.chars() {
        match letter {
            '-' => {}
            'A' => packet.ace = Some(1),
            '0'..='7' => packet.ace = letter.to_digit(8).map(|ace| ace as u8),
            _ => {
                let known = LETTERS.iter().find(|(_, known)| *known == letter);
                let (bit, _) = known.ok_or_else(|| {
                    let known: String = LETTERS.iter().map(|(_, letter)| letter).collect();
                    start.mistake(format!(
                        "`{letter}` is no control bit: expected some of {known}"
                    ))
                })?;
                packet.flags |= bit.bits();
            }
        }
    }
    Ok(())
}

/// `first:end(length)`.
fn numbers(cursor: &mut Cursor<'_>, packet: &mut TcpPacket) -> Result<(), Mistake> {
    cursor.skip_space()?;
    let start = cursor.clone();
    packet.seq = cursor.number("a sequence number")?;
    cursor.want(":")?;
    let end: u32 = cursor.number("a sequence number")?;
    cursor.want("(")?;
    packet.len = cursor.number::<u16>("a payload")?.into();
    cursor.want(")")?;
    if packet.seq.wrapping_add(packet.len) != end {
        return Err(start.mistake(format!(
            "{} and {} bytes do not end at {end}",
            packet.seq, packet.len
        )));
    }
    Ok(())
}
