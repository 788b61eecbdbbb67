//! Control messages that `recvmsg` gives, and their comparison with those that a script expects.

use skywave_core::time::{Duration, Time};

use super::notes::Note;
use super::transfer::words;
use crate::language::Value;

/// A field of a control message: a number, or a constant by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Field {
    Number(i64),
    Word(&'static str),
}

/// A control message, by the names of its data's fields; a plain number has the empty name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Control {
    kind: &'static str,
    fields: Vec<(&'static str, Field)>,
}

/// Bytes that can be read (`TCP_INQ`).
pub(super) fn readable(bytes: u64) -> Control {
    Control {
        kind: "TCP_CM_INQ",
        fields: vec![("", Field::Number(bytes.cast_signed()))],
    }
}

/// The control messages of a note, whose times count from `start`.
pub(super) fn of_note(note: Note, start: Time) -> Vec<Control> {
    let number = |n: u64| Field::Number(n.cast_signed());
    let error = |errno, origin, code, info, data| Control {
        kind: "CMSG_TYPE_RECVERR",
        fields: vec![
            ("ee_errno", errno),
            ("ee_origin", Field::Word(origin)),
            ("ee_type", Field::Number(0)),
            ("ee_code", code),
            ("ee_info", info),
            ("ee_data", data),
        ],
    };
    match note {
        // Between us and a device the data is always copied.
        Note::Free { first, last } => vec![error(
            Field::Number(0),
            "SO_EE_ORIGIN_ZEROCOPY",
            Field::Word("SO_EE_CODE_ZEROCOPY_COPIED"),
            number(first),
            number(last),
        )],
        Note::Stamp { stage, at, byte } => {
            let nanos = at.since(start).as_nanos();
            let stamp = Control {
                kind: "SCM_TIMESTAMPING",
                fields: vec![
                    ("scm_sec", number(nanos / 1_000_000_000)),
                    ("scm_nsec", number(nanos % 1_000_000_000)),
                ],
            };
            let origin = "SO_EE_ORIGIN_TIMESTAMPING";
            let error = error(
                Field::Word("ENOMSG"),
                origin,
                Field::Number(0),
                Field::Word(stage),
                number(byte),
            );
            vec![stamp, error]
        }
    }
}

/// Compares control messages with those that a script expects, times within `tolerance`. Returns what differs: what
/// was expected, and what came.
pub(super) fn differ(
    got: &[Control],
    expected: Option<&Value>,
    tolerance: Duration,
) -> Option<(String, String)> {
    let Some(Value::List(expected)) = expected else {
        return None;
    };
    let same = expected.len() == got.len()
        && expected
            .iter()
            .zip(got)
            .all(|(expected, got)| is_same(got, expected, tolerance));
    (!same).then(|| (format!("control messages {expected:?}"), format!("{got:?}")))
}

fn is_same(got: &Control, expected: &Value, tolerance: Duration) -> bool {
    if words(expected.field("cmsg_type")) != [got.kind] {
        return false;
    }
    let plain;
    let data = match expected.field("cmsg_data") {
        Some(Value::Structure(fields)) => fields,
        Some(value) => {
            plain = vec![(String::new(), value.clone())];
            &plain
        }
        None => return true,
    };
    if got.kind == "SCM_TIMESTAMPING" {
        let nanos = |sec: i64, nsec: i64| sec.saturating_mul(1_000_000_000).saturating_add(nsec);
        let of = |name: &str| match data.iter().find(|(n, _)| n == name) {
            Some((_, Value::Number(n))) => *n,
            _ => 0,
        };
        let [(_, Field::Number(sec)), (_, Field::Number(nsec))] = got.fields[..] else {
            return false;
        };
        let expected = nanos(of("scm_sec"), of("scm_nsec"));
        return expected.abs_diff(nanos(sec, nsec)) <= tolerance.as_nanos();
    }
    data.iter().all(|(name, value)| {
        let field = got.fields.iter().find(|(n, _)| n == name).map(|(_, f)| f);
        match (field, value) {
            (Some(Field::Number(a)), Value::Number(b)) => a == b,
            (Some(Field::Word(a)), Value::Word(b)) => a == b,
            _ => false,
        }
    })
}
