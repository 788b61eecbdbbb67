//! Runs that are made on a Dask cluster, or shared in a store: Python does both, in the run directories that the
//! command then goes on with.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use skywave_lab::experiment::ENGINE;

use crate::failure::Failure;
use crate::interrupt;
use crate::keep::Keep;

/// The environment variable that names the Python to use. The command of the Python package sets it.
const PYTHON: &str = "SKYWAVE_PYTHON";

/// Calls the part of the package that does it, or says what is missing.
const PROGRAM: &str = "\
import sys
if sys.path[:1] == ['']:
    del sys.path[0]
try:
    from skywave._handover import main
except ImportError as error:
    sys.exit(
        'skywave: --dask and --store need the Python package skywave of this version, and '
        f'{sys.executable} has none: {error}. Install it there with '
        \"`pip install 'skywave[dask]'`, or name another Python in SKYWAVE_PYTHON\"
    )
sys.exit(main(sys.argv[1:]))
";

/// Exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Where runs are made and shared, if not here alone.
#[derive(Debug, clap::Args)]
pub(crate) struct Elsewhere {
    /// Have the runs made by the workers of a Dask scheduler, such as tcp://HOST:8786. Needs Python with
    /// `pip install 'skywave[dask]'`.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "threads")]
    dask: Option<String>,

    /// Share results in a folder, or in what fsspec reaches, such as s3://BUCKET/skywave: what is there is not
    /// run. Needs Python with `pip install 'skywave[store]'`.
    #[arg(long, value_name = "PLACE")]
    store: Option<String>,
}

impl Elsewhere {
    /// Has Python make the runs of a verb, with its own `arguments`, if the user wants that. The results are then
    /// in the run directories, and what is left of them to make after Ctrl-C is not made.
    ///
    /// Gives what remains of `keep`: results of which some are new must not be forgotten.
    pub(crate) fn make(
        &self,
        verb: &str,
        what: &OsStr,
        arguments: &[&str],
        keep: &Keep,
    ) -> Result<Keep, Failure> {
        if self.dask.is_none() && self.store.is_none() {
            return Ok(keep.clone());
        }
        let mut all: Vec<OsString> = [verb.as_ref(), what].map(OsStr::to_owned).to_vec();
        let mut option = |name: &str, value: &OsStr| {
            // As one argument, a value may begin with a dash.
            let mut argument = OsString::from(format!("--{name}="));
            argument.push(value);
            all.push(argument);
        };
        option("engine", ENGINE.as_ref());
        option("out", keep.out.as_os_str());
        if let Some(address) = &self.dask {
            option("dask", address.as_ref());
        }
        if let Some(place) = &self.store {
            option("store", place.as_ref());
        }
        if let Some(threads) = keep.threads() {
            option("threads", threads.to_string().as_ref());
        }
        if keep.fresh {
            all.push("--fresh".into());
        }
        all.extend(arguments.iter().map(OsString::from));
        let status = call(&all)?;
        match status.code() {
            Some(0) => {}
            Some(INTERRUPTED) => interrupt::flag().store(true, Ordering::SeqCst),
            code => {
                let code = code.and_then(|code| u8::try_from(code).ok());
                return Err(Failure::silent(code.unwrap_or(1)));
            }
        }
        let mut left = keep.clone();
        left.fresh = false;
        Ok(left)
    }
}

/// Calls Python and waits for its end.
fn call(arguments: &[OsString]) -> Result<ExitStatus, Failure> {
    let python = std::env::var_os(PYTHON).filter(|python| !python.is_empty());
    let python = python.unwrap_or_else(|| "python3".into());
    let failed = |error: io::Error| {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "there is no such program".to_owned(),
            _ => error.to_string(),
        };
        Failure::failed(format!(
            "{}: {why}; --dask and --store need Python with `pip install 'skywave[dask]'`: expected it as `python3`, or its name in SKYWAVE_PYTHON",
            python.display()
        ))
    };
    let mut command = Command::new(&python);
    command.arg("-c").arg(PROGRAM).args(arguments);
    // It ends when its input does. So it hears of Ctrl-C once, and from here, and does not outlive this process.
    command.stdin(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let stop = interrupt::flag();
    let mut child = command.spawn().map_err(failed)?;
    wait(&mut child, || stop.load(Ordering::Relaxed)).map_err(failed)
}

/// Waits for the end of a process, whose input ends when `stopped` says so.
fn wait(child: &mut Child, stopped: impl Fn() -> bool) -> io::Result<ExitStatus> {
    let mut input = child.stdin.take();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stopped() {
            drop(input.take());
        }
        thread::sleep(Duration::from_millis(50));
    }
}
