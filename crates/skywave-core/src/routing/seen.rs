//! Requests that were seen before.

use crate::radio::Address;
use crate::time::Time;

/// Requests that are remembered, by their originators.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// By originator: the id of each request and when it is forgotten.
    by_originator: Vec<Vec<(u32, Time)>>,
}

impl Seen {
    /// Remembers a request until `forget`; false if it is remembered already.
    pub(super) fn is_new(&mut self, now: Time, originator: Address, id: u32, forget: Time) -> bool {
        let requests = originator.place_in(&mut self.by_originator, Vec::new());
        requests.retain(|&(_, until)| until > now);
        if requests.iter().any(|&(seen, _)| seen == id) {
            return false;
        }
        requests.push((id, forget));
        true
    }
}
