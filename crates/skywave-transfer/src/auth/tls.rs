//! TLS 1.3 between hosts that know each other by their keys: raw public keys (RFC 7250) instead of
//! certificates, on both sides.
//!
//! That the peer has its key is shown by its signature under the handshake, which rustls checks. Which
//! key it may have is decided by [`Allowed`].

use std::sync::Arc;

use crate::Allowed;
use crate::key::{PublicKey, SecretKey};
use noq::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::client::AlwaysResolvesClientRawPublicKeys;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{
    CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::sign::CertifiedKey;
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, PeerMisbehaved,
    SignatureScheme,
};
use zeroize::Zeroizing;

/// The protocol, as TLS agrees on it.
const ALPN: &[u8] = b"skywave/2";
/// Bytes before those of an Ed25519 public key in a SubjectPublicKeyInfo (RFC 8410 section 4).
const SPKI: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];
/// Bytes before the seed of an Ed25519 key in PKCS#8 (RFC 8410 section 7).
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// Is told of each key that is refused. The handshake is not over then, so the peer has not proved that it holds the key.
pub(crate) type Refused = Box<dyn Fn(PublicKey) + Send + Sync>;

/// Checks the key of a peer.
struct Verifier {
    /// Hosts whose handshakes are taken; everybody's where the peer has to show something else.
    peers: Allowed,
    refused: Refused,
    provider: Arc<CryptoProvider>,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = f.debug_struct("Verifier");
        fields.field("peers", &self.peers).finish_non_exhaustive()
    }
}

/// The key in a SubjectPublicKeyInfo.
fn key(spki: &[u8]) -> Option<PublicKey> {
    let bytes = spki.strip_prefix(&SPKI)?.try_into().ok()?;
    PublicKey::from_bytes(bytes).ok()
}

/// The key with which the peer signed the handshake.
pub(crate) fn peer(connection: &noq::Connection) -> Option<PublicKey> {
    let identity = connection.peer_identity()?;
    let chain = identity.downcast::<Vec<CertificateDer<'static>>>().ok()?;
    key(chain.first()?)
}

impl Verifier {
    fn check(&self, spki: &[u8]) -> Result<(), Error> {
        let key = key(spki).ok_or(CertificateError::BadEncoding)?;
        let may = match &self.peers {
            Allowed::Keys(keys) => keys.contains(&key),
            Allowed::Everybody => true,
        };
        if may {
            Ok(())
        } else {
            (self.refused)(key);
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn signature(
        &self,
        message: &[u8],
        spki: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let spki = SubjectPublicKeyInfoDer::from(spki.as_ref());
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &spki, signature, algorithms)
    }
}

/// QUIC has no TLS 1.2.
fn no_tls12() -> Result<HandshakeSignatureValid, Error> {
    Err(PeerMisbehaved::SelectedUnofferedCertCompression.into())
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(end_entity)
            .map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        no_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        spki: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signature(message, spki, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for Verifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(end_entity)
            .map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        no_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        spki: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signature(message, spki, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

/// Key of this host, as rustls signs with it.
fn certified(secret: &SecretKey) -> Result<Arc<CertifiedKey>, Error> {
    let pkcs8 = Zeroizing::new([&PKCS8[..], secret.as_bytes()].concat());
    let signing = ring::sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(pkcs8.as_slice()))?;
    let spki = [&SPKI[..], secret.public().as_bytes()].concat();
    Ok(Arc::new(CertifiedKey::new(
        vec![CertificateDer::from(spki)],
        signing,
    )))
}

/// The side that connects.
pub(crate) fn client(secret: &SecretKey, peers: Allowed) -> Result<QuicClientConfig, Error> {
    let config = QuicClientConfig::try_from(client_tls(secret, peers)?);
    config.map_err(|error| Error::General(error.to_string()))
}

/// TLS of the side that connects.
pub(crate) fn client_tls(
    secret: &SecretKey,
    peers: Allowed,
) -> Result<rustls::ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier {
        peers,
        refused: Box::new(drop),
        provider: provider.clone(),
    };
    let config = rustls::ClientConfig::builder_with_provider(provider);
    let config = config.with_protocol_versions(&[&rustls::version::TLS13])?;
    let config = config
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let resolver = AlwaysResolvesClientRawPublicKeys::new(certified(secret)?);
    let mut config = config.with_client_cert_resolver(Arc::new(resolver));
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.enable_sni = false;
    // A resumed session is not asked for its key again.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

/// The side that listens.
pub(crate) fn server(
    secret: &SecretKey,
    peers: Allowed,
    refused: Refused,
) -> Result<QuicServerConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier {
        peers,
        refused,
        provider: provider.clone(),
    };
    let config = rustls::ServerConfig::builder_with_provider(provider);
    let config = config.with_protocol_versions(&[&rustls::version::TLS13])?;
    let config = config.with_client_cert_verifier(Arc::new(verifier));
    let resolver = AlwaysResolvesServerRawPublicKeys::new(certified(secret)?);
    let mut config = config.with_cert_resolver(Arc::new(resolver));
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.send_tls13_tickets = 0;
    let config = QuicServerConfig::try_from(config);
    config.map_err(|error| Error::General(error.to_string()))
}
