//! The order and padding of options as each system writes them, which scripts compare.

use crate::host::System;
use crate::language::TcpOption;

/// Bytes of an option.
fn len(option: &TcpOption) -> usize {
    match option {
        TcpOption::Nop | TcpOption::End | TcpOption::Other(_) => 1,
        TcpOption::Mss(_) => 4,
        TcpOption::WindowScale(_) => 3,
        TcpOption::SackPermitted => 2,
        TcpOption::Sack(blocks) => 2 + 8 * blocks.len(),
        TcpOption::Timestamps { .. } => 10,
    }
}

/// The place of an option among the others.
fn place(option: &TcpOption, system: System, timestamps: bool) -> u8 {
    let linux = system == System::Linux;
    match option {
        TcpOption::Mss(_) => 0,
        TcpOption::WindowScale(_) if linux => 4,
        TcpOption::WindowScale(_) => 1,
        // In one word with the timestamps.
        TcpOption::SackPermitted if linux && timestamps => 1,
        TcpOption::SackPermitted => 2,
        TcpOption::Timestamps { .. } => 3,
        _ => 5,
    }
}

/// Where an option begins: the remainder of its offset by a number.
fn alignment(option: &TcpOption, system: System, timestamps: bool) -> (usize, usize) {
    match (option, system) {
        (TcpOption::SackPermitted, System::Linux) if !timestamps => (2, 4),
        (TcpOption::Timestamps { .. } | TcpOption::Sack(_), _) => (2, 4),
        (TcpOption::WindowScale(_), System::Linux) => (1, 4),
        (TcpOption::WindowScale(_), System::FreeBsd) => (1, 2),
        (TcpOption::SackPermitted, System::FreeBsd) => (0, 2),
        _ => (0, 1),
    }
}

/// `options` in the order in which `system` writes them, with its padding.
pub(super) fn laid_out(mut options: Vec<TcpOption>, system: System) -> Vec<TcpOption> {
    let timestamps = options
        .iter()
        .any(|option| matches!(option, TcpOption::Timestamps { .. }));
    options.sort_by_key(|option| place(option, system, timestamps));
    let mut list = Vec::new();
    let mut offset = 0;
    for option in options {
        let (rest, of) = alignment(&option, system, timestamps);
        while offset % of != rest {
            list.push(TcpOption::Nop);
            offset += 1;
        }
        offset += len(&option);
        list.push(option);
    }
    while offset % 4 != 0 {
        list.push(TcpOption::End);
        offset += 1;
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_order() {
        use TcpOption::{End, Mss, Nop, SackPermitted, Timestamps, WindowScale};
        let stamp = Timestamps { value: 1, echo: 0 };
        let syn = vec![Mss(1460), WindowScale(8), SackPermitted, stamp.clone()];
        let linux = [Mss(1460), SackPermitted, stamp.clone(), Nop, WindowScale(8)];
        assert_eq!(laid_out(syn.clone(), System::Linux), linux);
        let bsd = [Mss(1460), Nop, WindowScale(8), SackPermitted, stamp];
        assert_eq!(laid_out(syn, System::FreeBsd), bsd);
        let short = vec![Mss(1460), SackPermitted];
        let linux = [Mss(1460), Nop, Nop, SackPermitted];
        assert_eq!(laid_out(short.clone(), System::Linux), linux);
        let bsd = [Mss(1460), SackPermitted, End, End];
        assert_eq!(laid_out(short, System::FreeBsd), bsd);
    }
}
