//! A congestion control law in the kernel: the eBPF program loaded, its messages heard, and its answers written.

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use libbpf_rs::{
    Error, ErrorKind, Link, Map, MapCore, MapFlags, MapMut, Object, ObjectBuilder, PrintLevel,
    RingBufferBuilder, set_print,
};

use crate::agent::{Agent, Heard};
use crate::answer::{Answer, WORDS};
use crate::law::Law;
use crate::message::Message;
use crate::shared::Shared;
use crate::trouble::AttachError;

/// The compiled program, at an address that a reader of ELF files takes.
#[repr(align(8))]
struct Aligned<T: ?Sized>(T);
static OBJECT: &Aligned<[u8]> = &Aligned(*include_bytes!("../bpf/law.bpf.o"));

/// Connections that can have the law at once (`SLOTS`).
const SLOTS: u32 = 4096;

/// Words of the settings and counters (`struct control`), and where the settings are.
const CONTROL: usize = 9;
const SETTINGS: usize = 5;

/// Events in [`LOOK`] from which waking up for each costs more than looking.
const MANY: u64 = 200;
/// How often it is decided anew whether to be woken up.
const LOOK: Duration = Duration::from_millis(100);
/// Between two looks while nothing wakes the process up.
const NAP: Duration = Duration::from_micros(500);
/// Longest wait for an event, until it is asked again whether to go on.
const WAIT: Duration = Duration::from_millis(50);

/// Counts that the eBPF program in the kernel keeps for an [`Attached`] law since it was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// TCP connections that were given the law or chose it by its name, those in [`Self::refused`] included.
    pub connections: u64,
    /// Messages that the eBPF program in the kernel could not send to this process, as the ring buffer was full.
    pub dropped: u64,
    /// Reads of an answer by the eBPF program in the kernel while this process was writing the answer. The program
    /// knows it by the checksum, and ignores the answer then.
    pub torn: u64,
    /// Number of times that a connection went over to Reno's rule within the eBPF program, because this process
    /// answered too late.
    pub fell: u64,
    /// Connections beyond the 4096 that can have the law at once; they go by Reno's rule in the eBPF program.
    pub refused: u64,
}

/// A congestion control law that the kernel offers under its [name](Law::name), answered by this process. When this
/// value is dropped, or the process dies, the name is gone; connections that have the law go on by Reno's rule until
/// they are closed.
#[derive(Debug)]
pub struct Attached {
    law: Law,
    control: Shared,
    answers: Shared,
    // Links go before the object.
    links: Vec<Link>,
    object: Object,
}

impl Attached {
    /// Loads the eBPF program into the kernel and makes `law` a congestion control there, under its [name](Law::name).
    /// [`AttachError`] if rights are missing or the name is taken.
    pub fn new(law: Law) -> Result<Self, AttachError> {
        let load = |error| AttachError::load(&error);
        // What libbpf has to say is in its errors.
        set_print(None::<(PrintLevel, fn(PrintLevel, String))>);
        let mut open = ObjectBuilder::default()
            .open_memory(&OBJECT.0)
            .map_err(load)?;
        for mut map in open.maps_mut() {
            if map.name() == "law"
                && let Some(value) = map.initial_value_mut()
            {
                rename(value, law.name());
            }
        }
        let mut object = open.load().map_err(load)?;
        let control = Shared::new(map(&object, "control")?.as_fd(), CONTROL)?;
        let answers = map(&object, "answers")?;
        let answers = Shared::new(answers.as_fd(), SLOTS as usize * WORDS)?;
        control.set(SETTINGS, &settings(&law));
        let vacant = map(&object, "vacant")?;
        for slot in 0..SLOTS {
            vacant
                .update(&[], &slot.to_ne_bytes(), MapFlags::ANY)
                .map_err(load)?;
        }
        let mut law_map = map_mut(&mut object, "law")?;
        let link = law_map
            .attach_struct_ops()
            .map_err(|error| AttachError::attach(&error, law.name()))?;
        Ok(Self {
            law,
            control,
            answers,
            links: vec![link],
            object,
        })
    }

    /// Gives the law to the TCP connections that processes of this control group (cgroup v2) make or accept from now
    /// on. [`AttachError::Group`] if the kernel does not attach the eBPF program to the group.
    pub fn give_to(&mut self, group: BorrowedFd<'_>) -> Result<(), AttachError> {
        let mut found = self.object.progs_mut();
        let program = found.find(|program| program.name() == "choose");
        let program = program.ok_or(AttachError::Part("choose"))?;
        let link = program
            .attach_cgroup(group.as_raw_fd())
            .map_err(|error| AttachError::group(&error))?;
        self.links.push(link);
        Ok(())
    }

    /// Counts that the eBPF program in the kernel has kept so far.
    pub fn counters(&self) -> Counters {
        let word = |index| self.control.get(index);
        Counters {
            connections: word(0),
            dropped: word(1),
            torn: word(2),
            fell: word(3),
            refused: word(4),
        }
    }

    /// Takes the kernel's messages and writes the law's answers until `stop` is set; then returns counts of the
    /// messages. `hear` is called with each message that has an answer, and the answer. [`AttachError::Listen`] if the
    /// messages cannot be read.
    pub fn run(
        &self,
        stop: &AtomicBool,
        hear: &mut dyn FnMut(&Message, &Answer),
    ) -> Result<Heard, AttachError> {
        let heard: Rc<RefCell<Vec<Message>>> = Rc::default();
        let into = Rc::clone(&heard);
        let messages = map(&self.object, "messages")?;
        let mut builder = RingBufferBuilder::new();
        builder
            .add(&messages, move |bytes| {
                into.borrow_mut().extend(Message::read(bytes));
                0
            })
            .map_err(|error| AttachError::load(&error))?;
        let ring = builder.build().map_err(|error| AttachError::load(&error))?;
        let mut agent = Agent::new(self.law.clone());
        let mut pulse = Pulse::new();
        while !stop.load(Ordering::Relaxed) {
            let listened = if pulse.quiet {
                thread::sleep(NAP);
                ring.consume()
            } else {
                ring.poll(WAIT)
            };
            match listened {
                Err(error) if error.kind() != ErrorKind::Interrupted => {
                    return Err(AttachError::Listen(error.to_string()));
                }
                _ => {}
            }
            let mut batch = heard.borrow_mut();
            agent.take(&batch, &mut |slot, message, answer| {
                self.answers.set(slot as usize * WORDS, &answer.words());
                hear(message, answer);
            });
            pulse.count(batch.len() as u64);
            batch.clear();
            if let Some(quiet) = pulse.decide() {
                let word = self.control.get(SETTINGS + 1);
                let word = word & !u64::from(u32::MAX) | u64::from(quiet);
                self.control.set(SETTINGS + 1, &[word]);
            }
        }
        Ok(agent.heard())
    }
}

/// Decides whether events wake the process up, or it looks for them.
struct Pulse {
    since: Instant,
    events: u64,
    quiet: bool,
}

impl Pulse {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            events: 0,
            quiet: false,
        }
    }

    fn count(&mut self, events: u64) {
        self.events += events;
    }

    /// Change that is due, if any: whether to be quiet from now on.
    fn decide(&mut self) -> Option<bool> {
        if self.since.elapsed() < LOOK {
            return None;
        }
        let events = std::mem::take(&mut self.events);
        self.since = Instant::now();
        let quiet = events > if self.quiet { MANY / 2 } else { MANY };
        let change = quiet != self.quiet;
        self.quiet = quiet;
        change.then_some(quiet)
    }
}

/// The settings of `struct control` as words.
fn settings(law: &Law) -> [u64; CONTROL - SETTINGS] {
    let facts = law.facts();
    let mut bytes = [0; (CONTROL - SETTINGS) * 8];
    let flags = [u32::from(facts.owns_window), u32::from(law.is_paced()), 0];
    for (into, flag) in bytes.chunks_exact_mut(4).zip(flags) {
        into.copy_from_slice(&flag.to_ne_bytes());
    }
    for (into, byte) in bytes[12..27].iter_mut().zip(law.name().bytes()) {
        *into = byte;
    }
    let mut words = [0; CONTROL - SETTINGS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_ne_bytes(*bytes);
    }
    words
}

/// Writes the law's name where the object has its own.
fn rename(value: &mut [u8], name: &str) {
    const OWN: &[u8] = b"skywave\0";
    let found = value.windows(OWN.len()).position(|bytes| bytes == OWN);
    if let Some(at) = found {
        let into = value[at..].iter_mut().take(16);
        for (into, byte) in into.zip(name.bytes().chain(std::iter::repeat(0))) {
            *into = byte;
        }
    }
}

fn map<'a>(object: &'a Object, name: &'static str) -> Result<Map<'a>, AttachError> {
    let found = object.maps().find(|map| map.name() == name);
    found.ok_or(AttachError::Part(name))
}

fn map_mut<'a>(object: &'a mut Object, name: &'static str) -> Result<MapMut<'a>, AttachError> {
    let found = object.maps_mut().find(|map| map.name() == name);
    found.ok_or(AttachError::Part(name))
}

impl AttachError {
    fn load(error: &Error) -> Self {
        Self::Load {
            rights: is_rights(error),
            what: format!("{error:#}"),
        }
    }

    fn attach(error: &Error, name: &str) -> Self {
        match error.kind() {
            ErrorKind::AlreadyExists => Self::Taken(name.to_owned()),
            _ => Self::load(error),
        }
    }

    fn group(error: &Error) -> Self {
        Self::Group(format!("{error:#}"))
    }
}

fn is_rights(error: &Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied
}

impl From<io::Error> for AttachError {
    fn from(error: io::Error) -> Self {
        Self::Listen(error.to_string())
    }
}
