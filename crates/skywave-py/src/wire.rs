//! Streams over real sockets.

use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::time::{Duration, Instant};

use pyo3::exceptions::{
    PyConnectionError, PyOSError, PyRuntimeError, PyTimeoutError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use skywave_wire::endpoint::{Allowed, Config, Failed};
use skywave_wire::key::SecretKey;
use skywave_wire::node::{self, Node, Stream};

/// Between two looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(100);
/// The most bytes that one read returns, even if the caller asks for more: the size of a receiver's buffer
/// (`Config::wtcp`).
const MOST: usize = 4 << 20;

/// Something that works in the process only that made it: after a fork its thread is missing, and its locks
/// may be held for ever.
struct Own<T> {
    process: u32,
    value: Option<T>,
}

impl<T> Own<T> {
    fn new(value: T) -> Self {
        Self {
            process: std::process::id(),
            value: Some(value),
        }
    }

    fn get(&self) -> PyResult<&T> {
        let ours = self.value.as_ref();
        ours.filter(|_| self.process == std::process::id())
            .ok_or_else(|| {
                PyRuntimeError::new_err(
                    "made in another process: open nodes and streams after the fork",
                )
            })
    }
}

impl<T> Drop for Own<T> {
    fn drop(&mut self) {
        // In another process it would wait for a thread that is not there.
        if self.process != std::process::id() {
            std::mem::forget(self.value.take());
        }
    }
}

/// A new secret key, as text.
#[pyfunction]
pub(crate) fn wire_new_key() -> PyResult<String> {
    let key = SecretKey::generate();
    Ok(key
        .map_err(|error| PyOSError::new_err(error.to_string()))?
        .reveal()
        .to_string())
}

/// The public key that belongs to a secret one.
#[pyfunction]
#[pyo3(signature = (secret, /))]
pub(crate) fn wire_public_key(secret: &str) -> PyResult<String> {
    Ok(key::<SecretKey>(secret)?.public().to_string())
}

/// A socket with its connections.
#[pyclass(frozen)]
pub(crate) struct WireNode(Own<Node>);

#[pymethods]
impl WireNode {
    #[new]
    #[pyo3(signature = (address, secret, allow, limit_bps))]
    fn new(
        py: Python<'_>,
        address: &str,
        secret: &str,
        allow: Option<Vec<String>>,
        limit_bps: Option<f64>,
    ) -> PyResult<Self> {
        let secret = key(secret)?;
        let allowed = match allow {
            Some(keys) => {
                let keys = keys.iter().map(|text| key(text));
                Allowed::Keys(keys.collect::<PyResult<_>>()?)
            }
            None => Allowed::Everyone,
        };
        let config = match limit_bps {
            Some(bps) if bps > 0.0 => Config::default().limited_to(bps),
            Some(_) => return Err(PyValueError::new_err("a limit is more than 0 bit/s")),
            None => Config::default(),
        };
        let address = resolve(py, address)?;
        let node = Node::bind(address, secret, allowed, config);
        let failed = |error| PyOSError::new_err(format!("cannot listen at {address}: {error}"));
        Ok(Self(Own::new(node.map_err(failed)?)))
    }

    #[getter]
    fn address(&self) -> PyResult<String> {
        Ok(self.0.get()?.address().to_string())
    }

    #[pyo3(signature = (peer, key, timeout))]
    fn connect(
        &self,
        py: Python<'_>,
        peer: &str,
        key: &str,
        timeout: Option<f64>,
    ) -> PyResult<WireStream> {
        let (peer, key) = (resolve(py, peer)?, self::key(key)?);
        let stream = self.0.get()?.begin(peer, key).map_err(raise)?;
        let open = wait(py, timeout, |patience| {
            stream.wait_open(patience).map(|open| open.then_some(()))
        })?;
        open.ok_or_else(|| PyTimeoutError::new_err("no answer yet"))?;
        Ok(WireStream(Own::new(stream)))
    }

    #[pyo3(signature = (timeout))]
    fn accept(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<WireStream>> {
        let node = self.0.get()?;
        let stream = wait(py, timeout, |patience| node.accept(patience))?;
        Ok(stream.map(|stream| WireStream(Own::new(stream))))
    }
}

/// A connection: a stream of bytes each way.
#[pyclass(frozen)]
pub(crate) struct WireStream(Own<Stream>);

#[pymethods]
impl WireStream {
    /// Public key and address of the peer.
    #[getter]
    fn peer(&self) -> PyResult<Option<(String, String)>> {
        let peer = self.0.get()?.peer();
        Ok(peer.map(|(key, address)| (key.to_string(), address.to_string())))
    }

    /// At most `size` bytes; empty at the end of the stream, None when there is nothing in time.
    fn read<'py>(
        &self,
        py: Python<'py>,
        size: usize,
        timeout: Option<f64>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let stream = self.0.get()?;
        let mut bytes = vec![0; size.min(MOST)];
        let read = wait(py, timeout, |patience| stream.receive(&mut bytes, patience))?;
        Ok(read.map(|n| PyBytes::new(py, &bytes[..n])))
    }

    /// How many of the bytes were taken; None when there is no room in time.
    fn write(&self, py: Python<'_>, bytes: &[u8], timeout: Option<f64>) -> PyResult<Option<usize>> {
        let stream = self.0.get()?;
        wait(py, timeout, |patience| stream.send(bytes, patience))
    }

    fn close(&self) -> PyResult<()> {
        self.0.get()?.close();
        Ok(())
    }

    /// Whether the peer has everything, in time.
    fn finish(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let stream = self.0.get()?;
        let finished = wait(py, timeout, |patience| {
            stream.finish(patience).map(|sent| sent.then_some(()))
        })?;
        Ok(finished.is_some())
    }

    fn abandon(&self) -> PyResult<()> {
        self.0.get()?.abandon();
        Ok(())
    }

    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let status = self.0.get()?.status().unwrap_or_default();
        let seconds =
            |time: Option<skywave_core::Duration>| time.map(skywave_core::Duration::as_secs_f64);
        let dict = PyDict::new(py);
        dict.set_item("acknowledged", status.acknowledged)?;
        dict.set_item("delivered", status.delivered)?;
        dict.set_item("data_packets", status.data_packets)?;
        dict.set_item("retransmits", status.retransmits)?;
        dict.set_item("received_packets", status.received_packets)?;
        dict.set_item("missing_packets", status.missing_packets)?;
        dict.set_item("rtt_s", seconds(status.rtt))?;
        dict.set_item("separation_s", seconds(status.separation))?;
        dict.set_item("in_blackout", status.in_blackout)?;
        dict.set_item("blackouts", status.blackouts)?;
        dict.set_item("silence_s", status.silence.as_secs_f64())?;
        Ok(dict)
    }
}

/// Asks again and again until there is an answer or the time is over; Ctrl-C ends it.
fn wait<T: Send>(
    py: Python<'_>,
    timeout: Option<f64>,
    mut ask: impl FnMut(Duration) -> Result<Option<T>, node::Error> + Send,
) -> PyResult<Option<T>> {
    let patience = timeout.map(Duration::try_from_secs_f64).transpose();
    let patience = patience.map_err(|_| PyValueError::new_err("a timeout is 0 s or more"))?;
    let deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
    loop {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let tick = left.map_or(TICK, |left| left.min(TICK));
        if let Some(answer) = py.detach(|| ask(tick)).map_err(raise)? {
            return Ok(Some(answer));
        }
        if left == Some(Duration::ZERO) {
            return Ok(None);
        }
        py.check_signals()?;
    }
}

fn raise(error: node::Error) -> PyErr {
    let text = error.to_string();
    match error {
        node::Error::Failed(Failed::NoAnswer | Failed::Idle) => PyTimeoutError::new_err(text),
        node::Error::Failed(_) => PyConnectionError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}

fn key<K: FromStr>(text: &str) -> PyResult<K>
where
    K::Err: ToString,
{
    text.parse()
        .map_err(|error: K::Err| PyValueError::new_err(error.to_string()))
}

/// The first address of HOST:PORT.
fn resolve(py: Python<'_>, text: &str) -> PyResult<SocketAddr> {
    let found = py.detach(|| text.to_socket_addrs().map(|mut all| all.next()));
    let wrong = |why: String| {
        PyValueError::new_err(format!(
            "{text}: {why}; expected HOST:PORT, such as 127.0.0.1:4747"
        ))
    };
    let found = found.map_err(|error| wrong(error.to_string()))?;
    found.ok_or_else(|| wrong("no address of this name".to_owned()))
}
