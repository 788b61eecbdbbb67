//! Lowering of queues.

use skywave_core::Rate;
use skywave_core::link::{Limit, QueueConfig};
use skywave_core::parameter::{Kind, Value};
use skywave_core::units::Level;

use crate::model::member::QueueModel;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Transmitter behind a queue: its rate turns limits in time into sizes.
#[derive(Clone, Copy)]
pub(crate) enum Transmitter {
    /// A link of this rate, or of this mean rate if it changes.
    Link(Rate),
    /// The IP layer of a station, which has no rate.
    Host,
    /// The MAC of a station: what it sends in a time depends on the others.
    Mac,
}

impl Transmitter {
    /// The rate by which a time at `span` is measured.
    fn rate(self, span: &Span) -> Result<Rate, Fault> {
        let reason = match self {
            Self::Link(rate) => return Ok(rate),
            Self::Host => "this station has no `rate`",
            Self::Mac => "what a station sends in a time depends on the others",
        };
        let message = "a queue's size in time needs a rate";
        Err(Fault::new(span.clone(), message)
            .label(reason)
            .help("say it in packets or in bytes: \"90 packets\", \"64kB\""))
    }
}

/// The queue before a transmitter.
pub(crate) fn queue(
    model: &Spanned<QueueModel>,
    transmitter: Transmitter,
) -> Result<QueueConfig, Fault> {
    model.value.before(&model.span, |kind, given| {
        let Value::Period(time) = given.value else {
            return Ok(given.value.clone());
        };
        match kind {
            Kind::Limit => match transmitter.rate(&given.span)?.bytes_in(time) {
                0 => Err(given
                    .fault("this queue has no room")
                    .label("the link does not send a byte in this time")),
                bytes => Ok(Value::Limit(Limit::Bytes(bytes))),
            },
            Kind::Level => {
                let rate = transmitter.rate(&given.span)?.as_bps() as f64;
                Ok(Value::Level(Level::Bytes(time.as_secs_f64() * rate / 8.0)))
            }
            _ => Ok(given.value.clone()),
        }
    })
}
