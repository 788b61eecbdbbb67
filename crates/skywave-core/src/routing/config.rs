//! Choice of a routing protocol.

use super::{aodv, dsdv, dsr};
use crate::parameter::{Described, Refusal, family};

use aodv::Config as Aodv;
use dsdv::Config as Dsdv;
use dsr::Config as Dsr;

family! {
    "routing" => "How stations find their ways.";
    open: false; sections: true;
    /// Routing protocol of a radio network's stations, with its settings.
    #[derive(Clone, Debug, PartialEq)]
    pub enum RoutingConfig;
    Static: Static,
    Aodv(config): Aodv,
    Dsdv(config): Dsdv,
    Dsr(config): Dsr,
}

impl RoutingConfig {
    /// Initial TTL of packets, the most hops that they may take: IP's default.
    pub const TTL: u8 = 64;

    /// Most hops at which a station can be reached: bounded by the TTL of packets, by the reach of route requests, or
    /// by the length of DSR's source routes.
    pub fn max_hops(&self) -> u8 {
        match self {
            Self::Static | Self::Dsdv(_) => Self::TTL,
            Self::Aodv(config) => config.net_diameter.min(Self::TTL),
            Self::Dsr(config) => config.discovery_hop_limit.min(dsr::MOST_HOPS as u8),
        }
    }
}

/// Type that names and describes static routing among the routing protocols; its routes never change, and it has no
/// settings.
#[derive(Debug)]
pub struct Static;

impl Described for Static {
    type Config = ();
    const NAME: &'static str = "static";
    const SUMMARY: &'static str = "Fewest hops between the stations where they are at the start.";
}

/// Refuses parameters with which `protocol` cannot work: of each rule the parameter, what it must be, and whether it is.
pub(super) fn refuse_unless<const N: usize>(
    protocol: &str,
    rules: [(&str, &str, bool); N],
) -> Result<(), Refusal> {
    match rules.into_iter().find(|&(_, _, holds)| !holds) {
        None => Ok(()),
        Some((parameter, expected, _)) => Err(Refusal::of(
            &[],
            format!("{protocol}'s `{parameter}` must be {expected}"),
            "with these settings it cannot work",
        )),
    }
}
