//! Stateless resets (RFC 9000 section 10.3), which a host that was started again sends to those who go on with
//! connections of before, so that they connect again at once instead of after some time of silence.
//!
//! The reset is believed since its token comes out of the host's secret key and of the connection's number, which the
//! same host recognises. Two processes of a host have two ports, so that neither can be used to end connections of the
//! other one.

use std::sync::Arc;
use std::time::Duration;

use crate::key::SecretKey;
use noq::{ConnectionId, ConnectionIdGenerator, EndpointConfig, InvalidCid};
use ring::hmac;

/// Random bytes of a connection's number. So many that none comes twice: a reset shows the token of its number.
const RANDOM: usize = 5;
/// Bytes by which the host recognises it, so that other packets are not answered.
const MARK: usize = 3;

/// Makes numbers of connections.
struct Ids([u8; 32]);

impl Ids {
    fn mark(&self, random: &[u8]) -> [u8; MARK] {
        let [a, b, c, ..] = *blake3::keyed_hash(&self.0, random).as_bytes();
        [a, b, c]
    }
}

impl ConnectionIdGenerator for Ids {
    fn generate_cid(&mut self) -> ConnectionId {
        let mut bytes = [0; RANDOM + MARK];
        let (random, mark) = bytes.split_at_mut(RANDOM);
        // A system without random numbers would not have come so far.
        let _ = getrandom::fill(random);
        mark.copy_from_slice(&self.mark(random));
        ConnectionId::new(&bytes)
    }

    fn validate(&self, id: ConnectionId) -> Result<(), InvalidCid> {
        match id.split_at_checked(RANDOM) {
            Some((random, mark)) if mark == self.mark(random) => Ok(()),
            _ => Err(InvalidCid),
        }
    }

    fn cid_len(&self) -> usize {
        RANDOM + MARK
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// The configuration of an endpoint of this host at this port, the same each time that it is started.
pub(crate) fn config(secret: &SecretKey, port: u16) -> EndpointConfig {
    let derived = |context| {
        let mut hasher = blake3::Hasher::new_derive_key(context);
        hasher.update(secret.as_bytes()).update(&port.to_be_bytes());
        *hasher.finalize().as_bytes()
    };
    let key = hmac::Key::new(hmac::HMAC_SHA256, &derived("skywave 1 stateless reset"));
    let ids = derived("skywave 1 connection ids");
    let mut config = EndpointConfig::new(Arc::new(key));
    config.cid_generator(Arc::new(move || Box::new(Ids(ids))));
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_recognises_its_numbers_and_no_others() {
        let mut ids = Ids([1; 32]);
        let id = ids.generate_cid();
        assert!(Ids([1; 32]).validate(id).is_ok());
        assert!(Ids([2; 32]).validate(id).is_err());
        for n in 0..id.len() {
            let mut other = id.to_vec();
            other[n] ^= 1;
            assert!(ids.validate(ConnectionId::new(&other)).is_err());
        }
        assert!(ids.validate(ConnectionId::new(&id[..4])).is_err());
        assert_ne!(ids.generate_cid(), id);
    }
}
