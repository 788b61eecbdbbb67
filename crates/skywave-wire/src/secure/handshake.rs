//! Noise IK: the initiator knows the responder's public key beforehand, the responder learns the
//! initiator's. One round trip; both are sure of each other after it.

use snow::{Builder, HandshakeState, StatelessTransportState};

use super::packet::{COOKIE, FIRST, SECOND, TAG};
use crate::key::{PublicKey, SecretKey};

const PATTERN: &str = "Noise_IK_25519_ChaChaPoly_BLAKE2s";
/// Separates this protocol from others that use the same keys; the cookie follows, which makes each
/// first message good for one address and a short time.
const PROLOGUE: &[u8] = b"skywave wtcp 1";

/// A message that is not from the peer, or not for this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotAuthentic;

/// The side that connects, after its first message.
pub(crate) struct Initiator(HandshakeState);

/// Seals and opens packets, once the handshake is done.
pub(crate) struct Sealer(StatelessTransportState);

impl Initiator {
    /// Begins; the first message is for the host of this public key.
    pub(crate) fn begin(
        secret: &SecretKey,
        peer: &PublicKey,
        cookie: [u8; COOKIE],
    ) -> (Self, [u8; FIRST]) {
        let (ours, theirs, prologue) = (secret.x25519(), peer.x25519(), prologue(cookie));
        let state = builder(&ours, &prologue)
            .remote_public_key(&theirs)
            .and_then(Builder::build_initiator);
        let mut state = state.expect("all that IK needs is given");
        let mut message = [0; FIRST];
        // With some keys no secret can be agreed. Nobody has such a key, so nobody will answer.
        let _ = state.write_message(&[], &mut message);
        (Self(state), message)
    }

    /// Reads the answer: the number by which the peer knows the connection. One that is not the peer's
    /// changes nothing.
    pub(crate) fn read(&mut self, message: &[u8; SECOND]) -> Result<u32, NotAuthentic> {
        let mut id = [0; SECOND];
        let read = self.0.read_message(message, &mut id);
        if read.map_err(|_| NotAuthentic)? != 4 {
            return Err(NotAuthentic);
        }
        Ok(u32::from_be_bytes([id[0], id[1], id[2], id[3]]))
    }

    /// The [`Sealer`], once the answer is read.
    pub(crate) fn into_sealer(self) -> Result<Sealer, NotAuthentic> {
        Sealer::of(self.0)
    }
}

/// The side that is connected to, after the first message.
pub(crate) struct Responder(HandshakeState);

impl Responder {
    /// Reads the first message: who is it from?
    pub(crate) fn begin(
        secret: &SecretKey,
        cookie: [u8; COOKIE],
        message: &[u8; FIRST],
    ) -> Result<(Self, PublicKey), NotAuthentic> {
        let (ours, prologue) = (secret.x25519(), prologue(cookie));
        let state = builder(&ours, &prologue).build_responder();
        let mut state = state.expect("all that IK needs is given");
        let mut nothing = [0; FIRST];
        let read = state.read_message(message, &mut nothing);
        if read.map_err(|_| NotAuthentic)? != 0 {
            return Err(NotAuthentic);
        }
        let peer = state
            .get_remote_static()
            .and_then(|key| key.try_into().ok());
        let peer = PublicKey::from_x25519(peer.ok_or(NotAuthentic)?);
        Ok((Self(state), peer.map_err(|_| NotAuthentic)?))
    }

    /// Answers with the number by which this host knows the connection.
    pub(crate) fn finish(mut self, id: u32) -> Result<(Sealer, [u8; SECOND]), NotAuthentic> {
        let mut message = [0; SECOND];
        let written = self.0.write_message(&id.to_be_bytes(), &mut message);
        if written.map_err(|_| NotAuthentic)? != SECOND {
            return Err(NotAuthentic);
        }
        Ok((Sealer::of(self.0)?, message))
    }
}

impl Sealer {
    fn of(state: HandshakeState) -> Result<Self, NotAuthentic> {
        let transport = state.into_stateless_transport_mode();
        transport.map(Self).map_err(|_| NotAuthentic)
    }

    /// Writes the sealed `packet` to the end of `out`. A number must never be used twice.
    pub(crate) fn seal(&self, counter: u64, packet: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + packet.len() + TAG, 0);
        let sealed = self.0.write_message(counter, packet, &mut out[start..]);
        sealed.expect("there is room, and packets are short");
    }

    /// Replaces `out` by what `sealed` has in it.
    pub(crate) fn open(
        &self,
        counter: u64,
        sealed: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), NotAuthentic> {
        out.clear();
        out.resize(sealed.len(), 0);
        let read = self.0.read_message(counter, sealed, out);
        out.truncate(read.map_err(|_| NotAuthentic)?);
        Ok(())
    }
}

fn prologue(cookie: [u8; COOKIE]) -> Vec<u8> {
    [PROLOGUE, &cookie].concat()
}

fn builder<'a>(secret: &'a [u8; 32], prologue: &'a [u8]) -> Builder<'a> {
    let params = PATTERN.parse().expect("a pattern that snow knows");
    let builder = Builder::new(params).prologue(prologue);
    let builder = builder.and_then(|b| b.local_private_key(secret));
    builder.expect("each is given once")
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: SecretKey = SecretKey::from_bytes([1; 32]);
    const B: SecretKey = SecretKey::from_bytes([4; 32]);
    const COOKIE_OF_A: [u8; COOKIE] = [5; COOKIE];

    #[test]
    fn both_sides_know_each_other_and_can_talk() {
        let (mut a, first) = Initiator::begin(&A, &B.public(), COOKIE_OF_A);
        let (b, peer) = Responder::begin(&B, COOKIE_OF_A, &first).unwrap();
        assert_eq!(peer, A.public());
        let (b, second) = b.finish(77).unwrap();
        let mut forged = second;
        forged[50] ^= 1;
        assert_eq!(a.read(&forged), Err(NotAuthentic));
        assert_eq!(a.read(&second), Ok(77), "whatever came before");
        let a = a.into_sealer().unwrap();
        let (mut sealed, mut open) = (Vec::new(), Vec::new());
        a.seal(9, b"hello", &mut sealed);
        assert_eq!(b.open(9, &sealed, &mut open), Ok(()));
        assert_eq!(open, b"hello");
        assert_eq!(b.open(8, &sealed, &mut open), Err(NotAuthentic));
        assert_eq!(a.open(9, &sealed, &mut open), Err(NotAuthentic), "its own");
        sealed[0] ^= 1;
        assert_eq!(b.open(9, &sealed, &mut open), Err(NotAuthentic));
        assert_eq!(b.open(9, &[], &mut open), Err(NotAuthentic));
    }

    #[test]
    fn a_first_message_is_for_one_host_and_one_cookie() {
        let (_, first) = Initiator::begin(&A, &B.public(), COOKIE_OF_A);
        assert!(Responder::begin(&A, COOKIE_OF_A, &first).is_err());
        assert!(Responder::begin(&B, [6; COOKIE], &first).is_err());
    }

    #[test]
    fn an_answer_is_the_named_host_s() {
        let c = SecretKey::from_bytes([6; 32]);
        let (mut a, first) = Initiator::begin(&A, &B.public(), COOKIE_OF_A);
        assert!(Responder::begin(&c, COOKIE_OF_A, &first).is_err());
        let (b, _) = Responder::begin(&B, COOKIE_OF_A, &first).unwrap();
        let (_, mut second) = b.finish(1).unwrap();
        second[40] ^= 1;
        assert!(a.read(&second).is_err());
    }

    #[test]
    fn nonsense_does_no_harm() {
        assert!(Responder::begin(&B, COOKIE_OF_A, &[0; FIRST]).is_err());
        assert!(Responder::begin(&B, COOKIE_OF_A, &[255; FIRST]).is_err());
    }
}
