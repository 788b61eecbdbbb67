//! A case as a scenario file.

use std::fmt::Write;

use super::agent::Agent;
use super::case::{
    Case, Cerl, DCR_FLOWS, DCR_FROM, Dcr, HEADER, Path, Queue, Radios, RedBottleneck, Sifest, Wifi,
};

impl Case {
    /// The scenario file, without seeds.
    pub fn scenario(&self) -> String {
        match &self.path {
            Path::Cerl(path) => self.cerl(path),
            Path::Sifest(path) => self.sifest(path),
            Path::Dcr(path) => self.dcr(path),
            Path::Red(path) => self.red(path),
            Path::Wifi(path) => self.wifi(path),
            Path::Dumbbell(path) => path.scenario(self.agent) + &self.run_from(path.from),
            Path::Relayed(path) => path.scenario(self.agent) + &self.run_from(path.from),
            Path::Shared(path) => path.scenario(self.agent) + &self.run_from(path.from),
            Path::Witness(path) if path.from > 0.0 => {
                path.scenario(self) + &self.run_from(path.from)
            }
            Path::Witness(path) => path.scenario(self) + &self.run(None),
        }
    }

    fn cerl(&self, path: &Cerl) -> String {
        let Cerl {
            rate,
            delay,
            buffer,
            loss,
            beside,
        } = path;
        let flows = 1 + u32::from(beside.is_some());
        let queue = format!("queue = {{ droptail = \"{buffer} packets\" }}");
        let mut text = format!(
            "[[link]]\nname = \"access\"\ncount = {flows}\nbetween = [\"S#\", \"G0\"]\n\
             rate = \"10Mbps\"\ndelay = \"10ms\"\n{queue}\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"G0\", \"G1\"]\n\
             rate = {rate:?}\ndelay = {delay:?}\n{queue}\n\n\
             [[link]]\nname = \"wireless\"\ncount = {flows}\nbetween = [\"G1\", \"R#\"]\n\
             rate = \"10Mbps\"\ndelay = \"10ms\"\n{queue}\n\
             loss = {{ forward = {{ iid = {loss:?} }} }}\n"
        );
        for (i, agent) in [Some(self.agent), *beside]
            .into_iter()
            .flatten()
            .enumerate()
        {
            let (theirs, _) = self.payload();
            let mss = if agent.bare { theirs - HEADER } else { theirs };
            let window = 3 * u64::from(*buffer);
            let ends = (format!("S{}", i + 1), format!("R{}", i + 1));
            text += &flow(&format!("f{}", i + 1), &ends, agent, mss, window);
            if beside.is_some() {
                text += "start = { uniform = [\"0ms\", \"100ms\"] }\n";
            }
        }
        text + &self.run(None)
    }

    fn sifest(&self, path: &Sifest) -> String {
        let Sifest {
            loss_good,
            loss_bad,
            tick,
            limited_transmit,
            ..
        } = path;
        let at = if path.tail { "tail" } else { "head" };
        let mut text = format!(
            "[[link]]\nbetween = [\"CH\", \"HA\"]\nrate = \"1Mbps\"\ndelay = \"5ms\"\n\n\
             [[link]]\nbetween = [\"HA\", \"FA\"]\nrate = \"1Mbps\"\ndelay = \"5ms\"\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"FA\", \"MH\"]\nrate = \"128kbps\"\n\
             delay = \"25ms\"\nloss_at = \"{at}\"\n\
             loss = {{ forward = {{ gilbert-elliott = {{ to_bad = 0.3, to_good = 0.3, \
             loss_good = {loss_good:?}, loss_bad = {loss_bad:?} }} }} }}\n"
        );
        let ends = ("CH".to_owned(), "MH".to_owned());
        let window = u64::from(path.window);
        text += &flow("bulk", &ends, self.agent, self.payload().1, window);
        text += &delayed_acks(path.delack_ms);
        let era = if path.era {
            ", initial_window = \"1 segment\", min_rto = \"1ns\", initial_rto = \"6s\""
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "tcp = {{ tick = \"{tick}s\", limited_transmit = {limited_transmit}{era} }}"
        );
        if path.cbr_kbps > 0 {
            text += &voice(path.cbr_kbps, 512);
        }
        text + &self.run(None)
    }

    fn dcr(&self, path: &Dcr) -> String {
        let delay = match f64::from(path.spread_ms) / 2.0 {
            0.0 => "\"5ms\"".to_owned(),
            half => format!(
                "{{ uniform = [\"{}ms\", \"{}ms\"] }}",
                5.0 - half,
                5.0 + half
            ),
        };
        let mut text = format!(
            "[[link]]\nname = \"access\"\ncount = {DCR_FLOWS}\nbetween = [\"S#\", \"R\"]\n\
             rate = \"100Mbps\"\ndelay = {delay}\nqueue = {{ droptail = \"62 packets\" }}\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"R\", \"BS\"]\n\
             rate = \"10Mbps\"\ndelay = \"5ms\"\nqueue = {{ {} }}\n\n\
             [[link]]\nname = \"wireless\"\ncount = {DCR_FLOWS}\nbetween = [\"BS\", \"D#\"]\n\
             rate = \"1Mbps\"\ndelay = \"20ms\"\nqueue = {{ droptail = \"50 packets\" }}\n",
            path.queue.scenario(path.buffer)
        );
        for i in 1..=DCR_FLOWS {
            let ends = (format!("S{i}"), format!("D{i}"));
            text += &flow(
                &format!("f{i}"),
                &ends,
                self.agent,
                self.payload().1,
                u64::from(path.window),
            );
            text += &start((i - 1) as f64, path.jitter);
        }
        text + &self.run(Some(DCR_FROM))
    }

    fn red(&self, path: &RedBottleneck) -> String {
        let RedBottleneck {
            rate, delay, flows, ..
        } = path;
        let mut text = format!(
            "[[link]]\nname = \"bottleneck\"\nbetween = [\"R\", \"BS\"]\nrate = {rate:?}\n\
             delay = {delay:?}\nqueue = {{ {} }}\n\n\
             [[link]]\nname = \"wireless\"\ncount = {flows}\nbetween = [\"BS\", \"D#\"]\n\
             rate = \"100Mbps\"\ndelay = \"1ms\"\nqueue = {{ droptail = \"1000 packets\" }}\n\
             loss = {{ forward = {{ iid = {:?} }} }}\n",
            path.queue(),
            path.loss
        );
        for i in 1..=*flows {
            let access_ms = 1 + u64::from(i - 1) * u64::from(path.step_ms);
            let _ = writeln!(
                text,
                "\n[[link]]\nname = \"access{i}\"\nbetween = [\"S{i}\", \"R\"]\n\
                 rate = \"100Mbps\"\ndelay = \"{access_ms}ms\"\n\
                 queue = {{ droptail = \"1000 packets\" }}"
            );
            let ends = (format!("S{i}"), format!("D{i}"));
            let window = u64::from(RedBottleneck::WINDOW);
            let name = format!("f{i}");
            text += &flow(&name, &ends, self.agent, self.payload().1, window);
            text += "start = { uniform = [\"0s\", \"1s\"] }\n";
            if path.ecn {
                text += "tcp = { ecn = true }\n";
            }
        }
        text + &self.run(Some(RedBottleneck::FROM))
    }

    /// With the defaults of ns-3: its MAC, reception (over ns-2's distances too) and AODV, an ACK a segment,
    /// first window 10, RTO of at least 1 s.
    fn wifi(&self, path: &Wifi) -> String {
        let (propagation, step) = match path.radios {
            Radios::Ns2 => (
                "\"ns2\"\nreception = \"sinr\"\nsensing = { frames = { energy = \"-78.07dBm\" } }",
                200,
            ),
            Radios::Ns3 => ("\"ns3\"", 30),
        };
        let rts = if path.rts { "always" } else { "never" };
        let Wifi {
            hops, slot_us, mss, ..
        } = path;
        let stations = hops + 1;
        format!(
            "[radio]\nstandard = \"802.11g\"\nrate = \"24Mbps\"\ncontrol_rate = \"6Mbps\"\n\
             ack_rate = \"24Mbps\"\neifs_rate = \"1Mbps\"\ncca = \"4us\"\nkeep_access = true\n\
             slot = \"{slot_us}us\"\nrts = \"{rts}\"\nretries = {{ short = 7, long = 7 }}\n\
             propagation = {propagation}\n\
             routing = {{ aodv = {{ raise_on_break = false, drop_queued = false, hello = true, \
             gratuitous_rrep = true, rerr_ratelimit = 1000 }} }}\n\n\
             [[station]]\nnode = \"N#\"\ncount = {stations}\nat = [\"0m\", \"0m\"]\n\
             step = [\"{step}m\", \"0m\"]\n\n\
             [[flow]]\nname = \"bulk\"\nfrom = \"N1\"\nto = \"N{stations}\"\ntransport = {}\n\
             profile = \"{}\"\nmss = {mss}\nheader = {}\nrwnd = \"131072B\"\ntraffic = \"ftp\"\n\
             acking = \"every\"\n\
             tcp = {{ timestamps = true, initial_window = \"10 segments\", min_rto = \"1s\" }}\n",
            self.agent.transport, self.agent.profile, HEADER,
        ) + &self.run(None)
    }

    /// As [`Self::run`], measured from so many seconds on.
    fn run_from(&self, seconds: f64) -> String {
        self.run(Some(&format!("{seconds}s")))
    }

    fn run(&self, from: Option<&str>) -> String {
        let duration = &self.duration;
        let measure = from.map_or(String::new(), |from| {
            format!("measure = [{from:?}, {duration:?}]\n")
        });
        format!("\n[run]\nduration = {duration:?}\n{measure}")
    }
}

impl Queue {
    fn scenario(self, buffer: u32) -> String {
        // ns-2 computes the weight: a time constant of ten round trips of 100 ms, in packets of 500
        // bytes at 10 Mb/s.
        let weight = 1.0 - libm::exp(-1.0 / 2500.0);
        let rest = format!("max_p = 0.1, weight = {weight}, gentle = true, wait = true");
        let buffer = u64::from(buffer);
        let share = |unit: u64, of: f64| (buffer * unit) as f64 * of;
        match self {
            Self::DropTail => format!("droptail = \"{buffer} packets\""),
            Self::Red => format!(
                "red = {{ limit = \"{buffer} packets\", min = \"{} packets\", \
                 max = \"{} packets\", {rest}, mean_packet = \"500B\" }}",
                share(1, 0.25),
                share(1, 0.75)
            ),
            Self::RedBytes => format!(
                "red = {{ limit = \"{}B\", min = \"{}B\", max = \"{}B\", {rest}, \
                 mean_packet = \"500B\" }}",
                500 * buffer,
                share(500, 0.25),
                share(500, 0.75)
            ),
        }
    }
}

impl RedBottleneck {
    fn queue(&self) -> String {
        let length = |packets: u32| {
            if self.in_bytes {
                format!("{}B", u64::from(packets) * u64::from(Self::PACKET))
            } else {
                format!("{packets} packets")
            }
        };
        format!(
            "red = {{ limit = \"{}\", min = \"{}\", max = \"{}\", max_p = {:?}, weight = {}, \
             gentle = {}, wait = {}, mean_packet = \"{}B\", ecn = {} }}",
            length(self.buffer),
            length(self.min),
            length(self.max),
            self.max_p,
            Self::WEIGHT,
            self.gentle,
            self.wait,
            Self::PACKET,
            self.ecn
        )
    }
}

/// A bulk flow with the defaults of ns-2.
fn flow(name: &str, ends: &(String, String), agent: Agent, mss: u32, window: u64) -> String {
    bulk(name, ends, (agent.transport, agent.profile), mss, window)
}

/// The same with a transport and its profile.
pub(super) fn bulk(
    name: &str,
    ends: &(String, String),
    (transport, profile): (&str, &str),
    mss: u32,
    window: u64,
) -> String {
    let (from, to) = ends;
    format!(
        "\n[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\n\
         profile = \"{profile}\"\nmss = {mss}\nheader = {HEADER}\nrwnd = \"{window} segments\"\n\
         traffic = \"ftp\"\n"
    )
}

/// A flow starts at `first`, or up to `jitter` later; seconds.
pub(super) fn start(first: f64, jitter: f64) -> String {
    if jitter > 0.0 {
        let last = first + jitter;
        format!("start = {{ uniform = [\"{first}s\", \"{last}s\"] }}\n")
    } else {
        format!("start = \"{first}s\"\n")
    }
}

/// Every second segment is acknowledged, or after this time; nothing for 0, where every segment is.
pub(super) fn delayed_acks(ms: u32) -> String {
    if ms == 0 {
        return String::new();
    }
    format!("acking = {{ delayed = {{ every = 2, timeout = \"{ms}ms\" }} }}\n")
}

/// The voice flow beside those of SIFEST's path.
pub(super) fn voice(kbps: u32, packet: u32) -> String {
    format!(
        "\n[[flow]]\nname = \"voice\"\nfrom = \"CH\"\nto = \"MH\"\ntransport = \"udp\"\n\
         header = \"0B\"\n\
         traffic = {{ cbr = {{ rate = \"{kbps}kbps\", packet = \"{packet}B\" }} }}\n\
         start = {{ uniform = [\"0ms\", \"60ms\"] }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_buffer_is_written_in_full() {
        let scenario = |path| {
            let agent = Agent::find("reno").expect("an agent");
            let duration = "1s".into();
            Case {
                agent,
                path,
                duration,
            }
            .scenario()
        };
        let cerl = scenario(Path::Cerl(Cerl {
            rate: "2Mbps".into(),
            delay: "80ms".into(),
            buffer: u32::MAX,
            loss: 0.0,
            beside: None,
        }));
        assert!(cerl.contains("rwnd = \"12884901885 segments\""), "{cerl}");
        let dcr = scenario(Path::Dcr(Dcr {
            queue: Queue::RedBytes,
            buffer: u32::MAX,
            window: 8,
            jitter: 0.0,
            spread_ms: 0,
        }));
        assert!(dcr.contains("limit = \"2147483647500B\""), "{dcr}");
        assert!(dcr.contains("max = \"1610612735625B\""), "{dcr}");
    }
}
