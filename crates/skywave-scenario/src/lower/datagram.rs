//! Lowering that transports in UDP datagrams share: a packet's payload, and settings in the label.

use std::fmt::Debug;

use skywave_core::parameter::{Kind, Parameter, Value};

use crate::model::flow::FlowModel;
use crate::model::member::written;
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
            Err(mss
                .fault(message)
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

    /// The parameters of `table` that have other values in `to` than in `from`.
    pub(crate) fn all(
        &mut self,
        table: &str,
        parameters: &[Parameter],
        from: &[Option<Value>],
        to: &[Option<Value>],
    ) {
        for (parameter, (from, to)) in parameters.iter().zip(from.iter().zip(to)) {
            let name = parameter.name;
            match (parameter.kind, from, to) {
                (Kind::Table(inner, _), Some(Value::Table(from)), Some(Value::Table(to))) => {
                    self.all(name, inner, from, to);
                }
                (_, _, Some(value)) if from != to => {
                    let value = match value {
                        Value::Number(x) => format!("{x:?}"),
                        value => written(parameter, value),
                    };
                    self.0.push(match (table, name) {
                        // There is another one in `rate`.
                        ("prediction", "weight") => format!("{table}.{name}={value}"),
                        _ => format!("{name}={value}"),
                    });
                }
                _ => {}
            }
        }
    }
}
