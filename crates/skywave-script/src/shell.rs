//! Shell lines. None is run: those that are understood set the host or ask for its state, and any other skips the
//! script.

use crate::report::Skip;

/// Meaning of a shell line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Sets a variable of the system.
    Set {
        /// Name of the variable, with points.
        name: String,
        /// Value of the variable.
        value: String,
    },
    /// The variables have the values that the suite of google/packetdrill begins with.
    LinuxDefaults,
    /// The number of connections in a state, of which `pattern` must be a part when it is written down.
    CountStates {
        /// Name of the state, as `sockstat` prints it.
        state: String,
        /// Text that `grep` looks for in the count.
        pattern: String,
    },
    /// Somebody listens.
    Listens,
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
        "set_sysctls.py" | "sysctl" => assignments(line, lines).ok_or_else(unknown)?,
        "sockstat" => lines.push(count(line).ok_or_else(unknown)?),
        "tcpdrop" if words.contains(&"TIME_WAIT") => lines.push(Line::DropTimeWait),
        // Nothing is merged or delayed on the way to our device.
        "ethtool" if words.iter().any(|w| matches!(*w, "tso" | "gso" | "gro")) => {}
        "tc" if line.contains("pfifo") && !line.contains("limit") => {}
        // The states of sockets, of which 0A is LISTEN.
        "grep" if line.contains("\" 0A \" /proc/net/tcp") => lines.push(Line::Listens),
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

/// `sysctl -w name=value other="a b"`, and the same behind `set_sysctls.py`.
fn assignments(line: &str, lines: &mut Vec<Line>) -> Option<()> {
    let line = line.split('>').next().unwrap_or_default();
    let words = quoted_words(line);
    for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
        let (name, value) = word.split_once('=')?;
        let name = name.trim_start_matches("/proc/sys/").replace('/', ".");
        let value = value.trim().to_owned();
        lines.push(Line::Set { name, value });
    }
    Some(())
}

/// Words of a line; quotation marks join several to one.
fn quoted_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match (c, words.last_mut()) {
            ('"', _) => quoted = !quoted,
            (c, Some(word)) if quoted || !c.is_whitespace() => word.push(c),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
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
