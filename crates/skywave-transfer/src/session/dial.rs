//! The side that connects: to a host with several addresses maybe, again and again until the work is
//! done.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::key::PublicKey;
use crate::name::shown;
use noq::{Endpoint, PathId, RecvStream, SendStream};
use skywave_quic::Silence;
use tokio::net::lookup_host;
use tokio::time::{sleep, timeout};

use super::memory::Share;
use super::pulse::Pulse;
use super::{Crew, Session, probe, remote};
use crate::auth::code::Code;
use crate::auth::prove::{self, Sides};
use crate::auth::tls;
use crate::error::{Broken, Error};
use crate::event::Event;
use crate::network::{self, DEADLINE, Watched};
use crate::wire::close::Close;
use crate::wire::frame::{read, send};
use crate::wire::message::{Hello, Ready, Request};
use crate::{Allowed, Dial, Host, Proof, address};

/// How long an address may need to answer before the next one is tried, at first; twice as long each
/// time, since a lossy path takes several packets for a handshake.
const FIRST_TRY: Duration = Duration::from_secs(4);
const LONGEST_TRY: Duration = Duration::from_secs(32);
/// So many round trips once they are known, and at least this long: a host that was started again is found soon.
const TRIES_RTT: u32 = 8;
const SHORTEST_TRY: Duration = Duration::from_secs(2);
/// Pause between two rounds, when all addresses fail at once.
const PAUSE: Duration = Duration::from_millis(500);
/// Longest pause between two rounds, after connections that brought nothing.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// How long to wait until the peer has heard that all is done.
const FAREWELL: Duration = Duration::from_secs(3);

/// Connects and does the work; again, when the connection breaks, until it is done or there was no
/// progress for too long.
pub(crate) async fn dial<T>(
    host: &Host,
    dial: &Dial,
    request: Request,
    work: impl AsyncFnMut(&Arc<Session>, Ready) -> Result<T, Broken>,
) -> Result<T, Error> {
    let pulse = Arc::new(Pulse::new());
    let attempts = Attempts {
        host,
        dial,
        request,
        pulse: pulse.clone(),
        key: match &dial.proof {
            Proof::Key(key) => Some(*key),
            Proof::Code(_) => None,
        },
        rtt: None,
        by_code: AtomicBool::new(matches!(dial.proof, Proof::Code(_))),
    };
    tokio::select! {
        done = attempts.run(work) => done,
        away = pulse.end(&dial.to, dial.wait, dial.patience) => Err(away),
    }
}

/// Why a connection is given up that is not lost yet.
const SILENT: &str = "the peer was silent there, and answers anew";

/// A connection, and what the peer said first.
type Connected = (Endpoint, Arc<Session>, Ready);

struct Attempts<'a> {
    host: &'a Host,
    dial: &'a Dial,
    request: Request,
    pulse: Arc<Pulse>,
    /// The peer's key: with a code, it is known after the first connection.
    key: Option<PublicKey>,
    /// Round-trip time of the connection before.
    rtt: Option<Duration>,
    /// Show that this host knows the code, rather than its key.
    by_code: AtomicBool,
}

impl Attempts<'_> {
    async fn run<T>(
        mut self,
        mut work: impl AsyncFnMut(&Arc<Session>, Ready) -> Result<T, Broken>,
    ) -> Result<T, Error> {
        let mut pause = PAUSE;
        let mut connected = self.reach().await?;
        loop {
            let (endpoint, session, ready) = connected;
            let _leave = Leave(session.connection.clone());
            self.key = Some(session.peer);
            self.by_code.store(false, Ordering::Relaxed);
            self.pulse.answer();
            let at = remote(&session.connection);
            (self.host.teller)(Event::Connected(session.peer, at));
            let before = self.pulse.last();
            let work = work(&session, ready);
            let done = session.with_peer(work, async || self.reach().await).await;
            self.rtt = session.connection.rtt(PathId::ZERO);
            let (lost, anew) = match done {
                Ok(Ok(done)) => {
                    Close::Done.close(&session.connection);
                    // The peer finds out by itself if it does not hear it.
                    let _ = timeout(FAREWELL, endpoint.wait_idle()).await;
                    return Ok(done);
                }
                Ok(Err(broken)) => {
                    if let Some(error) = broken.fatal() {
                        Close::Nonsense.close(&session.connection);
                        return Err(error);
                    }
                    (shown(&broken.to_string()), None)
                }
                Err(anew) => (SILENT.to_owned(), Some(anew?)),
            };
            Close::Gone.close(&session.connection);
            (self.host.teller)(Event::Lost(lost));
            connected = if let Some(anew) = anew {
                anew
            } else {
                // A peer that answers and brings nothing is asked less and less often.
                pause = if self.pulse.last() > before {
                    PAUSE
                } else {
                    LONGEST_PAUSE.min(pause * 2)
                };
                sleep(pause).await;
                self.reach().await?
            };
        }
    }

    /// Tries the host's addresses until one answers.
    async fn reach(&self) -> Result<Connected, Error> {
        let known = |rtt: Duration| (TRIES_RTT * rtt).clamp(SHORTEST_TRY, LONGEST_TRY);
        let mut patience = self.rtt.map_or(FIRST_TRY, known);
        loop {
            let addresses = self.addresses().await;
            // Of another kind of network than this host has, maybe.
            let mut is_usable = addresses.is_empty() || self.pulse.has_answered();
            let mut unusable = None;
            for address in addresses {
                (self.host.teller)(Event::Connecting(address));
                let failed = match self.attempt(address, patience).await {
                    Ok(connected) => return Ok(connected),
                    Err(failed) => failed,
                };
                is_usable |= !matches!(failed, Failed::Unusable(_));
                match failed {
                    Failed::Silent => {}
                    Failed::Error(error) => return Err(error),
                    Failed::Unusable(error) => unusable = Some(error),
                    Failed::Broken(broken) => self.judge(&broken)?,
                }
            }
            if let (Some(error), false) = (unusable, is_usable) {
                return Err(error);
            }
            sleep(PAUSE).await;
            if self.rtt.is_none() {
                patience = LONGEST_TRY.min(patience * 2);
            }
        }
    }

    /// Tries an address as long as it answers. One that does not is given up after some time, sooner if the system
    /// knows why.
    async fn attempt(&self, to: SocketAddr, first: Duration) -> Result<Connected, Failed> {
        let wire = network::endpoint(network::local_for(to)).map_err(Failed::Unusable)?;
        let connecting = self.connect(&wire, to);
        let trouble = probe::trouble(to);
        tokio::pin!(connecting, trouble);
        let mut is_troubled = false;
        let mut patience = Patience::new(first, Instant::now());
        loop {
            tokio::select! {
                connected = &mut connecting => return connected,
                error = &mut trouble, if !is_troubled => {
                    is_troubled = true;
                    self.tell_trouble(&format!("{to}: {error}"));
                    patience.left /= 4;
                }
                () = sleep(Silence::LOOK) => {
                    if patience.ends(wire.watch.datagrams(), Instant::now()) {
                        return Err(Failed::Silent);
                    }
                }
            }
        }
    }

    fn tell_trouble(&self, why: &str) {
        if self.pulse.trouble(why) {
            (self.host.teller)(Event::Trouble(shown(why)));
        }
    }

    /// Judges whether an error is fatal. Before anybody has shown who it is, an answer may be somebody
    /// else's: it ends only the first attempt to connect.
    fn judge(&self, broken: &Broken) -> Result<(), Error> {
        let Some(error) = broken.fatal() else {
            return Ok(());
        };
        match (&self.dial.proof, &error) {
            // It was started again and knows this host no more, but maybe the code.
            (Proof::Code(_), Error::WantsCode) if !self.by_code.load(Ordering::Relaxed) => {
                self.by_code.store(true, Ordering::Relaxed);
            }
            // Only who has the key that is expected says so.
            (Proof::Code(_), Error::WrongCode | Error::NoCode) => return Err(error),
            _ if !self.pulse.has_answered() => return Err(error),
            _ => {}
        }
        Ok(())
    }

    /// The addresses of the host, as they are now; none if nobody knows.
    async fn addresses(&self) -> Vec<SocketAddr> {
        let found = async {
            Ok::<_, io::Error>(match address(&self.dial.to)? {
                Some(address) => vec![address],
                None => lookup_host(&self.dial.to).await?.collect(),
            })
        };
        found.await.unwrap_or_else(|error| {
            // The network may be away together with who knows the name.
            self.tell_trouble(&format!("{}: {error}", self.dial.to));
            Vec::new()
        })
    }

    async fn connect(&self, wire: &Watched, to: SocketAddr) -> Result<Connected, Failed> {
        let peers = match self.key {
            Some(key) => Allowed::Keys([key].into()),
            None => Allowed::Everybody,
        };
        let gives = matches!(self.request, Request::Push(_));
        let (config, one_way) =
            network::client(&self.host.secret, peers, &self.host.sending, gives)?;
        let endpoint = wire.endpoint.clone();
        let connecting = endpoint.connect_with(config, to, "skywave");
        let connecting = connecting
            .map_err(|error| Failed::Unusable(Error::System(format!("{to}: {error}"))))?;
        let connection = connecting.await.map_err(Broken::from)?;
        let peer = tls::peer(&connection).ok_or(Broken::Nonsense)?;
        let (mut sender, mut stream) = connection.open_bi().await.map_err(Broken::from)?;
        match &self.dial.proof {
            Proof::Code(code) if self.by_code.load(Ordering::Relaxed) => {
                self.prove(&connection, (&mut sender, &mut stream), code, peer)
                    .await?;
            }
            _ => send(&mut sender, &Hello::Key).await?,
        }
        send(&mut sender, &self.request).await?;
        let ready = timeout(DEADLINE, read(&mut stream))
            .await
            .map_err(|_| Broken::Late)??;
        let (teller, pulse) = (self.host.teller.clone(), self.pulse.clone());
        let connected = (connection, one_way);
        // Nobody else has a share of its memory.
        let own = (Crew::new().desk(peer, to.ip()), Arc::new(Share::new(0)));
        let session = Session::new(wire.clone(), connected, peer, teller, pulse, own);
        Ok((endpoint, session, ready))
    }

    async fn prove(
        &self,
        connection: &noq::Connection,
        streams: (&mut SendStream, &mut RecvStream),
        code: &Code,
        server: PublicKey,
    ) -> Result<(), Failed> {
        let sides = Sides {
            client: self.host.secret.public(),
            server,
        };
        let proven = prove::as_client(connection, streams, code, sides);
        let proven = timeout(DEADLINE, proven)
            .await
            .map_err(|_| Broken::Late)??;
        if !proven {
            Close::WrongCode.close(connection);
            return Err(Failed::Error(Error::WrongCode));
        }
        Ok(())
    }
}

/// Tells the peer that the work has ended, unless the connection was closed for another reason before.
struct Leave(noq::Connection);

impl Drop for Leave {
    fn drop(&mut self) {
        Close::Ended.close(&self.0);
    }
}

/// How long an attempt goes on: as long as there are answers.
struct Patience {
    /// How long there may be none from the start on.
    first: Duration,
    /// How long there may be none now.
    left: Duration,
    /// Datagrams that have come.
    heard: u64,
    /// When the last of them was noticed.
    since: Instant,
}

impl Patience {
    fn new(first: Duration, now: Instant) -> Self {
        Self {
            first,
            left: first,
            heard: 0,
            since: now,
        }
    }

    /// Whether the attempt is over at `now`, until when so many datagrams have come.
    fn ends(&mut self, datagrams: u64, now: Instant) -> bool {
        if datagrams > self.heard {
            // It is there. On a slow path, what it says takes time.
            (self.heard, self.since) = (datagrams, now);
            self.left = LONGEST_TRY.min(4 * self.first);
        }
        now.duration_since(self.since) > self.left
    }
}

/// Why an attempt to connect failed.
enum Failed {
    /// No answer came.
    Silent,
    Broken(Broken),
    Error(Error),
    /// The address is one that this host cannot send to; another one of the peer's may do.
    Unusable(Error),
}

impl From<Broken> for Failed {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When an attempt ends to which datagrams come at these milliseconds; none if not in two minutes.
    fn end(first: Duration, answers: &[u64]) -> Option<Duration> {
        let began = Instant::now();
        let mut patience = Patience::new(first, began);
        let looks = (0..).map(|n| n * Silence::LOOK);
        let mut looks = looks.take_while(|&passed| passed < Duration::from_secs(120));
        looks.find(|&passed| {
            let came = answers
                .iter()
                .filter(|&&at| u128::from(at) <= passed.as_millis());
            patience.ends(came.count() as u64, began + passed)
        })
    }

    #[test]
    fn a_handshake_goes_on_while_answers_come() {
        // Over 9.6 kb/s a datagram of 1200 bytes takes a second, and their handshake seven of them and their acks.
        let second = |n: u64| 1000 * n + 400;
        let slow: Vec<u64> = [3, 4, 7, 11, 20, 34, 49, 64, 79, 94, 109]
            .map(second)
            .to_vec();
        assert_eq!(end(FIRST_TRY, &slow), None);
        let ended = end(FIRST_TRY, &slow[..4]).unwrap();
        assert!(ended > Duration::from_millis(slow[3]) + 4 * FIRST_TRY);
    }

    #[test]
    fn silence_ends_an_attempt_soon() {
        let ended = end(FIRST_TRY, &[]).unwrap();
        assert!(ended > FIRST_TRY && ended <= FIRST_TRY + 2 * Silence::LOOK);
        // Answers make a longer wait no longer still.
        let ended = end(LONGEST_TRY, &[1000]).unwrap();
        assert!(ended <= LONGEST_TRY + Duration::from_secs(1) + 2 * Silence::LOOK);
    }
}
