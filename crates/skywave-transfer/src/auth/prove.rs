//! Both sides show each other that they know the same code, without telling it (SPAKE2, RFC 9382's
//! predecessor as Magic Wormhole uses it), and that it is one TLS connection that they have.
//!
//! The key that SPAKE2 gives is the same on both sides if the codes are. Each side confirms it together
//! with the exporter of TLS (RFC 8446 section 7.5), which differs on the two connections of somebody in
//! the middle: who relays the messages learns nothing and is found out. The side that connects confirms
//! first, so that a stranger who connects learns whether a guess was right only from the answer to it,
//! and each guess is counted.

use crate::key::PublicKey;
use noq::{Connection, RecvStream, SendStream};
use spake2::{Ed25519Group, Identity, Password, Spake2};

use super::code::Code;
use crate::error::Broken;
use crate::wire::frame::{read, send};
use crate::wire::message::{Confirm, Hello, Share};

const EXPORTER: &[u8] = b"EXPORTER-skywave-code-1";
const CLIENT: &str = "skywave 1 code, the side that connects";
const SERVER: &str = "skywave 1 code, the side that listens";

/// The two sides.
#[derive(Clone, Copy)]
pub(crate) struct Sides {
    /// Key of the side that connected.
    pub(crate) client: PublicKey,
    /// Key of the side that listens.
    pub(crate) server: PublicKey,
}

impl Sides {
    fn identities(&self) -> (Identity, Identity) {
        (
            Identity::new(self.client.as_bytes()),
            Identity::new(self.server.as_bytes()),
        )
    }
}

/// Hashes by which the two sides confirm that they know the code.
pub(crate) struct Confirmed {
    pub(crate) client: blake3::Hash,
    pub(crate) server: blake3::Hash,
}

pub(crate) fn confirmed(key: &[u8], connection: &Connection) -> Result<Confirmed, Broken> {
    let mut channel = [0; 32];
    let exported = connection.export_keying_material(&mut channel, EXPORTER, &[]);
    exported.map_err(|_| Broken::Nonsense)?;
    let of = |side| {
        let mut hasher = blake3::Hasher::new_derive_key(side);
        hasher.update(key).update(&channel);
        hasher.finalize()
    };
    Ok(Confirmed {
        client: of(CLIENT),
        server: of(SERVER),
    })
}

/// Confirmations of the two sides: ours to send, and the peer's to expect.
pub(crate) struct Asked {
    pub(crate) ours: Confirm,
    theirs: blake3::Hash,
}

/// The side that connected asks. Until it confirms, the other one has counted no guess.
pub(crate) async fn ask(
    connection: &Connection,
    (sender, receiver): (&mut SendStream, &mut RecvStream),
    code: &Code,
    sides: Sides,
) -> Result<Asked, Broken> {
    let (a, b) = sides.identities();
    let (state, share) = Spake2::<Ed25519Group>::start_a(&Password::new(code.as_bytes()), &a, &b);
    send(sender, &Hello::Code(share)).await?;
    let Share(theirs) = read(receiver).await?;
    let key = state.finish(&theirs).map_err(|_| Broken::Nonsense)?;
    let confirmed = confirmed(&key, connection)?;
    Ok(Asked {
        ours: Confirm(confirmed.client.into()),
        theirs: confirmed.server,
    })
}

/// The side that connected. `false`: the listening one does not know the code.
pub(crate) async fn as_client(
    connection: &Connection,
    (sender, receiver): (&mut SendStream, &mut RecvStream),
    code: &Code,
    sides: Sides,
) -> Result<bool, Broken> {
    let asked = ask(connection, (&mut *sender, &mut *receiver), code, sides).await?;
    send(sender, &asked.ours).await?;
    let Confirm(theirs) = read(receiver).await?;
    // Compared in constant time.
    Ok(asked.theirs == blake3::Hash::from(theirs))
}

/// The side that listens, after the first message: what to answer if the one that connected knows the code.
pub(crate) async fn as_server(
    connection: &Connection,
    (sender, receiver): (&mut SendStream, &mut RecvStream),
    code: &Code,
    sides: Sides,
    theirs: &[u8],
) -> Result<Option<Confirm>, Broken> {
    let (a, b) = sides.identities();
    let (state, share) = Spake2::<Ed25519Group>::start_b(&Password::new(code.as_bytes()), &a, &b);
    let key = state.finish(theirs).map_err(|_| Broken::Nonsense)?;
    send(sender, &Share(share)).await?;
    let Confirm(theirs) = read(receiver).await?;
    let confirmed = confirmed(&key, connection)?;
    let is_right = confirmed.client == blake3::Hash::from(theirs);
    Ok(is_right.then(|| Confirm(confirmed.server.into())))
}
