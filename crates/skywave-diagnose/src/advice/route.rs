//! The one command that changes a route.
//!
//! `ip route change` and `replace` take away every attribute that they do not name. So what is advised of a route is
//! collected first, and then written at once.

use std::fmt::Write as _;

/// Advised attributes of a Linux route, all for one `ip route` command.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Attributes {
    /// Congestion control by its name in the kernel; `None` to leave it as it is.
    pub congctl: Option<String>,
    /// First congestion window and first advertised receive window, segments; `None` to leave both as they are.
    pub initial: Option<(u32, u32)>,
    /// Smallest retransmission timeout, ms; `None` to leave it as it is.
    pub rto_min_ms: Option<u32>,
}

impl Attributes {
    /// Command that gives a route these attributes, and the command that gives it none; both are `ip route replace`, with
    /// names in capitals for the user to fill in (`DST`, `GW`, `DEV`).
    pub fn commands(&self) -> (String, String) {
        let bare = "ip route replace DST via GW dev DEV".to_owned();
        // Deleted, a route that was there before would be missing: the default one, and the host is cut off.
        (format!("{bare}{}", self.words()), bare)
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
