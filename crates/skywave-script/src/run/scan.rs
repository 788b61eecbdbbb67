//! Reads a script's options, and finds what is not modelled before anything runs.

use skywave_core::time::Duration;

use super::Setup;
use crate::host::{Settings, System};
use crate::language::{Event, Packet, Script, Setting, TcpOption, TcpPacket, Value, What};
use crate::place::Place;
use crate::report::Skip;
use crate::shell::{self, Line};

/// The urgent bit.
const URG: u8 = 1 << 5;

pub(super) fn read(script: &Script, given: Option<System>) -> Result<Setup, (Place, Skip)> {
    let system = given.unwrap_or_else(|| system(script));
    let mut setup = Setup {
        settings: Settings::new(system),
        tolerance: Duration::from_micros(4000),
        share: 0.125,
        tick: Duration::ZERO,
    };
    for setting in &script.settings {
        set(&mut setup, setting).map_err(|skip| (setting.place, skip))?;
    }
    // What the script is about is the better reason than the variable that prepares it.
    for event in &script.events {
        let (packet, sent) = match &event.what {
            What::Inject(packet) => (packet, false),
            What::Expect(packet) => (packet, true),
            What::Call(call) if call.arguments.iter().any(is_fast_open) => {
                return Err((event.place, Skip::new("TCP Fast Open", "")));
            }
            _ => continue,
        };
        check(packet, sent).map_err(|skip| (event.place, skip))?;
    }
    let mut trial = setup.settings.clone();
    for event in &script.events {
        if let What::Shell(text) = &event.what {
            trial_shell(&mut trial, event, text)?;
        }
    }
    Ok(setup)
}

fn trial_shell(trial: &mut Settings, event: &Event, text: &str) -> Result<(), (Place, Skip)> {
    let blame = |skip| (event.place, skip);
    for line in shell::read(text).map_err(blame)? {
        if let Line::Set { name, value } = line {
            trial.set(&name, &value).map_err(blame)?;
        }
    }
    Ok(())
}

fn is_fast_open(value: &Value) -> bool {
    match value {
        Value::Word(word) => word.starts_with("TCP_FASTOPEN") || word == "MSG_FASTOPEN",
        Value::Union(all) => all.iter().any(is_fast_open),
        _ => false,
    }
}

/// System whose variables the script sets.
fn system(script: &Script) -> System {
    let is_bsd = |event: &Event| match &event.what {
        What::Shell(text) => text.contains("net.inet.") || text.contains("kern.ipc."),
        _ => false,
    };
    if script.events.iter().any(is_bsd) {
        System::FreeBsd
    } else {
        System::Linux
    }
}

fn set(setup: &mut Setup, setting: &Setting) -> Result<(), Skip> {
    let text = setting.value.trim_end_matches("ms");
    let bad = || Skip::new("option", format!("--{}={}", setting.name, setting.value));
    let number = || text.parse::<u32>().map_err(|_| bad());
    match setting.name.as_str() {
        "ip_version" => setup.settings.ipv6 = text == "ipv6",
        "mss" => setup.settings.arriving_mss = Some(number()?),
        "mtu" => setup.settings.mtu = number()?,
        "tolerance_usecs" => setup.tolerance = Duration::from_micros(number()?.into()),
        "tolerance_percent" => {
            setup.share = text.parse::<f64>().map_err(|_| bad())?.clamp(0.0, 100.0) / 100.0;
        }
        "tcp_ts_tick_usecs" => setup.tick = Duration::from_micros(number()?.into()),
        "local_ip" | "remote_ip" | "gateway_ip" | "netmask_ip" | "bind_port" | "connect_port"
        | "speed" | "verbose" | "init_scripts" | "non_fatal" | "is_anyip" | "send_omit_free"
        | "dry_run" | "connect_ip" | "remote_ip4" => {}
        "udp_encapsulation" | "udp_encaps" => return Err(Skip::new("TCP over UDP", "")),
        "tcp_md5_secret" => return Err(Skip::new("MD5 signatures", "")),
        "psp_udp_port" => return Err(Skip::new("PSP", "")),
        _ => return Err(bad()),
    }
    Ok(())
}

fn check(packet: &Packet, sent: bool) -> Result<(), Skip> {
    match packet {
        Packet::Tcp(packet) => check_tcp(packet, sent),
        Packet::Icmp(_) => Ok(()),
        Packet::Other(name) => Err(Skip::new("packets of another protocol", name.clone())),
    }
}

fn check_tcp(packet: &TcpPacket, sent: bool) -> Result<(), Skip> {
    for option in packet.options.iter().flatten() {
        if let TcpOption::Other(name) = option {
            let class = match name.as_str() {
                "FO" | "FOEXP" | "exp" => "TCP Fast Open",
                // One that comes although none was agreed on is modelled: its packet is dropped.
                "md5" if !sent => continue,
                "md5" => "MD5 signatures",
                "ECN" => "accurate ECN",
                _ => "TCP option",
            };
            return Err(Skip::new(
                class,
                if class == "TCP option" { name } else { "" },
            ));
        }
    }
    if packet.ace.is_some() {
        return Err(Skip::new("accurate ECN", ""));
    }
    if packet.urgent.is_some() || packet.flags & URG != 0 {
        return Err(Skip::new("urgent data", ""));
    }
    match &packet.header {
        Some(name) if name == "UDP encapsulation" => Err(Skip::new("TCP over UDP", "")),
        Some(name) => Err(Skip::new("fields of the IP header", name.clone())),
        None => Ok(()),
    }
}
