//! TCP options in angle brackets.

use super::TcpOption;
use super::cursor::Cursor;
use crate::place::Mistake;

/// The list; `None` for `<...>`.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Option<Vec<TcpOption>>, Mistake> {
    cursor.want("<")?;
    if cursor.take("...")? {
        cursor.want(">")?;
        return Ok(None);
    }
    let mut list = Vec::new();
    if cursor.take(">")? {
        return Ok(Some(list));
    }
    loop {
        list.push(option(cursor)?);
        if cursor.take(">")? {
            return Ok(Some(list));
        }
        if !cursor.take(",")? {
            return Err(cursor.expected("`,` or `>` after an option"));
        }
    }
}

fn option(cursor: &mut Cursor<'_>) -> Result<TcpOption, Mistake> {
    cursor.skip_space()?;
    let start = cursor.clone();
    Ok(match cursor.word()? {
        "nop" => TcpOption::Nop,
        "eol" => TcpOption::End,
        // A name stands for a number that whoever runs the script gives.
        "mss" if !cursor.starts_with_digit()? => TcpOption::Other(cursor.word()?.to_owned()),
        "mss" => TcpOption::Mss(cursor.number("an MSS")?),
        "wscale" => TcpOption::WindowScale(cursor.number("a window scale")?),
        "sackOK" => TcpOption::SackPermitted,
        "sack" => TcpOption::Sack(blocks(cursor)?),
        "TS" => timestamps(cursor)?,
        "" => return Err(start.expected("an option, as in `mss 1460`")),
        other => {
            // Of an option that is not modelled only the name is kept.
            while cursor
                .peek()
                .is_some_and(|c| !matches!(c, ',' | '>' | '\n'))
            {
                cursor.step(cursor.peek().map_or(0, char::len_utf8));
            }
            TcpOption::Other(other.to_owned())
        }
    })
}

fn blocks(cursor: &mut Cursor<'_>) -> Result<Vec<(u32, u32)>, Mistake> {
    let mut blocks = Vec::new();
    while cursor.starts_with_digit()? {
        let first = cursor.number("a sequence number")?;
        cursor.want(":")?;
        blocks.push((first, cursor.number("a sequence number")?));
    }
    if blocks.len() > 4 {
        return Err(cursor.mistake("a header has room for four blocks at most"));
    }
    Ok(blocks)
}

fn timestamps(cursor: &mut Cursor<'_>) -> Result<TcpOption, Mistake> {
    cursor.want("val")?;
    let value = cursor.number("a timestamp")?;
    cursor.want("ecr")?;
    let echo = cursor.number("a timestamp")?;
    Ok(TcpOption::Timestamps { value, echo })
}
