//! Sessions and keys as quinn wants them.

use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::ConnectError;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, HandshakeTokenKey, ServerConfig, UnsupportedVersion,
};

crate::keys::session!(quinn_proto, &ConnectionId);

impl ClientConfig for Secret {
    fn start_session(
        self: Arc<Self>,
        _: u32,
        _: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(self.session(Side::Client, parameters))
    }
}

impl ServerConfig for Secret {
    fn initial_keys(&self, _: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(self.keys(Side::Server, Level::Initial))
    }

    fn retry_tag(&self, _: u32, _: &ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(
        self: Arc<Self>,
        _: u32,
        parameters: &TransportParameters,
    ) -> Box<dyn Session> {
        self.session(Side::Server, parameters)
    }
}

impl PacketKey for Key {
    fn encrypt(&self, packet: u64, bytes: &mut [u8], _: usize) {
        self.seal(packet, bytes);
    }

    fn decrypt(&self, packet: u64, _: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let length = self.opened(packet, payload).ok_or(CryptoError)?;
        payload.truncate(length);
        Ok(())
    }

    crate::keys::limits!();
}

impl HandshakeTokenKey for Secret {
    fn aead_from_hkdf(&self, _: &[u8]) -> Box<dyn AeadKey> {
        Box::new(*self)
    }
}

impl AeadKey for Secret {
    fn seal(&self, data: &mut Vec<u8>, _: &[u8]) -> Result<(), CryptoError> {
        data.extend_from_slice(&[0; TAG]);
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let length = data.len().checked_sub(TAG).ok_or(CryptoError)?;
        Ok(&mut data[..length])
    }
}
