//! `skywave send`: a file to another host.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::json;
use skywave_wire::endpoint::{Allowed, Config, PACKETS};
use skywave_wire::node::Node;
use skywave_wire::transfer::{self, FileOffer, SendError, SendOptions, SendStep};

use crate::failure::Failure;
use crate::interrupt;
use crate::keys;
use crate::quantity::{rate, time};
use crate::transfers::{TransferBar, describe, megabits};

/// Send a file over a bad link, by WTCP over UDP.
///
/// The receiver runs `skywave recv`. Both know each other by their public keys (`skywave key`); all is
/// encrypted. The file appears there whole, checked by its hash, or not at all. A transfer that was
/// interrupted, on either side and in any way, goes on where it was: give the same command again. While
/// the receiver is away it is waited for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave send film.mkv 203.0.113.7:4747 --peer 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo='\n  \
    skywave send film.mkv box.example.org:4747 --peer box.pub --name holidays.mkv\n  \
    skywave send film.mkv box.example.org:4747 --peer box.pub --limit 2Mbps --patience 12h")]
pub(crate) struct Args {
    /// The file.
    file: PathBuf,
    /// Where the receiver is: HOST:PORT.
    #[arg(value_name = "HOST:PORT")]
    to: String,
    /// The receiver's public key, or a file with it.
    #[arg(long, value_name = "KEY")]
    peer: String,
    /// The file's name there [default: its name here].
    #[arg(long)]
    name: Option<String>,
    /// This host's secret key [default: see `skywave key --help`].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// How long to try until the receiver answers for the first time.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = time)]
    wait: Duration,
    /// How long a receiver that has answered once may be away.
    #[arg(long, value_name = "TIME", default_value = "30min", value_parser = time)]
    patience: Duration,
    /// Never send faster than this, all headers included [default: as the path allows].
    #[arg(long, value_name = "RATE", value_parser = rate)]
    limit: Option<f64>,
    /// Bytes of a full packet, all headers included. 1280 passes everywhere; 1500 is faster where no
    /// tunnel is on the way.
    #[arg(long, value_name = "BYTES", default_value_t = 1280, value_parser = packet())]
    packet: u16,
    /// Print the result as a line of JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let secret = keys::read_secret(args.key.as_deref())?;
    let peers = keys::read_public(&args.peer)?;
    let [peer] = peers[..] else {
        return Err(Failure::SeveralPeers(args.peer.clone()));
    };
    let to = address(&args.to)?;
    let stop = interrupt::flag();
    let failed = |error| Failure::Send {
        file: args.file.clone(),
        error,
    };
    let bar = TransferBar::new(&args.file.display().to_string());
    if let Ok(metadata) = std::fs::metadata(&args.file) {
        bar.length(metadata.len());
    }
    let mut step = |step: SendStep| {
        bar.show(&step);
        !stop.load(Ordering::SeqCst)
    };
    let offer = FileOffer::open(&args.file, args.name.as_deref(), &mut step);
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
        let line = json!({
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
        println!("{line}");
        return Ok(());
    }
    if bytes == 0 && sent.size > 0 {
        println!("{}: the receiver has it already", args.file.display());
    } else {
        println!(
            "{}: {} in {seconds:.1} s, {}{}",
            args.file.display(),
            indicatif::DecimalBytes(bytes),
            megabits(bytes as f64 * 8.0 / seconds),
            describe(&status),
        );
    }
    println!("BLAKE3 {}", sent.hash);
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

fn packet() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(i64::from(*PACKETS.start())..=i64::from(*PACKETS.end()))
}
