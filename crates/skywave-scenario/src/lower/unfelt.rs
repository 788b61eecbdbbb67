//! Doubts about settings that do nothing, told where they do nothing at any point of a sweep.

use skywave_core::parameter::Value;
use skywave_core::tcp::Handshake;
use skywave_sim::spec::{FlowSpec, Transport};

use crate::lower::doubt::directions;
use crate::lower::flow::of_models;
use crate::lower::{Template, agent, freeze, proxy};
use crate::model::File;
use crate::model::flow::FlowModel;
use crate::model::member::QueueModel;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Settings that do nothing at the points of a sweep that were looked at, unless another point gives them a use.
#[derive(Debug, Default)]
pub(crate) struct Unfelt {
    /// Queues that mark, while no flow uses ECN.
    marking: Vec<Fault>,
    uses_ecn: bool,
    /// Receivers that freeze senders, while no flow has a blackout on its way.
    freezing: Vec<Fault>,
    has_outages: bool,
    /// Agents that look into TCP, while no flow is of TCP.
    snooping: Vec<Fault>,
    has_tcp: bool,
    /// Openings and ends of connections that always have theirs.
    opening: Vec<Fault>,
}

impl Unfelt {
    /// Looks at a point.
    ///
    /// # Errors
    /// When a flow's `count` is none, which is found before.
    pub(crate) fn look(&mut self, file: &File, template: &Template) -> Result<(), Fault> {
        self.uses_ecn |= template.uses_ecn();
        add_new(&mut self.marking, marking(file));
        let flows = template.flows();
        self.has_outages |= flows.iter().any(has_outages);
        self.has_tcp |= flows.iter().any(is_tcp);
        for (model, own) in of_models(&file.flow)? {
            let own = &flows[own];
            // Freezing is of TCP only, and WTCP's flows leave it out.
            let frozen = freeze::settings(model).filter(|_| own.iter().any(is_tcp));
            let frozen = frozen.map(|(_, freeze)| {
                freeze
                    .fault("no link on the way of this flow has blackouts")
                    .label("nothing to freeze the sender for")
            });
            add_new(&mut self.freezing, frozen);
            let by = if proxy::of(model).is_some() {
                "`proxy`"
            } else if own.iter().any(has_outages) {
                "`freeze`"
            } else {
                continue;
            };
            add_new(&mut self.opening, opening(model, by));
        }
        let agents = file.agent.iter().filter_map(|model| {
            let snoop = model.value.snoop.as_ref()?;
            agent::lower_snoop(&snoop.value)?;
            let fault = snoop.fault("no flow is of TCP, which Snoop looks into");
            Some(fault.label("this agent does nothing"))
        });
        add_new(&mut self.snooping, agents);
        Ok(())
    }

    /// The doubts that are left when all points were looked at.
    pub(crate) fn left(self) -> impl Iterator<Item = Fault> {
        let doubts = [
            (self.uses_ecn, self.marking),
            (self.has_outages, self.freezing),
            (self.has_tcp, self.snooping),
            (false, self.opening),
        ];
        let left = doubts.into_iter().filter(|(has_use, _)| !has_use);
        left.flat_map(|(_, doubts)| doubts)
    }
}

/// Adds the doubts that are not among them.
pub(crate) fn add_new(doubts: &mut Vec<Fault>, found: impl IntoIterator<Item = Fault>) {
    for doubt in found {
        if !doubts.iter().any(|other| other.same_as(&doubt)) {
            doubts.push(doubt);
        }
    }
}

fn is_tcp(flow: &FlowSpec) -> bool {
    matches!(flow.transport, Transport::Tcp(_))
}

fn has_outages(flow: &FlowSpec) -> bool {
    let route = flow.route.as_ref();
    route.is_some_and(|route| !route.outages.is_empty())
}

/// How a flow is told to open and close its connection, which its `by` leaves no choice.
fn opening(model: &FlowModel, by: &str) -> Vec<Fault> {
    let handshake = model.handshake.as_ref();
    let handshake = handshake.filter(|given| given.value.0 == Handshake::None);
    let fin = model.fin.as_ref().filter(|given| !given.value);
    let doubt = |key: &str, span: &Span| {
        Fault::new(span.clone(), format!("`{key}` has no effect beside {by}"))
            .label("this connection opens by a handshake and closes by FIN")
    };
    let handshake = handshake.map(|given| doubt("handshake", &given.span));
    let fin = fin.map(|given| doubt("fin", &given.span));
    handshake.into_iter().chain(fin).collect()
}

/// The queues of links that drop by a rule and are told to mark instead.
fn marking(file: &File) -> Vec<Fault> {
    let queues = directions(file).flat_map(|link| &link.queue);
    // Not steps, which are in paths over which others' flows are put, nor DualPI2, which has a use without ECN, too.
    let marks = |queue: &&Spanned<QueueModel>| queue.value.says("ecn", &Value::Flag(true));
    let doubt = |queue: &Spanned<QueueModel>| {
        queue
            .fault("this queue marks no packet, as no flow uses ECN")
            .label("told to mark")
            .help("give a flow tcp = { ecn = true }, or a transport that needs it, as \"dctcp\"")
    };
    queues.filter(marks).map(doubt).collect()
}
