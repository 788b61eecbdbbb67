//! A row of the witness as a scenario file.

use std::fmt::Write;

use super::agent::Agent;
use super::case::Case;
use super::case_toml::{bulk, delayed_acks, start, voice};
use super::witness::{Shape, Witness};

impl Witness {
    /// The links, and the flows with `case`'s agent first.
    pub(super) fn scenario(&self, case: &Case) -> String {
        let mut text = match self.shape {
            Shape::Dumbbell | Shape::Crowd => self.dumbbell(),
            Shape::Chain => self.chain(),
            Shape::Wireless => self.wireless(),
            Shape::Shared => self.shared(),
            Shape::Sifest => self.sifest(),
        };
        let mss = case.payload().1;
        // Flows of both kinds alternate where each has its own wireless link.
        let alternate = self.shape == Shape::Shared && self.beside.is_some();
        let stride = if alternate { 2 } else { 1 };
        for n in 0..self.measured {
            text += &self.flow(case.agent, n * stride, mss, false);
        }
        if let Some((others, agent)) = self.beside {
            for n in 0..others {
                let first = if alternate { 1 } else { self.measured };
                text += &self.flow(agent, first + n * stride, mss, true);
            }
        }
        if self.voice_kbps > 0 {
            text += &voice(self.voice_kbps, self.stack.mss);
        }
        text
    }

    fn queue(&self) -> String {
        format!("queue = {{ droptail = \"{} packets\" }}", self.buffer)
    }

    /// Independent losses on the way of the data.
    fn losses(&self) -> String {
        if self.loss > 0.0 {
            format!("loss = {{ forward = {{ iid = {:?} }} }}\n", self.loss)
        } else {
            String::new()
        }
    }

    /// Rate and delay of the bottleneck or the wireless link.
    fn slow(&self) -> String {
        format!(
            "rate = \"{}Mbps\"\ndelay = \"{}ms\"",
            self.rate, self.delay_ms
        )
    }

    fn dumbbell(&self) -> String {
        let (slow, queue, losses) = (self.slow(), self.queue(), self.losses());
        let (last, flows) = (self.last_ms, self.measured + self.others());
        let mut text = format!(
            "[[link]]\nname = \"bottleneck\"\nbetween = [\"G0\", \"G1\"]\n{slow}\n{queue}\n"
        );
        for i in 1..=flows {
            let (near, far) = if self.shape == Shape::Crowd && i > self.measured {
                let drawn = "{ uniform = [\"0.1ms\", \"10ms\"] }";
                (drawn.to_owned(), drawn.to_owned())
            } else {
                ("\"10ms\"".to_owned(), format!("\"{last}ms\""))
            };
            let _ = write!(
                text,
                "\n[[link]]\nname = \"access{i}\"\nbetween = [\"S{i}\", \"G0\"]\n\
                 rate = \"10Mbps\"\ndelay = {near}\n{queue}\n\n\
                 [[link]]\nname = \"wireless{i}\"\nbetween = [\"G1\", \"R{i}\"]\n\
                 rate = \"10Mbps\"\ndelay = {far}\n{queue}\n{losses}"
            );
        }
        text
    }

    fn chain(&self) -> String {
        let (slow, queue, losses) = (self.slow(), self.queue(), self.losses());
        let fast = "rate = \"10Mbps\"\ndelay = \"10ms\"";
        let links = [
            ("access", "S1", "G0", fast),
            (Case::BOTTLENECK, "G0", "G2", &slow),
            ("second", "G2", "G1", &slow),
            ("last", "G1", "R1", fast),
        ];
        links
            .map(|(name, a, b, speed)| {
                format!(
                    "\n[[link]]\nname = {name:?}\nbetween = [{a:?}, {b:?}]\n{speed}\n{queue}\n\
                     {losses}"
                )
            })
            .concat()
    }

    fn wireless(&self) -> String {
        let (slow, queue) = (self.slow(), self.queue());
        let wired = "rate = \"100Mbps\"\ndelay = \"5ms\"\nqueue = { droptail = \"62 packets\" }";
        format!(
            "[[link]]\nbetween = [\"S\", \"R1\"]\n{wired}\n\n\
             [[link]]\nbetween = [\"R1\", \"BS\"]\n{wired}\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"BS\", \"R\"]\n{slow}\n{queue}\n{}",
            self.repaired()
        )
    }

    /// Errors that the base station repairs.
    fn repaired(&self) -> String {
        let losses = self.losses();
        if losses.is_empty() {
            return losses;
        }
        losses + "arq = \"tcp-dcr\"\n"
    }

    fn shared(&self) -> String {
        let (slow, queue, repaired) = (self.slow(), self.queue(), self.repaired());
        let (flows, half) = (self.measured + self.others(), self.spread_ms / 2.0);
        let (low, high) = (5.0 - half, 5.0 + half);
        format!(
            "[[link]]\nname = \"access\"\ncount = {flows}\nbetween = [\"S#\", \"R\"]\n\
             rate = \"100Mbps\"\ndelay = {{ uniform = [\"{low}ms\", \"{high}ms\"] }}\n\
             queue = {{ droptail = \"62 packets\" }}\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"R\", \"BS\"]\n\
             rate = \"10Mbps\"\ndelay = \"5ms\"\n{queue}\n\n\
             [[link]]\nname = \"wireless\"\ncount = {flows}\nbetween = [\"BS\", \"D#\"]\n{slow}\n\
             queue = {{ droptail = \"50 packets\" }}\n{repaired}"
        )
    }

    fn sifest(&self) -> String {
        let (slow, queue, channel) = (self.slow(), self.queue(), self.channel);
        let wired = "rate = \"1Mbps\"\ndelay = \"5ms\"";
        format!(
            "[[link]]\nbetween = [\"CH\", \"HA\"]\n{wired}\n{queue}\n\n\
             [[link]]\nbetween = [\"HA\", \"FA\"]\n{wired}\n{queue}\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"FA\", \"MH\"]\n{slow}\n{queue}\n\
             loss = {{ forward = {{ gilbert-elliott = {{ to_bad = {:?}, to_good = {:?}, \
             loss_good = {:?}, loss_bad = {:?} }} }} }}\n",
            channel.to_bad, channel.to_good, channel.loss_good, channel.loss_bad
        )
    }

    /// The flow that starts as number `n`, from 0.
    fn flow(&self, agent: Agent, n: u32, mss: u32, beside: bool) -> String {
        let number = n + 1;
        let ends = match self.shape {
            Shape::Dumbbell | Shape::Crowd | Shape::Chain => {
                (format!("S{number}"), format!("R{number}"))
            }
            Shape::Wireless => ("S".into(), "R".into()),
            Shape::Shared => (format!("S{number}"), format!("D{number}")),
            Shape::Sifest => ("CH".into(), "MH".into()),
        };
        let transport = match agent.name {
            "CERL" => format!(
                "{{ preset = \"cerl\", congestion = {{ cerl = {{ a = {:?} }} }} }}",
                self.threshold
            ),
            _ => agent.transport.to_owned(),
        };
        let law = (transport.as_str(), agent.profile);
        let mut text = bulk(
            &format!("f{number}"),
            &ends,
            law,
            mss,
            u64::from(self.window),
        );
        text += &self.start(n, beside);
        text += &delayed_acks(self.stack.delack_ms);
        text + &self.tcp(agent)
    }

    fn start(&self, n: u32, beside: bool) -> String {
        if self.shape == Shape::Crowd && beside {
            let end = self.until;
            return format!(
                "start = {{ uniform = [\"1s\", \"200s\"] }}\n\
                 stop = {{ uniform = [\"{}s\", \"{}s\"] }}\n",
                end - 200.0,
                end - 1.0
            );
        }
        start(f64::from(n) * self.step, self.jitter)
    }

    fn tcp(&self, agent: Agent) -> String {
        let stack = self.stack;
        let larger = agent.name.ends_with("+LIW");
        let window = if larger { 2 } else { stack.initial_window };
        // ns-2 has no bound where it is 0; a time of ours is at least a nanosecond.
        let min_rto = stack.min_rto.max(1e-9);
        let mut text = format!(
            "tcp = {{ tick = \"{}s\", min_rto = \"{}ns\", initial_rto = \"{}s\", \
             initial_window = \"{window} segments\", limited_transmit = {}",
            stack.tick,
            libm::round(min_rto * 1e9),
            stack.initial_rto,
            stack.limited_transmit
        );
        if larger {
            text += ", loss_window = \"2 segments\"";
        }
        if let Some(cap) = self.cap {
            // The agents count a window at its cap as congestion avoidance, ours from the threshold on.
            let _ = write!(
                text,
                ", max_cwnd = \"{cap} segments\", initial_ssthresh = \"{cap} segments\""
            );
        }
        text + " }\n"
    }
}
