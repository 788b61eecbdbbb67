//! Measurements of a link.

use skywave_core::link::Measured;

use super::column::{Column, Number, Pooling, Unit, measured};

measured! {
    /// The measurements of one one-way link.
    LinkOutcome,
    /// The columns of a link.
    LINK:
    /// Share of the time in which the link transmitted; of a trace the share of its opportunities that were
    /// used.
    utilisation: f64, Share, Mean, "Utilisation";
    /// Time average of the queue, in packets, without the one in transmission.
    queue_mean_packets "queue_mean": f64, Packets, Mean, "Mean queue";
    /// Packets that were offered to the link.
    offered: u64, Count, Sum, "Packets offered";
    /// Packets that the queue dropped, full or early, or a policer.
    queue_drops: u64, Count, Sum, "Queue drops";
    /// Packets that the queue marked instead of dropping them early (ECN).
    ecn_marks: u64, Count, Sum, "Marks (ECN)";
    /// `queue_drops` per packet offered.
    drop_rate: Option<f64>, Share, Mean, "Drop rate";
    /// Share of the time in which more than half of the queue's limit in packets waited; with `details`, not for
    /// links with `arq` or a queue that decides later than on arrival (CoDel, FQ-CoDel, PIE, DualPI2).
    queue_above_half: Option<f64>, Share, Mean, "Queue above half";
    /// Packets that the channel's loss models lost.
    channel_drops: u64, Count, Sum, "Channel drops";
    /// Packets that were lost in blackouts.
    blackout_drops: u64, Count, Sum, "Blackout drops";
    /// Packets that were damaged.
    corrupted: u64, Count, Sum, "Damaged";
    /// Transmissions after a packet's first, with `arq`.
    link_retransmits: u64, Count, Sum, "Link retransmits";
    /// Packets that the link gave up, with `arq`; in `channel_drops`, or in `blackout_drops` if the last
    /// transmission ended in a blackout.
    given_up: u64, Count, Sum, "Given up";
    /// Mean number of transmissions of a packet, with `arq`.
    mean_transmissions: Option<f64>, Ratio, Mean, "Mean transmissions";
    /// Corrupted transmissions that the code repaired, with `fec`.
    fec_repairs: u64, Count, Sum, "FEC repairs";
}

impl LinkOutcome {
    /// Outcome of the link called `name`, from what its model has measured; [`Self::queue_above_half`] is `None`.
    pub fn of(name: &str, measured: &Measured) -> Self {
        Self {
            name: name.to_owned(),
            utilisation: measured.utilisation,
            queue_mean_packets: measured.queue_mean_packets,
            offered: measured.offered,
            queue_above_half: None,
            queue_drops: measured.queue_drops,
            ecn_marks: measured.ecn_marks,
            drop_rate: (measured.offered > 0)
                .then(|| measured.queue_drops as f64 / measured.offered as f64),
            channel_drops: measured.channel_drops,
            blackout_drops: measured.blackout_drops,
            corrupted: measured.corrupted,
            link_retransmits: measured.arq.retransmissions,
            given_up: measured.arq.given_up,
            mean_transmissions: measured.arq.mean_transmissions(),
            fec_repairs: measured.fec_repairs,
        }
    }
}
