//! The two agents of D-Proxy, whatever comes to them: segments cut and ordered in any way, requests and refusals that
//! nobody sent, drops of a queue.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::agent::d_proxy::{Answer, Heard, Verdict};
use skywave_core::agent::{Downstream, DownstreamConfig, LocalTimeout, Upstream, UpstreamConfig};
use skywave_core::packet::{Body, Flags, Hole, Packet, Segment};
use skywave_core::seq::SeqNr;
use skywave_core::{Duration, Time};

/// Bytes of a packet's headers.
const HEADERS: u32 = 40;

/// Most operations of a run.
const MOST: usize = 2000;

/// Input of one of the two agents.
#[derive(Clone, Copy, Debug)]
enum Input {
    /// A data segment comes to the first agent, and over the hop if it is not lost.
    Data {
        start: u16,
        len: u16,
        lost: bool,
    },
    /// A data segment comes to the second agent alone.
    Late {
        start: u16,
        len: u16,
    },
    /// The first agent's queue drops a segment.
    Drop {
        start: u16,
        len: u16,
    },
    Ack {
        to: u16,
    },
    Nack {
        start: u16,
        end: u16,
    },
    Refused {
        start: u16,
        end: u16,
    },
    /// The clock moves on by this many milliseconds.
    Wait {
        ms: u8,
    },
    /// Whatever the agents say to each other is lost from now on, or no more.
    Silence {
        on: bool,
    },
}

impl Input {
    fn read(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let kind = bytes.int_in_range(0..=9u8)?;
        let (a, b) = (u16::arbitrary(bytes)?, u16::arbitrary(bytes)?);
        Ok(match kind {
            0..=2 => Self::Data {
                start: a,
                len: b / 2 % 4000,
                lost: b % 2 == 1,
            },
            3 => Self::Late {
                start: a,
                len: b % 4000,
            },
            4 => Self::Drop {
                start: a,
                len: b % 4000,
            },
            5 => Self::Ack { to: a },
            6 => Self::Nack { start: a, end: b },
            7 => Self::Refused { start: a, end: b },
            8 => Self::Wait { ms: a as u8 },
            _ => Self::Silence { on: a % 2 == 1 },
        })
    }
}

struct Run {
    now: Time,
    /// Number of the byte at position zero.
    zero: u32,
    silent: bool,
    /// Most bytes in the first agent's cache and in the second one's buffer.
    limits: (u64, u64),
    upstream: Upstream,
    downstream: Downstream,
    /// Segments that came to the second agent, and those that went on.
    came: usize,
    went: usize,
}

impl Run {
    fn new(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let upstream = UpstreamConfig {
            cache: u64::from(u16::arbitrary(bytes)?),
            in_queue: bool::arbitrary(bytes)?,
        };
        let downstream = DownstreamConfig {
            buffer: u64::from(u16::arbitrary(bytes)?),
            hold: Duration::from_millis(u64::from(u16::arbitrary(bytes)?) + 1),
            retry: LocalTimeout {
                rtts: f64::from(bytes.int_in_range(1u8..=40)?) / 10.0,
                min: Duration::from_millis(u64::from(u8::arbitrary(bytes)?) + 1),
            },
        };
        Ok(Self {
            now: Time::ZERO,
            zero: u32::arbitrary(bytes)?,
            silent: false,
            limits: (upstream.cache, downstream.buffer),
            upstream: Upstream::new(upstream),
            downstream: Downstream::new(downstream),
            came: 0,
            went: 0,
        })
    }

    fn number(&self, position: u16) -> SeqNr {
        SeqNr::at(self.zero, u64::from(position))
    }

    fn hole(&self, start: u16, end: u16) -> Hole {
        Hole {
            start: self.number(start),
            end: self.number(end),
        }
    }

    fn segment(&self, start: u16, len: u16) -> (Packet, Segment) {
        let segment = Segment {
            seq: self.number(start),
            len: u32::from(len),
            ..Segment::default()
        };
        let size = segment.len + HEADERS;
        (Packet::new(0, size, Body::TcpData(segment)), segment)
    }

    fn arrive(&mut self, packet: &Packet) {
        let Body::TcpData(segment) = &packet.body else {
            panic!("only data come over the hop");
        };
        self.came += 1;
        let verdict = self.downstream.on_data(self.now, packet, segment);
        self.went += usize::from(verdict == Verdict::Forward);
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Data { start, len, lost } => {
                let (packet, segment) = self.segment(start, len);
                self.upstream.on_data(&packet, &segment);
                if !lost {
                    self.arrive(&packet);
                }
            }
            Input::Late { start, len } => {
                let (packet, _) = self.segment(start, len);
                self.arrive(&packet);
            }
            Input::Drop { start, len } => {
                let (_, segment) = self.segment(start, len);
                self.upstream.on_drop(&segment);
            }
            Input::Ack { to } => self.upstream.on_ack(&Segment {
                ack: self.number(to),
                flags: Flags::ACK,
                ..Segment::default()
            }),
            Input::Nack { start, end } => self.upstream.on_nack(self.hole(start, end)),
            Input::Refused { start, end } => self.downstream.on_refused(self.hole(start, end)),
            Input::Wait { ms } => self.wait(self.now + Duration::from_millis(u64::from(ms))),
            Input::Silence { on } => self.silent = on,
        }
        self.talk();
    }

    /// The agents say what they have to say, and hear it, until both are quiet.
    fn talk(&mut self) {
        for round in 0.. {
            assert!(round < MOST, "the agents talk without end");
            let mut quiet = true;
            while let Some(heard) = self.downstream.poll_transmit() {
                quiet = false;
                match heard {
                    Heard::Forward(_) => self.went += 1,
                    Heard::Nack(hole) if !self.silent => self.upstream.on_nack(hole),
                    Heard::Nack(_) => {}
                }
            }
            while let Some(answer) = self.upstream.poll_transmit() {
                quiet = false;
                match answer {
                    Answer::Again(packet) if !self.silent => self.arrive(&packet),
                    Answer::Refused(hole) if !self.silent => self.downstream.on_refused(hole),
                    Answer::Again(_) | Answer::Refused(_) => {}
                }
            }
            if quiet {
                break;
            }
        }
        let (cache, buffer) = self.limits;
        assert!(self.upstream.cached_bytes() <= cache);
        assert!(self.downstream.held_bytes() <= buffer);
        // A segment goes on at most once for each time that it comes.
        assert!(self.went <= self.came, "{} of {}", self.went, self.came);
    }

    fn wait(&mut self, until: Time) {
        while let Some(due) = self.downstream.next_timer().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.downstream.on_timer(self.now);
            self.talk();
            let next = self.downstream.next_timer();
            assert!(
                next.is_none_or(|next| next > self.now),
                "a timer stands still"
            );
        }
        self.now = until;
    }

    /// No hole is waited for longer than `hold`: then nothing is held any more, and no timer runs.
    fn end(&mut self) {
        self.wait(self.now + Duration::from_secs(70));
        assert_eq!(self.downstream.held_bytes(), 0);
        assert_eq!(self.downstream.next_timer(), None);
    }
}

/// Reads configurations of the two agents of D-Proxy (local retransmission over a wireless hop) and packets for them
/// out of `data`, and runs the agents. Panics if an agent keeps more bytes than its limit, or forwards a segment more
/// often than it came.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    let Ok(mut run) = Run::new(&mut bytes) else {
        return;
    };
    for _ in 0..MOST {
        if bytes.is_empty() {
            break;
        }
        let Ok(input) = Input::read(&mut bytes) else {
            break;
        };
        run.take(input);
    }
    run.end();
}
