//! Executes a script in virtual time.

mod call;
mod layout;
mod matching;
mod scan;
mod show;
mod wire;

use std::collections::BTreeMap;

use skywave_core::tcp::config::Composition;
use skywave_core::time::{Duration, Time};

use crate::code::{self, Variables};
use crate::host::{Host, Settings, System};
use crate::language::{Event, IcmpPacket, Packet, Script, What, When};
use crate::numbers::Direction;
use crate::place::Place;
use crate::report::{Skip, Verdict};
use crate::shell::{self, Line};

use call::Pending;

/// When a script's clock begins: late enough that no time of a connection is the origin's, which means "never".
const START: Time = Time::from_nanos(100_000_000_000);
/// How long a packet may be late before it counts as missing.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a packet without a time may take.
const ANY_TIME: Duration = Duration::from_secs(10_000);
/// Timers that may expire while one event is awaited.
const MOST_TIMERS: usize = 100_000;

/// Options with which scripts are run: the sender under test, and the system whose behaviour they expect.
#[derive(Clone, Debug)]
pub struct Options {
    /// Policies of the TCP sender under test, such as loss detection, recovery and congestion control.
    pub composition: Composition,
    /// Operating system whose defaults and behaviour the scripts expect; `None` to tell it by the variables that each
    /// script sets.
    pub system: Option<System>,
}

/// How a script ends early.
#[derive(Debug)]
enum Stop {
    Failed { expected: String, got: String },
    Skipped(Skip),
}

/// The end of a script by something that is not as it is expected.
fn failed<T>(expected: impl Into<String>, got: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Failed {
        expected: expected.into(),
        got: got.into(),
    })
}

impl From<Skip> for Stop {
    fn from(skip: Skip) -> Self {
        Self::Skipped(skip)
    }
}

/// Runs a script in virtual time, up to its end or the first event that fails. [`Verdict::Skipped`] if it needs
/// something that is not modelled.
pub fn run(script: &Script, options: &Options) -> Verdict {
    match scan::read(script, options.system) {
        Ok(setup) => Run::new(setup, options).script(script),
        Err((place, reason)) => Verdict::Skipped { place, reason },
    }
}

/// Everything that a script's own options say of its run.
#[derive(Clone, Debug)]
struct Setup {
    settings: Settings,
    /// Time by which a packet or a return may be too early or too late.
    tolerance: Duration,
    /// Time by which a packet or a return may be too early or too late, as a share of the time since the event
    /// before.
    share: f64,
    /// Length of a tick of the timestamps' clock; zero if their values are not compared.
    tick: Duration,
}

struct Run {
    setup: Setup,
    host: Host,
    /// When the event before was over.
    last: Time,
    local: Direction,
    remote: Direction,
    /// The script's value of each timestamp that was sent, and what it was.
    sent_timestamps: BTreeMap<u32, Time>,
    /// The first timestamp that was sent: the script's value, and what it was.
    first_sent_timestamp: Option<(u32, Time)>,
    /// The first timestamp that came.
    first_timestamp: Option<u32>,
    variables: Variables,
    pending: Option<Pending>,
}

impl Run {
    fn new(setup: Setup, options: &Options) -> Self {
        let host = Host::new(
            setup.settings.clone(),
            options.composition.clone(),
            START,
            setup.tolerance,
        );
        Self {
            setup,
            host,
            last: START,
            local: Direction::new(0, crate::host::ISS),
            remote: Direction::default(),
            sent_timestamps: BTreeMap::new(),
            first_sent_timestamp: None,
            first_timestamp: None,
            variables: Variables::new(),
            pending: None,
        }
    }

    fn script(mut self, script: &Script) -> Verdict {
        for event in &script.events {
            if let Err(stop) = self.event(event) {
                return verdict(self.blamed(&stop, event.place), stop);
            }
        }
        if let Err(stop) = self.finish_pending() {
            let place = script
                .events
                .last()
                .map_or(Place { line: 1, column: 1 }, |e| e.place);
            return verdict(self.blamed(&stop, place), stop);
        }
        Verdict::Passed
    }

    /// The place of the call that is waited for, if it is what failed.
    fn blamed(&self, stop: &Stop, place: Place) -> Place {
        match (&self.pending, stop) {
            (Some(pending), Stop::Failed { .. }) if pending.failed => pending.place,
            _ => place,
        }
    }

    fn event(&mut self, event: &Event) -> Result<(), Stop> {
        if let What::Expect(packet) = &event.what {
            let Packet::Tcp(packet) = packet else {
                return Err(Skip::new("packets of another protocol", "").into());
            };
            return self.expect(event.when, packet);
        }
        let at = match event.when {
            When::Absolute(t) | When::AbsoluteRange(t, _) => START + t,
            When::Relative(t) | When::RelativeRange(t, _) => self.last + t,
            When::Any => self.host.now(),
        };
        let begun = self.last;
        let at = at.max(self.host.now());
        self.run_until(at)?;
        self.last = at;
        match &event.what {
            What::Inject(Packet::Tcp(packet)) => self.inject(packet)?,
            What::Inject(Packet::Icmp(message)) => self.inject_icmp(message)?,
            What::Inject(Packet::Other(name)) => {
                return Err(Skip::new("packets of another protocol", name.clone()).into());
            }
            What::Call(call) => {
                let until = event.until.map(|t| match event.when {
                    When::Relative(_) => begun + t,
                    _ => START + t,
                });
                self.call(call, event.place, until)?;
            }
            What::Shell(text) => self.shell(text)?,
            What::Code(text) => {
                let host = &self.host;
                let refuted = code::run(text, &mut self.variables, &|name| host.quantity(name))?;
                if let Some(refuted) = refuted {
                    return failed(refuted.expected, refuted.got);
                }
            }
            What::Expect(_) => {}
        }
        self.poll_pending()
    }

    /// Lets everything happen that is due up to `at`.
    fn run_until(&mut self, at: Time) -> Result<(), Stop> {
        for _ in 0..MOST_TIMERS {
            let Some(next) = self.host.next_timer().filter(|&next| next <= at) else {
                self.host.advance(at);
                return self.poll_pending();
            };
            self.host.advance(next.max(self.host.now()));
            self.poll_pending()?;
        }
        failed("timers that come to rest", "one expiry after the other")
    }

    fn inject_icmp(&mut self, message: &IcmpPacket) -> Result<(), Stop> {
        let seq = message.seq.map(|seq| self.local.to_wire(seq, false));
        Ok(self.host.deliver_icmp(message, seq)?)
    }

    fn shell(&mut self, text: &str) -> Result<(), Stop> {
        for line in shell::read(text)? {
            match line {
                Line::Set { name, value } => self.host.settings.set(&name, &value)?,
                Line::LinuxDefaults => {
                    let own = &self.setup.settings;
                    self.host.settings = Settings {
                        mtu: own.mtu,
                        ipv6: own.ipv6,
                        arriving_mss: own.arriving_mss,
                        ..Settings::new(System::Linux)
                    };
                }
                Line::CountStates { state, pattern } => {
                    let count = self.host.count(&state).to_string();
                    if !count.contains(&pattern) {
                        return failed(format!("{pattern} in {state}"), count);
                    }
                }
                Line::Listens if !self.host.listens() => {
                    return failed("a socket that listens", "none");
                }
                Line::Listens => {}
                Line::DropTimeWait => self.host.drop_time_wait(),
                Line::Mtu(mtu) => self.host.settings.mtu = mtu,
            }
        }
        Ok(())
    }
}

fn verdict(place: Place, stop: Stop) -> Verdict {
    match stop {
        Stop::Failed { expected, got } => Verdict::Failed {
            place,
            expected,
            got,
        },
        Stop::Skipped(reason) => Verdict::Skipped { place, reason },
    }
}

/// A time for people: seconds with the digits that matter.
fn seconds(time: Duration) -> String {
    format!("{:.6} s", time.as_secs_f64())
}

impl Run {
    /// Whether `got` is as near to `expected` as the tolerance has it, after an event that ended at `before`.
    fn is_near(&self, got: Time, expected: Time, before: Time) -> bool {
        let share = expected.since(before).mul_f64(self.setup.share);
        let tolerance = self.setup.tolerance.max(share);
        got.since(expected) <= tolerance && expected.since(got) <= tolerance
    }
}
