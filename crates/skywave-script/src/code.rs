//! Statements between `%{` and `}%`: assertions on whole numbers.

use std::collections::BTreeMap;

use crate::report::Skip;

/// Expressions in expressions: no stack overflows.
const DEEPEST: u32 = 32;

/// An assertion that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refuted {
    /// The assertion, as it is written.
    pub(crate) expected: String,
    /// The names in it and their values.
    pub(crate) got: String,
}

/// Variables of a script, which live on from one piece of code to the next.
pub(crate) type Variables = BTreeMap<String, i64>;

/// Runs statements. `known` gives the quantities of the connection by their names.
pub(crate) fn run(
    text: &str,
    variables: &mut Variables,
    known: &dyn Fn(&str) -> Option<i64>,
) -> Result<Option<Refuted>, Skip> {
    let text = text.replace("\\\n", " ");
    for line in text.lines().flat_map(|line| line.split(';')) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(refuted) = statement(line, variables, known)? {
            return Ok(Some(refuted));
        }
    }
    Ok(None)
}

fn statement(
    line: &str,
    variables: &mut Variables,
    known: &dyn Fn(&str) -> Option<i64>,
) -> Result<Option<Refuted>, Skip> {
    // What is printed is of no use here, and no module is needed.
    let word = line
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next();
    if line.is_empty() || matches!(word, Some("print" | "import" | "from")) {
        return Ok(None);
    }
    let mut reader = Reader {
        tokens: tokens(line)?,
        at: 0,
        variables,
        known,
        seen: Vec::new(),
    };
    if reader.take("assert") {
        let value = reader.either(DEEPEST)?;
        if !matches!(reader.peek(), "" | ",") {
            return Err(unknown(line));
        }
        let seen = reader.seen;
        return Ok((value == 0).then(|| Refuted {
            expected: line.to_owned(),
            got: seen.join(", "),
        }));
    }
    let name = reader.next().to_owned();
    let operator = reader.next().to_owned();
    let value = reader.either(DEEPEST)?;
    if reader.peek() != "" || !is_name(&name) {
        return Err(unknown(line));
    }
    let before = variables.get(&name).copied().unwrap_or(0);
    let value = match operator.as_str() {
        "=" => value,
        "+=" => before.wrapping_add(value),
        "-=" => before.wrapping_sub(value),
        _ => return Err(unknown(line)),
    };
    variables.insert(name, value);
    Ok(None)
}

fn unknown(line: &str) -> Skip {
    Skip::new("code", line.chars().take(60).collect::<String>())
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Names, numbers, strings and operators.
fn tokens(line: &str) -> Result<Vec<&str>, Skip> {
    const OPERATORS: [&str; 21] = [
        "==", "!=", "<=", ">=", "+=", "-=", "//", "<<", ">>", "<", ">", "+", "-", "*", "%", "&",
        "|", "(", ")", ",", "=",
    ];
    let mut list = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if first.is_ascii_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len())
        } else if first == '"' || first == '\'' {
            rest[1..].find(first).ok_or_else(|| unknown(line))? + 2
        } else {
            let operator = OPERATORS.iter().find(|o| rest.starts_with(**o));
            operator.ok_or_else(|| unknown(line))?.len()
        };
        list.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    Ok(list)
}

/// Reads an expression and computes it, from the loosest operator to the tightest.
struct Reader<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    variables: &'a Variables,
    known: &'a dyn Fn(&str) -> Option<i64>,
    seen: Vec<String>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn either(&mut self, depth: u32) -> Result<i64, Skip> {
        let mut value = self.both(depth)?;
        while self.take("or") {
            let other = self.both(depth)?;
            value = i64::from(value != 0 || other != 0);
        }
        Ok(value)
    }

    fn both(&mut self, depth: u32) -> Result<i64, Skip> {
        let mut value = self.negation(depth)?;
        while self.take("and") {
            let other = self.negation(depth)?;
            value = i64::from(value != 0 && other != 0);
        }
        Ok(value)
    }

    fn negation(&mut self, depth: u32) -> Result<i64, Skip> {
        if self.take("not") {
            let depth = deeper(depth)?;
            return Ok(i64::from(self.negation(depth)? == 0));
        }
        self.comparison(depth)
    }

    /// A chain: `a < b <= c` compares neighbours.
    fn comparison(&mut self, depth: u32) -> Result<i64, Skip> {
        let mut left = self.bits(depth)?;
        let mut holds = None;
        loop {
            let compare: fn(&i64, &i64) -> bool = match self.peek() {
                "==" => i64::eq,
                "!=" => i64::ne,
                "<" => i64::lt,
                "<=" => i64::le,
                ">" => i64::gt,
                ">=" => i64::ge,
                _ => return Ok(holds.map_or(left, i64::from)),
            };
            self.at += 1;
            let right = self.bits(depth)?;
            holds = Some(holds.unwrap_or(true) && compare(&left, &right));
            left = right;
        }
    }

    fn bits(&mut self, depth: u32) -> Result<i64, Skip> {
        let mut value = self.sum(depth)?;
        loop {
            if self.take("&") {
                value &= self.sum(depth)?;
            } else if self.take("|") {
                value |= self.sum(depth)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn sum(&mut self, depth: u32) -> Result<i64, Skip> {
        let mut value = self.product(depth)?;
        loop {
            if self.take("+") {
                value = value.wrapping_add(self.product(depth)?);
            } else if self.take("-") {
                value = value.wrapping_sub(self.product(depth)?);
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self, depth: u32) -> Result<i64, Skip> {
        let mut value = self.atom(depth)?;
        loop {
            value = match self.peek() {
                "*" => {
                    self.at += 1;
                    value.wrapping_mul(self.atom(depth)?)
                }
                operator @ ("//" | "%") => {
                    self.at += 1;
                    let by = self.atom(depth)?;
                    let result = if operator == "%" {
                        value.checked_rem_euclid(by)
                    } else {
                        value.checked_div_euclid(by)
                    };
                    result.ok_or_else(|| Skip::new("code", "division by zero"))?
                }
                _ => return Ok(value),
            };
        }
    }

    fn atom(&mut self, depth: u32) -> Result<i64, Skip> {
        let depth = deeper(depth)?;
        let token = self.next();
        if token == "(" {
            let value = self.either(depth)?;
            return if self.take(")") {
                Ok(value)
            } else {
                Err(unknown(token))
            };
        }
        if token == "-" {
            return Ok(self.atom(depth)?.wrapping_neg());
        }
        let number = match token.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => token.parse().ok(),
        };
        if let Some(number) = number {
            return Ok(number);
        }
        if !is_name(token) {
            return Err(unknown(token));
        }
        let value = self
            .variables
            .get(token)
            .copied()
            .or_else(|| (self.known)(token));
        let value = value.ok_or_else(|| Skip::new("quantity", token))?;
        if token.starts_with("tcpi_") {
            self.seen.push(format!("{token} = {value}"));
        }
        Ok(value)
    }
}

fn deeper(depth: u32) -> Result<u32, Skip> {
    depth
        .checked_sub(1)
        .ok_or_else(|| Skip::new("code", "nested too deeply"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Option<Refuted>, Skip> {
        run(text, &mut Variables::new(), &|name| {
            (name == "tcpi_x").then_some(7)
        })
    }

    #[test]
    fn assertions_hold_or_are_refuted_with_the_values() {
        assert_eq!(check("assert tcpi_x == 3 + 2 * 2, tcpi_x"), Ok(None));
        assert_eq!(
            check("a = 5; a += 2\nassert 6 < a <= tcpi_x and not a == 6 # seven"),
            Ok(None)
        );
        assert_eq!(
            check("assert tcpi_x == 8"),
            Ok(Some(Refuted {
                expected: "assert tcpi_x == 8".to_owned(),
                got: "tcpi_x = 7".to_owned()
            }))
        );
        assert_eq!(
            check("assert tcpi_y == 8"),
            Err(Skip::new("quantity", "tcpi_y"))
        );
        assert_eq!(
            check("import sys\nfrom os import path\nprint(tcpi_x)"),
            Ok(None)
        );
        let named = "printed = 5; imports = 1\nassert printed + imports == tcpi_x - 1";
        assert_eq!(check(named), Ok(None));
        assert!(check("import sys\nif tcpi_x: pass").is_err());
        assert!(check(&format!("assert {}1", "(".repeat(100))).is_err());
    }
}
