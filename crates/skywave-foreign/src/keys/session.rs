//! [`Handshake`](super::Handshake) and [`Key`](super::Key) as the libraries want them, as far as noq and quinn, which have one
//! origin, want the same.

/// Writes a library's session, keys and connection IDs; `$id` is how it hands over a connection ID.
macro_rules! session {
    ($library:ident, $id:ty) => {
        use std::any::Any;
        use std::io::Cursor;

        use $library::crypto::{
            CryptoError, ExportKeyingMaterialError, HeaderKey, HmacKey, KeyPair, Keys, PacketKey,
            Session,
        };
        use $library::transport_parameters::TransportParameters;
        use $library::{ConnectionId, ConnectionIdGenerator, Side, TransportError};

        use $crate::keys::{Handshake, Key, Level, TAG, numbered};

        /// A number that both ends know in the place of secrets.
        #[derive(Clone, Copy)]
        pub(super) struct Secret(pub(super) u64);

        impl Secret {
            fn packet_keys(
                self,
                side: Side,
                level: Level,
                generation: u64,
            ) -> KeyPair<Box<dyn PacketKey>> {
                let [client, server] = Key::pair(self.0, level, generation);
                let (local, remote) = match side {
                    Side::Client => (client, server),
                    Side::Server => (server, client),
                };
                KeyPair {
                    local: Box::new(local),
                    remote: Box::new(remote),
                }
            }

            fn keys(self, side: Side, level: Level) -> Keys {
                Keys {
                    header: KeyPair {
                        local: Box::new(Plain),
                        remote: Box::new(Plain),
                    },
                    packet: self.packet_keys(side, level, 0),
                }
            }

            fn session(self, side: Side, parameters: &TransportParameters) -> Box<dyn Session> {
                let mut bytes = Vec::new();
                parameters.write(&mut bytes);
                Box::new(OpenSession {
                    secret: self,
                    side,
                    handshake: Handshake::new(side.is_client(), bytes),
                    told: false,
                    generation: 0,
                })
            }
        }

        /// A session in which nothing is secret.
        struct OpenSession {
            secret: Secret,
            side: Side,
            handshake: Handshake,
            /// Whether it has said that the peer's parameters are here.
            told: bool,
            /// Generation of the latest keys.
            generation: u64,
        }

        impl Session for OpenSession {
            fn initial_keys(&self, _: $id, side: Side) -> Keys {
                self.secret.keys(side, Level::Initial)
            }

            fn handshake_data(&self) -> Option<Box<dyn Any>> {
                None
            }

            fn peer_identity(&self) -> Option<Box<dyn Any>> {
                None
            }

            fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
                None
            }

            fn early_data_accepted(&self) -> Option<bool> {
                self.side.is_client().then_some(false)
            }

            fn is_handshaking(&self) -> bool {
                self.handshake.is_handshaking()
            }

            fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
                self.handshake.read(bytes);
                let first = !self.told && self.handshake.peer().is_some();
                self.told |= first;
                Ok(first)
            }

            fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
                let read = |bytes| TransportParameters::read(self.side, &mut Cursor::new(bytes));
                Ok(self.handshake.peer().map(read).transpose()?)
            }

            fn write_handshake(&mut self, buffer: &mut Vec<u8>) -> Option<Keys> {
                let level = self.handshake.write(buffer)?;
                Some(self.secret.keys(self.side, level))
            }

            fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
                self.generation += 1;
                let (secret, generation) = (self.secret, self.generation);
                Some(secret.packet_keys(self.side, Level::Data, generation))
            }

            fn is_valid_retry(&self, _: $id, _: &[u8], _: &[u8]) -> bool {
                false
            }

            fn export_keying_material(
                &self,
                _: &mut [u8],
                _: &[u8],
                _: &[u8],
            ) -> Result<(), ExportKeyingMaterialError> {
                Err(ExportKeyingMaterialError)
            }
        }

        /// Headers as they are.
        struct Plain;

        impl HeaderKey for Plain {
            fn decrypt(&self, _: usize, _: &mut [u8]) {}

            fn encrypt(&self, _: usize, _: &mut [u8]) {}

            fn sample_size(&self) -> usize {
                TAG
            }
        }

        impl HmacKey for Secret {
            fn sign(&self, data: &[u8], signature: &mut [u8]) {
                let join = |sum: u64, byte: &u8| sum.rotate_left(8) ^ u64::from(*byte);
                let all = numbered::<32>(self.0, data.iter().fold(0, join));
                signature.copy_from_slice(&all[..signature.len()]);
            }

            fn signature_len(&self) -> usize {
                32
            }

            fn verify(&self, _: &[u8], _: &[u8]) -> Result<(), CryptoError> {
                Ok(())
            }
        }

        /// Connection IDs in turn, by the seed.
        pub(super) struct Numbers(pub(super) u64, pub(super) u64);

        impl ConnectionIdGenerator for Numbers {
            fn generate_cid(&mut self) -> ConnectionId {
                self.1 += 1;
                ConnectionId::new(&numbered::<8>(self.0, self.1))
            }

            fn cid_len(&self) -> usize {
                8
            }

            fn cid_lifetime(&self) -> Option<std::time::Duration> {
                None
            }
        }
    };
}
pub(crate) use session;

/// Writes the methods of a key that tell its limits.
macro_rules! limits {
    () => {
        fn tag_len(&self) -> usize {
            TAG
        }

        fn confidentiality_limit(&self) -> u64 {
            u64::MAX
        }

        fn integrity_limit(&self) -> u64 {
            u64::MAX
        }
    };
}
pub(crate) use limits;
