//! A script as plain data: its options and its events.

mod call;
mod cursor;
mod event;
mod file;
mod options;
mod packet;

use skywave_core::time::Duration;

use crate::place::Place;

pub use file::parse;
pub(crate) use packet::LETTERS;

/// Parsed packetdrill script: its options and events in the order of the file. [`run()`](crate::run()) executes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Options of the script: its `--name=value` lines.
    pub settings: Vec<Setting>,
    /// Events of the script, in the order of the file. Text in backquotes (for a shell) that has no time of its own, as
    /// at the file's beginning or end, has the time `+0`: at once after the event before it.
    pub events: Vec<Event>,
}

/// Option of a script: a `--name=value` line before its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Place of the option's line in the script.
    pub place: Place,
    /// Name of the script's option, without the dashes.
    pub name: String,
    /// Value of the script's option, as written after `=`; empty where none is given.
    pub value: String,
}

/// Event of a script: something that happens, or is expected to, at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Place in the script where the event begins.
    pub place: Place,
    /// Time at which the event happens, or times between which it may happen.
    pub when: When,
    /// Time at which a call that blocks returns, counted from the same moment as `when`: the beginning of the script or
    /// the event before. `None` if the call is not to block.
    pub until: Option<Duration>,
    /// Action of the event, or what the event expects.
    pub what: What,
}

/// Time of an event, as a script gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Time since the beginning of the script.
    Absolute(Duration),
    /// Time since the event before.
    Relative(Duration),
    /// Any time after the event before.
    Any,
    /// Earliest and latest time since the beginning of the script.
    AbsoluteRange(Duration, Duration),
    /// Earliest and latest time since the event before.
    RelativeRange(Duration, Duration),
}

/// Action of an event, or what the event expects.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A packet arrives at the host under test.
    Inject(Packet),
    /// A packet is expected from the host under test.
    Expect(Packet),
    /// The application on the host under test makes a system call.
    Call(Call),
    /// Text for a shell, which stands in backquotes in the script. No shell runs: known commands set variables of the
    /// modelled host or ask for its state.
    Shell(String),
    /// Text between `%{` and `}%`: assignments, and assertions about the connection's `tcp_info`.
    Code(String),
}

/// Packet that a script injects or expects.
#[derive(Clone, Debug, PartialEq)]
pub enum Packet {
    /// A TCP segment.
    Tcp(TcpPacket),
    /// An ICMP message.
    Icmp(IcmpPacket),
    /// A packet of another protocol, by the protocol's name.
    Other(String),
}

/// A TCP segment and the fields of its IP header that a script may state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TcpPacket {
    /// ECN field of the IP header: `ect0`, `ect1`, `ce`, `noecn`, or `ect01` for either of the first two;
    /// `None` if the script does not state it.
    pub ecn: Option<String>,
    /// Name of something the script states that is not modelled, such as another field of the IP header or
    /// UDP encapsulation; `None` if there is nothing.
    pub header: Option<String>,
    /// TCP control bits (such as SYN), as in the low byte of the header's flags.
    pub flags: u8,
    /// ACE field of accurate ECN, 0 to 7; `None` if the script does not state it.
    pub ace: Option<u8>,
    /// Sequence number of the first byte as the script writes it: relative to the initial sequence number, but absolute
    /// in a SYN.
    pub seq: u32,
    /// Payload bytes.
    pub len: u32,
    /// Acknowledgement number as the script writes it: relative to the other direction's initial sequence number, but
    /// absolute in a SYN; `None` if the script does not state it.
    pub ack: Option<u32>,
    /// Window field of the header, without scaling; `None` in an expected segment whose window is not compared.
    pub window: Option<u32>,
    /// Urgent pointer of the header; `None` if the script does not state it.
    pub urgent: Option<u32>,
    /// TCP options in the order of the header; `None` in an expected segment whose options are not compared.
    pub options: Option<Vec<TcpOption>>,
}

/// TCP option of a segment that a script injects or expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    /// Padding (no operation).
    Nop,
    /// End of the list of options.
    End,
    /// Maximum segment size: largest payload that the sender of the option accepts, bytes.
    Mss(u16),
    /// Window scale: number of bits by which the window field of later segments is shifted.
    WindowScale(u8),
    /// Selective acknowledgements are permitted.
    SackPermitted,
    /// SACK blocks, each from its first sequence number to the one after its last.
    Sack(Vec<(u32, u32)>),
    /// Timestamps (RFC 7323).
    Timestamps {
        /// Timestamp of the segment's sender (TSval).
        value: u32,
        /// Timestamp that is echoed (TSecr).
        echo: u32,
    },
    /// An option that is not modelled, by its name.
    Other(String),
}

/// ICMP message that a script injects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IcmpPacket {
    /// Name of the message's type, such as `unreachable`.
    pub kind: String,
    /// Name of the message's code; empty if the script gives none.
    pub code: String,
    /// MTU of the next hop that the message tells of, bytes; `None` if the script gives none.
    pub mtu: Option<u32>,
    /// First sequence number of the segment that the message quotes, as the script writes it; `None` if it quotes none.
    pub seq: Option<u32>,
}

/// System call that a script has the application make, with the result that it expects.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name of the system call, such as `write`.
    pub name: String,
    /// Arguments of the call, in order.
    pub arguments: Vec<Value>,
    /// Value that the script expects the call to return.
    pub result: Value,
    /// Name of the error that the script expects the call to return, such as `EAGAIN`; `None` if none is compared.
    pub error: Option<String>,
}

/// Argument, result, or part of one, of a system call in a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A named constant, such as `SOCK_STREAM`.
    Word(String),
    /// Constants joined by `|`.
    Union(Vec<Value>),
    /// A string.
    Text(String),
    /// A list in brackets.
    List(Vec<Value>),
    /// A structure in braces: name and value of each field, the name empty where none is given. Also values in parentheses
    /// after a word, as in `htons(80)`: each has that word as its name.
    Structure(Vec<(String, Value)>),
    /// The sign `...` in place of a value that the script leaves open.
    Ellipsis,
}

impl Value {
    /// The number that the value is.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The field of this name, of a structure.
    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Structure(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }
}
