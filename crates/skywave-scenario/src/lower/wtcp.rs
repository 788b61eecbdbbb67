//! Lowering of WTCP.

use std::sync::Arc;

use skywave_core::packet::UDP_HEADER_BYTES;
use skywave_core::parameter::{Stored, Table, Value};
use skywave_core::wtcp::Config;
use skywave_core::wtcp::wire::MAX_HEADER;
use skywave_sim::spec::Transport;

use crate::lower::datagram::{Changes, payload};
use crate::lower::flow::udp_header;
use crate::model::flow::FlowModel;
use crate::model::optional::WtcpModel;
use crate::model::units::Bytes;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// Payload of a flow that names none: with its headers it makes packets of 1500 bytes, as TCP's are.
const DEFAULT_MSS: u16 = 1423;
/// Receive buffer of a flow that names none.
const DEFAULT_BUFFER: u32 = 1 << 20;
/// Largest payload, so that with all headers the packet is one that IPv4 permits.
const MAX_MSS: u32 = Bytes::MAX + 40 - UDP_HEADER_BYTES - MAX_HEADER as u32;

/// WTCP, with the parameters given.
pub(crate) fn wtcp(
    flow: &FlowModel,
    model: Option<&Spanned<WtcpModel>>,
) -> Result<(Transport, String), Fault> {
    let mut config = Config {
        mss: DEFAULT_MSS,
        receive_buffer: DEFAULT_BUFFER,
        ..Config::default()
    };
    if let Some(mss) = payload(flow, MAX_MSS, "WTCP")? {
        config.mss = mss;
    }
    if let Some(rwnd) = &flow.rwnd {
        let bytes = rwnd.value.in_bytes(u32::from(config.mss)) + 0.5;
        let whole = (1.0..=f64::from(u32::MAX)).contains(&bytes);
        if !whole || bytes < f64::from(config.mss) {
            let message = "`rwnd` must be between one packet and 4 GiB";
            return Err(rwnd
                .fault(message)
                .label(format!("a packet has {} bytes", config.mss)));
        }
        config.receive_buffer = bytes as u32;
    }
    let default = config.value();
    if let Some(model) = model {
        config = model.over(&config)?;
    }
    let mut changed = Changes(Vec::new());
    if let (Some(Value::Table(from)), Some(Value::Table(to))) = (default, config.value()) {
        changed.all("", Config::PARAMETERS, &from, &to);
    }
    let label = match changed.0.join(", ") {
        none if none.is_empty() => "wtcp".to_owned(),
        list => format!("wtcp({list})"),
    };
    let transport = Transport::Wtcp {
        config: Arc::new(config),
        header: udp_header(flow),
    };
    Ok((transport, label))
}
