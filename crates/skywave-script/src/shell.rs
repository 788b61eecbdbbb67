//! Shell lines. None is run: those that are understood set the host or ask for its state, and any other skips the
//! script.

use crate::report::Skip;

/// What a shell line means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Sets a variable of the system.
    Set {
        /// Its name, with points.
        name: String,
        /// Its value.
        value: String,
    },
    /// The variables have the values that the suite of google/packetdrill begins with.
    LinuxDefaults,
    /// The number of connections in a state, of which `pattern` must be a part when it is written down.
    CountStates {
        /// The state's name, as `sockstat` prints it.
        state: String,
        /// What `grep` looks for in the count.
        pattern: String,
    },
    /// Connections in TIME-WAIT end.
    DropTimeWait,
    /// Packets are of another size from now on.
    Mtu(u32),
}

/// Reads shell text.
pub(crate) fn read(text: &str) -> Result<Vec<Line>, Skip> {
    let text = text.replace("\\\n", " ");
    let mut lines = Vec::new();
    for line in text
        .lines()
        .flat_map(|line| line.split("&&"))
        .flat_map(|line| line.split(';'))
    {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            command(line, &mut lines)?;
        }
    }
    Ok(lines)
}

fn command(line: &str, lines: &mut Vec<Line>) -> Result<(), Skip> {
    let unknown = || Skip::new("shell line", line.chars().take(60).collect::<String>());
    let words: Vec<&str> = line.split_whitespace().collect();
    let name = words[0].rsplit('/').next().unwrap_or_default();
    match name {
        "defaults.sh" => lines.push(Line::LinuxDefaults),
        "set_sysctls.py" => {
            for word in &words[1..] {
                set(word, lines).ok_or_else(unknown)?;
            }
        }
        "sysctl" => sysctl(line, lines).ok_or_else(unknown)?,
        "sockstat" => lines.push(count(line).ok_or_else(unknown)?),
        "tcpdrop" if words.contains(&"TIME_WAIT") => lines.push(Line::DropTimeWait),
        // Nothing is merged or delayed on the way to our device.
        "ethtool" if words.iter().any(|w| matches!(*w, "tso" | "gso" | "gro")) => {}
        "tc" if line.contains("pfifo") && !line.contains("limit") => {}
        "ip" if line.contains("tcp_metrics flush") => {}
        "sleep" | "true" | "echo" if !line.contains('>') => {}
        "ifconfig" => lines.push(mtu(&words).ok_or_else(unknown)?),
        // HyStart has both of its signs anyway, and the content of files does not matter.
        "echo" if line.ends_with("3 > /sys/module/tcp_cubic/parameters/hystart_detect") => {}
        "rm" | "dd" if line.contains("/tmp/") => {}
        name if name.starts_with("sysctl_restore") => {}
        _ => return Err(unknown()),
    }
    Ok(())
}

fn mtu(words: &[&str]) -> Option<Line> {
    let at = words.iter().position(|w| *w == "mtu")?;
    Some(Line::Mtu(words.get(at + 1)?.parse().ok()?))
}

/// `sysctl -w name=value`, `sysctl -q name="a b"`.
fn sysctl(line: &str, lines: &mut Vec<Line>) -> Option<()> {
    let line = line.split('>').next().unwrap_or_default();
    let rest = line.split_once("sysctl")?.1.trim();
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace()).trim();
    let mut rest = rest;
    while let Some(flagged) = rest.strip_prefix('-') {
        rest = flagged.split_once(' ')?.1.trim();
    }
    if rest.contains('"') {
        return set(rest, lines);
    }
    for word in rest.split_whitespace() {
        set(word, lines)?;
    }
    Some(())
}

fn set(word: &str, lines: &mut Vec<Line>) -> Option<()> {
    let (name, value) = word.split_once('=')?;
    let name = name.trim_start_matches("/proc/sys/").replace('/', ".");
    let value = value.trim().trim_matches('"').to_owned();
    lines.push(Line::Set { name, value });
    Some(())
}

/// `sockstat … | grep -c STATE | grep N`.
fn count(line: &str) -> Option<Line> {
    let mut state = None;
    let mut pattern = None;
    for part in line.split('|').skip(1) {
        let words: Vec<&str> = part.split_whitespace().collect();
        match words[..] {
            ["grep", "-c", name] => state = Some(name.to_owned()),
            ["grep", text] if state.is_some() => pattern = Some(text.to_owned()),
            ["grep", _] => {}
            _ => return None,
        }
    }
    Some(Line::CountStates {
        state: state?,
        pattern: pattern?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_lines_are_read() {
        assert_eq!(
            read("sysctl -w net.inet.tcp.sack.enable=1"),
            Ok(vec![Line::Set {
                name: "net.inet.tcp.sack.enable".to_owned(),
                value: "1".to_owned()
            }])
        );
        assert_eq!(
            read("../common/defaults.sh\n../common/set_sysctls.py /proc/sys/net/ipv4/tcp_ecn=2"),
            Ok(vec![
                Line::LinuxDefaults,
                Line::Set {
                    name: "net.ipv4.tcp_ecn".to_owned(),
                    value: "2".to_owned()
                }
            ])
        );
        assert_eq!(
            read("sockstat -4 -P tcp -s | grep packetdril | grep -c TIME_WAIT | grep 1"),
            Ok(vec![Line::CountStates {
                state: "TIME_WAIT".to_owned(),
                pattern: "1".to_owned()
            }])
        );
        assert!(read("rm -rf /").is_err());
        assert!(read("").is_ok_and(|lines| lines.is_empty()));
    }
}
