//! Calls: `name(arguments) = result ERROR (note)`.

use super::cursor::Cursor;
use super::{Call, Value};
use crate::place::Mistake;

/// Lists in lists: enough for every script, and no stack overflows.
const DEEPEST: u32 = 16;

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Call, Mistake> {
    let name = cursor.word()?.to_owned();
    cursor.want("(")?;
    let arguments = cursor.list(")", |cursor| value(cursor, DEEPEST))?;
    cursor.want("=")?;
    let result = value(cursor, DEEPEST)?;
    cursor.skip_space()?;
    let mut ahead = cursor.clone();
    let word = ahead.word()?;
    let error = if word.starts_with('E') {
        *cursor = ahead;
        Some(word.to_owned())
    } else {
        None
    };
    if cursor.take("(")? {
        note(cursor)?;
    }
    Ok(Call {
        name,
        arguments,
        result,
        error,
    })
}

/// Text that is for people, in balanced parentheses.
fn note(cursor: &mut Cursor<'_>) -> Result<(), Mistake> {
    let mut depth = 1_u32;
    while depth > 0 {
        match cursor.peek() {
            Some('(') => depth += 1,
            Some(')') => depth -= 1,
            Some(_) => {}
            None => return Err(cursor.expected("`)` after a note")),
        }
        cursor.step(cursor.peek().map_or(0, char::len_utf8));
    }
    Ok(())
}

fn value(cursor: &mut Cursor<'_>, depth: u32) -> Result<Value, Mistake> {
    let first = single(cursor, depth)?;
    if !cursor.take("|")? {
        return Ok(first);
    }
    let mut all = vec![first];
    loop {
        all.push(single(cursor, depth)?);
        if !cursor.take("|")? {
            return Ok(Value::Union(all));
        }
    }
}

fn single(cursor: &mut Cursor<'_>, depth: u32) -> Result<Value, Mistake> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(cursor.mistake("values are nested too deeply"));
    };
    if cursor.take("...")? {
        return Ok(Value::Ellipsis);
    }
    match cursor.peek() {
        Some('[') => {
            cursor.step(1);
            Ok(Value::List(
                cursor.list("]", |cursor| value(cursor, depth))?,
            ))
        }
        Some('{') => {
            cursor.step(1);
            let fields = cursor.list("}", |cursor| field(cursor, depth))?;
            Ok(Value::Structure(fields))
        }
        Some('"') => {
            let text = text(cursor)?;
            cursor.take("...")?;
            Ok(Value::Text(text))
        }
        Some('-') => {
            cursor.step(1);
            Ok(Value::Number(-cursor.number::<i64>("a number")?))
        }
        Some(c) if c.is_ascii_digit() => {
            let number = cursor.number("a number")?;
            // Fields such as `1.5` are of structures that are not modelled.
            Ok(Value::Number(number))
        }
        Some(c) if c.is_ascii_alphabetic() || c == '_' => {
            let word = cursor.word()?.to_owned();
            if cursor.take("(")? {
                let inner = cursor.list(")", |cursor| value(cursor, depth))?;
                return Ok(Value::Structure(
                    inner.into_iter().map(|v| (word.clone(), v)).collect(),
                ));
            }
            Ok(Value::Word(word))
        }
        _ => Err(cursor.expected("a value: a number, a word, a string, `[`, `{` or `...`")),
    }
}

/// A field: `name = value`, `name(n) = value`, or a value.
fn field(cursor: &mut Cursor<'_>, depth: u32) -> Result<(String, Value), Mistake> {
    let first = value(cursor, depth)?;
    if !cursor.take("=")? {
        return Ok((String::new(), first));
    }
    let name = match first {
        Value::Word(name) => name,
        Value::Structure(fields) => fields.into_iter().next().map(|f| f.0).unwrap_or_default(),
        _ => return Err(cursor.mistake("a field has a name before `=`")),
    };
    Ok((name, value(cursor, depth)?))
}

fn text(cursor: &mut Cursor<'_>) -> Result<String, Mistake> {
    let start = cursor.clone();
    cursor.step(1);
    let mut text = String::new();
    while let Some(c) = cursor.peek() {
        cursor.step(c.len_utf8());
        match c {
            '"' => return Ok(text),
            '\\' => {
                let escaped = cursor.peek().unwrap_or('\\');
                cursor.step(escaped.len_utf8().min(cursor.rest().len()));
                text.push('\\');
                text.push(escaped);
            }
            _ => text.push(c),
        }
    }
    Err(start.mistake("this string does not end; expected `\"`"))
}
