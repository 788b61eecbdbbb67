//! A route, and the one command that changes it.
//!
//! `ip route change` and `replace` take away every attribute that they do not name. So what is advised of a route is
//! collected first, and then written with all that the route has.

use std::fmt::Write as _;

use serde::Deserialize;

/// A route to the other side, as `ip -j route get ADDRESS` tells it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Route {
    /// Address of the other side.
    pub dst: String,
    /// Router on the way, if there is one.
    pub gateway: Option<String>,
    /// Device.
    pub dev: String,
    /// Address of this host.
    pub prefsrc: Option<String>,
    /// Attributes that it has already.
    #[serde(default)]
    metrics: Vec<serde_json::Map<String, serde_json::Value>>,
}

/// A text that is no route.
#[derive(Debug, thiserror::Error)]
pub enum BadRoute {
    /// The text is not what `ip -j route get` prints.
    #[error("this is not what `ip -j route get ADDRESS` prints: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// No route in the text.
    #[error("`ip -j route get ADDRESS` has printed no route")]
    Empty,
}

/// Attributes of a route that are advised.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Attributes {
    /// Law of congestion control.
    pub congctl: Option<String>,
    /// First congestion window and first window that is advertised, segments.
    pub initial: Option<(u32, u32)>,
    /// Smallest retransmission timeout, ms.
    pub rto_min_ms: Option<u32>,
}

impl Route {
    /// Reads what `ip -j route get ADDRESS` prints.
    pub fn parse(text: &str) -> Result<Self, BadRoute> {
        let routes: Vec<Self> = serde_json::from_str(text)?;
        routes.into_iter().next().ok_or(BadRoute::Empty)
    }
}

impl Attributes {
    /// The command that gives a route these attributes, and the one that takes them back. Of a route that is not
    /// known, the places to fill in are in capitals.
    pub fn commands(&self, route: Option<&Route>) -> (String, String) {
        let Some(route) = route else {
            let run = format!("ip route replace DST via GW dev DEV{}", self.words());
            return (run, "ip route del DST via GW dev DEV".to_owned());
        };
        let mut way = route.dst.clone();
        if let Some(gateway) = &route.gateway {
            let _ = write!(way, " via {gateway}");
        }
        let _ = write!(way, " dev {}", route.dev);
        let mut run = way.clone();
        if let Some(source) = &route.prefsrc {
            let _ = write!(run, " src {source}");
        }
        run.push_str(&self.words());
        let taken = |name: &str| match name {
            "congestion" => self.congctl.is_some(),
            "initcwnd" | "initrwnd" => self.initial.is_some(),
            "rto_min" => self.rto_min_ms.is_some(),
            _ => false,
        };
        let kept = route.metrics.iter().flatten();
        for (name, value) in kept.filter(|(name, _)| !taken(name)) {
            let _ = match (name.as_str(), value) {
                ("congestion", serde_json::Value::String(law)) => write!(run, " congctl {law}"),
                ("rtt" | "rttvar" | "rto_min", ms) => write!(run, " {name} {ms}ms"),
                (_, serde_json::Value::String(text)) => write!(run, " {name} {text}"),
                (_, other) => write!(run, " {name} {other}"),
            };
        }
        (
            format!("ip route replace {run}"),
            format!("ip route del {way}"),
        )
    }

    fn words(&self) -> String {
        let mut words = String::new();
        if let Some(law) = &self.congctl {
            let _ = write!(words, " congctl {law}");
        }
        if let Some((cwnd, rwnd)) = self.initial {
            let _ = write!(words, " initcwnd {cwnd} initrwnd {rwnd}");
        }
        if let Some(ms) = self.rto_min_ms {
            let _ = write!(words, " rto_min {ms}ms");
        }
        words
    }
}

#[cfg(test)]
mod tests;
