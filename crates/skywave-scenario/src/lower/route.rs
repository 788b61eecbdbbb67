//! Lowering of a flow's route: the nodes that it passes, and its tunnels.

use skywave_sim::network::{NoRoute, Router};
use skywave_sim::spec::{FlowSpec, Route, Transport, Tunnel};

use crate::lower::{Network, numbered};
use crate::model::flow::{FlowModel, TunnelModel};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Header of IP in IP (RFC 2003).
const TUNNEL_HEADER_BYTES: u32 = 20;

/// Whether a flow says anything of its route.
pub(crate) fn is_given(model: &FlowModel) -> bool {
    model.via.is_some() || model.reverse_via.is_some() || model.tunnel.is_some()
}

/// Gives flows the routes of their models: a flow's index, its model and the number of the copy.
pub(crate) fn all(
    network: &Network,
    specs: &mut [FlowSpec],
    routed: &[(usize, &FlowModel, Option<u64>)],
) -> Result<(), Fault> {
    let mut routes = Routes {
        network,
        router: network.router(),
    };
    for &(index, model, copy) in routed {
        specs[index].route = Some(Box::new(routes.lower(&specs[index], model, copy)?));
    }
    Ok(())
}

/// The edges that a flow's data pass and then those of its ACKs, if it has any.
pub(crate) fn there_and_back(router: &mut Router, flow: &FlowSpec) -> Vec<u32> {
    let way = flow.way();
    let there = router.route(flow.from, &way.via, flow.to);
    let back = match flow.transport {
        Transport::Udp { .. } => Ok(Vec::new()),
        _ => router.route(flow.to, &way.reverse_via, flow.from),
    };
    // Broken routes have been refused before.
    [there, back].into_iter().flatten().flatten().collect()
}

struct Routes<'a> {
    network: &'a Network,
    router: Router,
}

impl Routes<'_> {
    fn lower(
        &mut self,
        flow: &FlowSpec,
        model: &FlowModel,
        copy: Option<u64>,
    ) -> Result<Route, Fault> {
        let has_acks = !matches!(flow.transport, Transport::Udp { .. });
        if let Some(back) = &model.reverse_via
            && !has_acks
        {
            return Err(back
                .fault("nothing comes back from a datagram")
                .label("UDP has no way back"));
        }
        let via = self.nodes(model.via.as_ref(), copy)?;
        let reverse_via = self.nodes(model.reverse_via.as_ref(), copy)?;
        let span = |via: Option<&Spanned<_>>| {
            via.map_or_else(|| model.to.span.clone(), |v| v.span.clone())
        };
        let there = self.passed(flow.from, &via, flow.to, &span(model.via.as_ref()))?;
        let back = if has_acks {
            let span = span(model.reverse_via.as_ref());
            self.passed(flow.to, &reverse_via, flow.from, &span)?
        } else {
            Vec::new()
        };
        let models = model.tunnel.as_ref().map_or(&[][..], |t| t.as_slice());
        let tunnels = models
            .iter()
            .map(|tunnel| self.tunnel(tunnel, copy, &[&there, &back]))
            .collect::<Result<_, _>>()?;
        Ok(Route {
            via,
            reverse_via,
            tunnels,
            ..Route::default()
        })
    }

    fn nodes(
        &self,
        names: Option<&Spanned<Vec<Spanned<String>>>>,
        copy: Option<u64>,
    ) -> Result<Vec<usize>, Fault> {
        let names = names.map_or(&[][..], |names| &names.value);
        names.iter().map(|name| self.node(name, copy)).collect()
    }

    fn node(&self, name: &Spanned<String>, copy: Option<u64>) -> Result<usize, Fault> {
        let node = numbered(&name.value, copy);
        self.network.find_node(&node, &name.span)
    }

    /// The nodes of a route, both ends included.
    fn passed(
        &mut self,
        from: usize,
        via: &[usize],
        to: usize,
        span: &Span,
    ) -> Result<Vec<usize>, Fault> {
        let name = |node: usize| &self.network.nodes[node];
        let edges = self.router.route(from, via, to).map_err(|why| match why {
            NoRoute::Unreachable { from, to } => Fault::new(
                span.clone(),
                format!("no way leads from `{}` to `{}`", name(from), name(to)),
            )
            .label("this route is broken"),
            NoRoute::Twice(node) => Fault::new(
                span.clone(),
                format!("this route passes `{}` twice", name(node)),
            )
            .label("packets would go in a circle")
            .help(
                "between the nodes given a route has the fewest hops: name more of them to lead it",
            ),
        })?;
        let heads = edges.iter().map(|&edge| self.router.edge(edge).to);
        Ok([from].into_iter().chain(heads).collect())
    }

    fn tunnel(
        &self,
        model: &Spanned<TunnelModel>,
        copy: Option<u64>,
        routes: &[&[usize]],
    ) -> Result<Tunnel, Fault> {
        let TunnelModel { from, to, header } = &model.value;
        let tunnel = Tunnel {
            from: self.node(from, copy)?,
            to: self.node(to, copy)?,
            header: header.map_or(TUNNEL_HEADER_BYTES, |bytes| bytes.0),
        };
        let place = |route: &[usize], node| route.iter().position(|&n| n == node);
        let holds = |route: &&[usize]| {
            place(route, tunnel.from)
                .zip(place(route, tunnel.to))
                .is_some_and(|(from, to)| from < to)
        };
        if routes.iter().any(holds) {
            return Ok(tunnel);
        }
        let names = |route: &[usize]| {
            let names: Vec<&str> = route
                .iter()
                .map(|&n| self.network.nodes[n].as_str())
                .collect();
            names.join(" → ")
        };
        let ways: Vec<String> = routes
            .iter()
            .filter(|route| !route.is_empty())
            .map(|route| names(route))
            .collect();
        Err(model
            .fault(format!(
                "no packet of this flow passes `{}` and then `{}`",
                self.network.nodes[tunnel.from], self.network.nodes[tunnel.to]
            ))
            .label("nothing goes through this tunnel")
            .help(format!("its packets go {}", ways.join(", and back "))))
    }
}
