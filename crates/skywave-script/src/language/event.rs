//! An event: its time, and what happens then.

use skywave_core::time::Duration;

use super::cursor::Cursor;
use super::{Event, What, When, call, packet};
use crate::place::Mistake;

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Event, Mistake> {
    cursor.skip_space()?;
    let place = cursor.place();
    let when = when(cursor)?;
    let until = if cursor.take("...")? {
        cursor.take("+")?;
        Some(cursor.seconds()?)
    } else {
        None
    };
    cursor.skip_space()?;
    let what = match cursor.peek() {
        Some('<') => {
            cursor.step(1);
            What::Inject(packet::read(cursor, true)?)
        }
        Some('>') => {
            cursor.step(1);
            What::Expect(packet::read(cursor, false)?)
        }
        Some('`') => What::Shell(shell(cursor)?),
        Some('%') => {
            cursor.want("%{")?;
            What::Code(cursor.until("}%")?.to_owned())
        }
        Some(c) if c.is_ascii_alphabetic() => What::Call(call::read(cursor)?),
        _ => return Err(cursor.expected("`<`, `>`, a call, a shell line in backquotes or `%{`")),
    };
    let blocks = matches!(what, What::Call(_));
    if until.is_some() && !blocks {
        return Err(Mistake {
            place,
            what: "only a call has a time at which it returns".to_owned(),
        });
    }
    let waits = matches!(what, What::Expect(_));
    let fixed = matches!(when, When::Absolute(_) | When::Relative(_));
    if !waits && !fixed {
        return Err(Mistake {
            place,
            what: "only a packet that is expected has any time or a range of times".to_owned(),
        });
    }
    Ok(Event {
        place,
        when,
        until,
        what,
    })
}

/// The text between backquotes.
pub(super) fn shell(cursor: &mut Cursor<'_>) -> Result<String, Mistake> {
    cursor.want("`")?;
    Ok(cursor.until("`")?.to_owned())
}

fn when(cursor: &mut Cursor<'_>) -> Result<When, Mistake> {
    if cursor.take("*")? {
        return Ok(When::Any);
    }
    let relative = cursor.take("+")?;
    let first = cursor.seconds()?;
    if !cursor.take("~")? {
        return Ok(if relative {
            When::Relative(first)
        } else {
            When::Absolute(first)
        });
    }
    let last = range_end(cursor, relative)?;
    if last < first {
        return Err(cursor.mistake("this range of times ends before it begins"));
    }
    Ok(if relative {
        When::RelativeRange(first, last)
    } else {
        When::AbsoluteRange(first, last)
    })
}

fn range_end(cursor: &mut Cursor<'_>, relative: bool) -> Result<Duration, Mistake> {
    let end_is_relative = cursor.take("+")?;
    if end_is_relative != relative {
        return Err(cursor.expected("both ends of a range with `+`, or none"));
    }
    cursor.seconds()
}
