//! A law attached, a command under it, and what was heard.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use skywave_kernel::{Answer, Attached, Counters, Group, Heard, Law, Message};
use skywave_lab::report::WriteError;
use skywave_lab::report::number::counted;
use skywave_wire::exit;
use skywave_wire::relay::urgent;

use super::Args;
use crate::failure::Failure;
use crate::interrupt;

/// The command may take this long to end by Ctrl-C itself.
const GRACE: Duration = Duration::from_secs(2);
/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

pub(super) fn main(args: &Args, law: Law) -> Result<(), Failure> {
    let name = law.name().to_owned();
    let mut record = Record::new(args)?;
    let mut attached = Attached::new(law)?;
    let stop = interrupt::flag();
    let over = AtomicBool::new(false);
    let Some((program, arguments)) = args.command.split_first() else {
        eprintln!(
            "{name} is a congestion control of this kernel until Ctrl-C: programs may choose it (iperf3 -C {name}), and \
             networks have it as their default (sysctl net.ipv4.tcp_congestion_control)"
        );
        urgent();
        let heard = attached.run(stop, &mut |message, answer| record.take(message, answer))?;
        tell(&name, heard, attached.counters());
        return record.finish();
    };
    let group = Group::new()?;
    attached.give_to(group.as_fd())?;
    let child = match group.spawn(Command::new(program).args(arguments))? {
        Ok(child) => child,
        Err(error) => {
            group.remove();
            eprintln!("skywave: {}: {error}", program.display());
            return Err(Failure::silent(exit::of_start(&error)));
        }
    };
    let (heard, status) = thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let status = wait(child, stop);
            over.store(true, Ordering::Relaxed);
            status
        });
        // The command has its own priority: it was started before.
        urgent();
        let heard = attached.run(&over, &mut |message, answer| record.take(message, answer));
        let status = waiting
            .join()
            .unwrap_or_else(|_| Err(ErrorKind::Other.into()));
        (heard, status)
    });
    if !group.remove() {
        eprintln!(
            "note: programs that the command started still run; their connections go on by Reno's rule"
        );
    }
    tell(&name, heard?, attached.counters());
    record.finish()?;
    match code(status?) {
        0 => Ok(()),
        code => Err(Failure::silent(code)),
    }
}

/// Waits for the command's end; it is told to end when this process is, unless it does by itself.
fn wait(mut child: Child, stop: &AtomicBool) -> io::Result<ExitStatus> {
    let mut told: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stop.load(Ordering::Relaxed) {
            let since = *told.get_or_insert_with(Instant::now);
            if since.elapsed() > GRACE
                && let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
            {
                // It may have ended by now.
                let _ = kill_process(pid, Signal::TERM);
            }
        }
        thread::sleep(LOOK);
    }
}

/// The exit code as a shell has it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    let signalled = status.signal().map(exit::of_signal);
    code.or(signalled).unwrap_or(1)
}

/// Says on standard error what was heard; the command's standard output is its own.
fn tell(name: &str, heard: Heard, counters: Counters) {
    eprintln!(
        "{name}: {}, {}; {} lost, {} heard late and together; {} by Reno's rule for a while",
        counted(counters.connections as usize, "connection"),
        counted(heard.messages as usize, "event"),
        counters.dropped,
        heard.merged,
        counted(counters.fell as usize, "time"),
    );
    if counters.refused > 0 {
        eprintln!(
            "note: {} more than can have the law at once went by Reno's rule",
            counted(counters.refused as usize, "connection")
        );
    }
}

/// The file of `--record`, and the first error in writing it.
struct Record<'a> {
    path: Option<&'a Path>,
    file: Option<BufWriter<File>>,
    written: io::Result<()>,
}

impl<'a> Record<'a> {
    fn new(args: &'a Args) -> Result<Self, Failure> {
        let path = args.record.as_deref();
        let file = path.map(File::create).transpose();
        let file = file.map_err(|source| failed(path, source))?;
        Ok(Self {
            path,
            file: file.map(BufWriter::new),
            written: Ok(()),
        })
    }

    fn take(&mut self, message: &Message, answer: &Answer) {
        let Some(file) = self.file.as_mut().filter(|_| self.written.is_ok()) else {
            return;
        };
        let [words @ .., _, _] = answer.words();
        let words = words.map(u64::to_ne_bytes);
        let written = file.write_all(&message.bytes());
        self.written = written.and_then(|()| file.write_all(words.as_flattened()));
    }

    fn finish(self) -> Result<(), Failure> {
        let flushed = self.file.map_or(Ok(()), |mut file| file.flush());
        let written = self.written.and(flushed);
        written.map_err(|source| failed(self.path, source))
    }
}

fn failed(path: Option<&Path>, source: io::Error) -> Failure {
    let path = path.map(Path::to_owned).unwrap_or_default();
    WriteError { path, source }.into()
}
