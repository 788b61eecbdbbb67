//! `skywave send --transport wtcp`: a file to another host.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::json;
use skywave_wire::endpoint::{Allowed, Config, Failed, Refusal};
use skywave_wire::node::{self, Node};
use skywave_wire::transfer::{self, FileOffer, SendError, SendOptions, SendStep};

use crate::failure::Failure;
use crate::interrupt;
use crate::keys;
use crate::print::{Stream, now};

use super::bars::{TransferBar, describe, megabits};

/// Arguments of `skywave send --transport wtcp`.
pub(crate) struct Options<'a> {
    pub(crate) file: &'a Path,
    pub(crate) to: &'a str,
    pub(crate) peer: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) key: Option<&'a Path>,
    pub(crate) wait: Duration,
    pub(crate) patience: Duration,
    pub(crate) limit: Option<f64>,
    pub(crate) packet: u16,
    pub(crate) json: bool,
}

pub(crate) fn main(args: &Options<'_>) -> Result<(), Failure> {
    let secret = keys::read_secret(args.key)?;
    let peers = keys::read_public(args.peer)?;
    let [peer] = peers[..] else {
        return Err(Failure::SeveralPeers(args.peer.to_owned()));
    };
    let peer = keys::for_wtcp(args.peer, peer)?;
    let to = address(args.to)?;
    let stop = interrupt::flag();
    let this = keys::for_wtcp("--key", secret.public())?;
    let failed = |error: SendError| match &error {
        SendError::Node(node::Error::Failed(Failed::Refused(Refusal::UnknownPeer))) => {
            let why = error.to_string();
            Failure::NotLetIn { why, this }
        }
        _ => Failure::Send {
            file: args.file.to_owned(),
            error,
        },
    };
    let bar = TransferBar::new(&args.file.display().to_string());
    if let Ok(metadata) = std::fs::metadata(args.file) {
        bar.length(metadata.len());
    }
    let mut step = |step: SendStep| {
        bar.show(&step);
        !stop.load(Ordering::SeqCst)
    };
    let offer = FileOffer::open(args.file, args.name, &mut step);
    let mut offer = offer.map_err(failed)?;
    bar.length(offer.size());
    // A socket of the same kind as the receiver's address, on loopback for loopback.
    let local: SocketAddr = match (to, to.ip().is_loopback()) {
        (SocketAddr::V4(_), true) => ([127, 0, 0, 1], 0).into(),
        (SocketAddr::V4(_), false) => ([0; 4], 0).into(),
        (SocketAddr::V6(_), true) => ([0, 0, 0, 0, 0, 0, 0, 1], 0).into(),
        (SocketAddr::V6(_), false) => ([0; 8], 0).into(),
    };
    let nobody = Allowed::Keys([].into());
    let config = Config {
        handshake_timeout: skywave_core::Duration::from_secs_f64(args.wait.as_secs_f64()),
        ..Config::default().with_packets_of(args.packet)
    };
    let config = match args.limit {
        Some(bps) => config.limited_to(bps),
        None => config,
    };
    let node = Node::bind(local, secret, nobody, config);
    let node = node.map_err(|source| Failure::Bind {
        address: local,
        source,
    })?;
    let options = SendOptions {
        to,
        key: peer,
        patience: args.patience,
    };
    let mut status = None;
    let begun = Instant::now();
    let sent = transfer::send(&node, &mut offer, &options, &mut |now| {
        if let SendStep::Sending(_, now) = now {
            status = Some(now);
        }
        step(now)
    });
    let seconds = begun.elapsed().as_secs_f64();
    drop(bar);
    let sent = match sent {
        Err(SendError::Stopped) => return Err(Failure::SendInterrupted),
        other => other.map_err(failed)?,
    };
    let bytes = sent.size - sent.resumed_from;
    let status = status.unwrap_or_default();
    if args.json {
        let row = json!({
            "file": args.file,
            "name": offer.name(),
            "bytes": sent.size,
            "resumed_from": sent.resumed_from,
            "starts": sent.starts,
            "seconds": seconds,
            "goodput_bps": bytes as f64 * 8.0 / seconds,
            "data_packets": status.data_packets,
            "retransmits": status.retransmits,
            "blackouts": status.blackouts,
            "rtt_s": status.rtt.map(skywave_core::Duration::as_secs_f64),
            "blake3": sent.hash.to_string(),
        });
        now(Stream::Out, &row.to_string());
        return Ok(());
    }
    if bytes == 0 && sent.size > 0 {
        let words = format!("{}: the receiver has it already", args.file.display());
        now(Stream::Out, &words);
    } else {
        let words = format!(
            "{}: {} in {seconds:.1} s, {}{}",
            args.file.display(),
            indicatif::DecimalBytes(bytes),
            megabits(bytes as f64 * 8.0 / seconds),
            describe(&status),
        );
        now(Stream::Out, &words);
    }
    now(Stream::Out, &format!("BLAKE3 {}", sent.hash));
    Ok(())
}

/// The first address of a name.
fn address(text: &str) -> Result<SocketAddr, Failure> {
    let unknown = |why: String| Failure::Address {
        text: text.to_owned(),
        why,
    };
    let mut found = text
        .to_socket_addrs()
        .map_err(|error| unknown(error.to_string()))?;
    found
        .next()
        .ok_or_else(|| unknown("no address of this name".to_owned()))
}
