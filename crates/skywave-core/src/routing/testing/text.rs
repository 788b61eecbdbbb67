//! What a scripted network records of a packet.

use std::fmt::Write as _;

use crate::radio::Address;
use crate::routing::aodv::{Message, Rrep, Rreq};
use crate::routing::dsdv::Update;
use crate::routing::dsr;
use crate::routing::{Packet, Seq};

fn number(seq: Option<Seq>) -> String {
    seq.map_or("?".to_owned(), |seq| seq.0.to_string())
}

/// `4#7` is station 4 with sequence number 7.
pub(super) fn text(packet: &Packet<u32>) -> String {
    let (message, ttl) = match packet {
        Packet::Data(datagram) => return format!("#{} ttl {}", datagram.payload, datagram.ttl),
        Packet::Aodv { message, ttl } => (message, ttl),
        Packet::Dsdv(update) => return update_text(update),
        Packet::Dsr(message) => return dsr_text(message),
    };
    let mut text = match message {
        Message::Rreq(rreq) => request(rreq),
        Message::Rrep(rrep) => reply(rrep),
        Message::Rerr(rerr) => {
            let mut text = String::from("RERR");
            for lost in &rerr.unreachable {
                write!(text, " {}#{}", lost.destination, number(lost.seq)).unwrap();
            }
            text + if rerr.no_delete { " N" } else { "" }
        }
        Message::RrepAck => String::from("RREP-ACK"),
    };
    write!(text, " ttl {ttl}").unwrap();
    text
}

fn request(rreq: &Rreq) -> String {
    let asked = number(rreq.destination_seq);
    let mut text = format!(
        "RREQ id {} {}#{} seeks {}#{asked} hops {}",
        rreq.id, rreq.originator, rreq.originator_seq.0, rreq.destination, rreq.hop_count
    );
    text += if rreq.gratuitous { " G" } else { "" };
    text += if rreq.destination_only { " D" } else { "" };
    text
}

fn reply(rrep: &Rrep) -> String {
    let Rrep {
        destination,
        originator,
        hop_count,
        ..
    } = rrep;
    let (seq, ms) = (rrep.destination_seq.0, rrep.lifetime.as_nanos() / 1_000_000);
    if rrep.is_hello() {
        return format!("Hello {destination}#{seq} for {ms} ms");
    }
    let ack = if rrep.ack_required { " A" } else { "" };
    format!("RREP to {originator}: {destination}#{seq} hops {hop_count} for {ms} ms{ack}")
}

/// `4#6@2` is station 4 with number 6, two hops away; `@-` if it cannot be reached.
fn update_text(update: &Update) -> String {
    let mut text = String::from("UPDATE");
    for entry in &update.entries {
        let hops = entry.hops.map_or("-".to_owned(), |hops| hops.to_string());
        write!(text, " {}#{}@{hops}", entry.destination, entry.seq.0).unwrap();
    }
    text
}

/// `1-2-3`.
fn way(stations: &[Address]) -> String {
    let stations: Vec<String> = stations.iter().map(Address::to_string).collect();
    stations.join("-")
}

fn dsr_text(message: &dsr::Message<u32>) -> String {
    let routed = match message {
        dsr::Message::Request(request) => {
            let dsr::Request {
                id,
                target,
                path,
                ttl,
            } = request;
            return format!("RREQ {id} {} seeks {target} ttl {ttl}", way(path));
        }
        dsr::Message::Routed(routed) => routed,
    };
    let what = match &routed.content {
        dsr::Content::Datagram(d) => format!("#{} ttl {}", d.payload, d.ttl),
        dsr::Content::Reply(path) => format!("RREP {}", way(path)),
        dsr::Content::Error(link) => format!("RERR {}-{}", link.from, link.to),
    };
    let salvaged = match routed.salvaged {
        0 => String::new(),
        n => format!(" salvaged {n}"),
    };
    format!("{what} by {}{salvaged}", way(&routed.route))
}
