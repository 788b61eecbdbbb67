//! Receive buffer whose size the application changes.

use std::sync::Arc;

use super::Receiver;

impl Receiver {
    /// Takes data up to `bytes` beyond what has arrived without a gap, if that is more than before: what the peer was
    /// told of once must be taken.
    pub(crate) fn allow(&mut self, bytes: u32) {
        if bytes > self.config.rwnd {
            Arc::make_mut(&mut self.config).rwnd = bytes;
        }
    }
}
