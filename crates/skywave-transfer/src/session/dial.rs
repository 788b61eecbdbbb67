//! The side that connects: to a host with several addresses maybe, again and again until the work is
//! done.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use noq::{Endpoint, RecvStream, SendStream};
use skywave_wire::key::PublicKey;
use skywave_wire::name::shown;
use tokio::net::lookup_host;
use tokio::time::{sleep, timeout};

use super::pulse::Pulse;
use super::{Crew, Session};
use crate::auth::code::Code;
use crate::auth::prove::{self, Sides};
use crate::auth::tls::{self, Peers};
use crate::error::{Broken, Error};
use crate::event::Event;
use crate::network::{self, DEADLINE};
use crate::wire::close::Close;
use crate::wire::frame::{read, send};
use crate::wire::message::{Hello, Ready, Request};
use crate::{Dial, Host, Proof};

/// How long an address may need to answer before the next one is tried, at first; twice as long each
/// time, since a lossy path takes several packets for a handshake.
const FIRST_TRY: Duration = Duration::from_secs(4);
const LONGEST_TRY: Duration = Duration::from_secs(32);
/// Between two rounds, when all addresses fail at once.
const PAUSE: Duration = Duration::from_millis(500);
/// The same, after connections that brought nothing.
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
    };
    tokio::select! {
        done = attempts.run(work) => done,
        away = pulse.end(&dial.to, dial.wait, dial.patience) => Err(away),
    }
}

struct Attempts<'a> {
    host: &'a Host,
    dial: &'a Dial,
    request: Request,
    pulse: Arc<Pulse>,
    /// The peer's key: with a code, it is known after the first connection, and the code is used up.
    key: Option<PublicKey>,
}

impl Attempts<'_> {
    async fn run<T>(
        mut self,
        mut work: impl AsyncFnMut(&Arc<Session>, Ready) -> Result<T, Broken>,
    ) -> Result<T, Error> {
        let (mut patience, mut pause) = (FIRST_TRY, PAUSE);
        loop {
            let addresses = self.addresses().await?;
            // Of another kind of network than this host has, maybe.
            let (mut unusable, mut is_usable) = (None, self.pulse.has_answered());
            for address in addresses {
                (self.host.teller)(Event::Connecting(address));
                let tried = timeout(patience, self.connect(address)).await;
                is_usable |= !matches!(tried, Ok(Err(Failed::Unusable(_))));
                let (endpoint, session, ready) = match tried {
                    Ok(Ok(connected)) => connected,
                    Ok(Err(Failed::Error(error))) => return Err(error),
                    Ok(Err(Failed::Unusable(error))) => {
                        unusable = Some(error);
                        continue;
                    }
                    Ok(Err(Failed::Broken(broken))) => {
                        self.judge(&broken)?;
                        continue;
                    }
                    Err(_) => continue,
                };
                self.key = Some(session.peer);
                self.pulse.answer();
                patience = FIRST_TRY;
                (self.host.teller)(Event::Connected(session.peer, address));
                let before = self.pulse.last();
                match session.with_peer(work(&session, ready)).await {
                    Ok(done) => {
                        Close::Done.close(&session.connection);
                        // The peer finds out by itself if it does not hear it.
                        let _ = timeout(FAREWELL, endpoint.wait_idle()).await;
                        return Ok(done);
                    }
                    Err(broken) => {
                        if let Some(error) = broken.fatal() {
                            Close::Nonsense.close(&session.connection);
                            return Err(error);
                        }
                        Close::Gone.close(&session.connection);
                        // A peer that answers and brings nothing is asked less and less often.
                        pause = if self.pulse.last() > before {
                            PAUSE
                        } else {
                            LONGEST_PAUSE.min(pause * 2)
                        };
                        (self.host.teller)(Event::Lost(shown(&broken.to_string())));
                    }
                }
            }
            if let (Some(error), false) = (unusable, is_usable) {
                return Err(error);
            }
            sleep(pause).await;
            patience = LONGEST_TRY.min(patience * 2);
        }
    }

    /// What is fatal. Before anybody has shown who it is, an answer may be somebody else's: it ends only
    /// the first attempt to connect.
    fn judge(&self, broken: &Broken) -> Result<(), Error> {
        match broken.fatal() {
            Some(error) if !self.pulse.has_answered() => Err(error),
            _ => Ok(()),
        }
    }

    /// The addresses of the host, as they are now.
    async fn addresses(&self) -> Result<Vec<SocketAddr>, Error> {
        match lookup_host(&self.dial.to).await {
            Ok(found) => Ok(found.collect()),
            // The network may be away together with who knows the name.
            Err(_) if self.pulse.has_answered() => Ok(Vec::new()),
            Err(error) => Err(Error::System(format!("{}: {error}", self.dial.to))),
        }
    }

    async fn connect(&self, to: SocketAddr) -> Result<(Endpoint, Arc<Session>, Ready), Failed> {
        let peers = match self.key {
            Some(key) => Peers::Keys([key].into()),
            None => Peers::Everybody,
        };
        let gives = matches!(self.request, Request::Push(_));
        let (config, one_way) =
            network::client(&self.host.secret, peers, &self.host.sending, gives)?;
        let wire = network::endpoint(network::local_for(to)).map_err(Failed::Unusable)?;
        let endpoint = wire.endpoint.clone();
        let connecting = endpoint.connect_with(config, to, "skywave");
        let connecting = connecting
            .map_err(|error| Failed::Unusable(Error::System(format!("{to}: {error}"))))?;
        let connection = connecting.await.map_err(Broken::from)?;
        let peer = tls::peer(&connection).ok_or(Broken::Nonsense)?;
        let (mut sender, mut stream) = connection.open_bi().await.map_err(Broken::from)?;
        match &self.dial.proof {
            Proof::Code(code) if self.key.is_none() => {
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
        let desk = Crew::new().desk(peer, to.ip());
        let session = Session::new(wire, (connection, one_way), peer, teller, pulse, desk);
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

/// Why an attempt to connect failed.
enum Failed {
    Broken(Broken),
    Error(Error),
    /// This host cannot send to the address; another one of the peer's may do.
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
