//! What transports in UDP datagrams have in common.

use std::fmt::Debug;

use crate::model::flow::FlowModel;
use crate::model::number::Count;
use crate::read::fault::Fault;

/// The payload of a full packet, if the flow says: at most `most` bytes.
pub(crate) fn payload(flow: &FlowModel, most: u32, transport: &str) -> Result<Option<u16>, Fault> {
    let Some(mss) = &flow.mss else {
        return Ok(None);
    };
    match u16::try_from(mss.value.0) {
        Ok(bytes) if u32::from(bytes) <= most => Ok(Some(bytes)),
        _ => {
            let message = format!("`mss` is too large for {transport}");
            Err(Fault::new(mss.span.clone(), message)
                .label(format!("at most {most} bytes fit a datagram")))
        }
    }
}

/// The settings that differ from the defaults, for the label.
pub(crate) struct Changes(pub(crate) Vec<String>);

impl Changes {
    pub(crate) fn set<T: PartialEq + Debug>(&mut self, name: &str, to: &mut T, from: Option<T>) {
        if let Some(from) = from {
            if from != *to {
                self.0.push(format!("{name}={from:?}"));
            }
            *to = from;
        }
    }
}

pub(crate) fn number(n: Option<Count>) -> Option<u32> {
    n.map(|n| u32::try_from(n.0).unwrap_or(u32::MAX))
}
