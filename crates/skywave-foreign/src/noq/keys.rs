//! Sessions and keys as noq wants them.

use bytes::BytesMut;
use noq_proto::crypto::{ClientConfig, HandshakeTokenKey, ServerConfig, UnsupportedVersion};
use noq_proto::{ConnectError, PathId};

crate::keys::session!(noq_proto, ConnectionId);

impl ClientConfig for Secret {
    fn start_session(
        &self,
        _: u32,
        _: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(self.session(Side::Client, parameters))
    }
}

impl ServerConfig for Secret {
    fn initial_keys(&self, _: u32, _: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(self.keys(Side::Server, Level::Initial))
    }

    fn retry_tag(&self, _: u32, _: ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(&self, _: u32, parameters: &TransportParameters) -> Box<dyn Session> {
        self.session(Side::Server, parameters)
    }
}

impl PacketKey for Key {
    fn encrypt(&self, _: PathId, packet: u64, bytes: &mut [u8], _: usize) {
        self.seal(packet, bytes);
    }

    fn decrypt(
        &self,
        _: PathId,
        packet: u64,
        _: &[u8],
        payload: &mut BytesMut,
    ) -> Result<(), CryptoError> {
        let length = self.opened(packet, payload).ok_or(CryptoError)?;
        payload.truncate(length);
        Ok(())
    }

    crate::keys::limits!();
}

impl HandshakeTokenKey for Secret {
    fn seal(&self, _: u128, data: &mut Vec<u8>) -> Result<(), CryptoError> {
        data.extend_from_slice(&[0; TAG]);
        Ok(())
    }

    fn open<'a>(&self, _: u128, data: &'a mut [u8]) -> Result<&'a [u8], CryptoError> {
        let length = data.len().checked_sub(TAG).ok_or(CryptoError)?;
        Ok(&data[..length])
    }
}
