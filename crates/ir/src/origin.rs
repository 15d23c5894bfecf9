//! Where the parts of a system come from: names and places in the user's sources, as front
//! ends such as Yosys note them. Verdicts do not depend on any of this.

use std::fmt;
use std::sync::Arc;

/// A place in a source file.
///
/// ```
/// use elinvar_ir::Place;
/// let place = Place::parse("rtl/top.sv:7|rtl/fifo.sv:42.9-42.44").unwrap();
/// assert_eq!((&*place.file, place.line, place.column), ("rtl/fifo.sv", 42, Some(9)));
/// assert_eq!(place.to_string(), "rtl/fifo.sv:42");
/// assert!(Place::parse("begin rewrite").is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The name of the file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it is known.
    pub column: Option<u32>,
}

impl Place {
    /// Reads a place as Yosys writes it: `file:line`, `file:line.column` or
    /// `file:line.column-line.column`. Of several places, which `|` separates, the last: those
    /// before it are the instances of the modules around it.
    pub fn parse(text: &str) -> Option<Self> {
        let last = text.rsplit('|').next()?.trim();
        let (file, position) = last.rsplit_once(':')?;
        let start = position.split('-').next()?;
        let (line, column) = match start.split_once('.') {
            Some((line, column)) => (line, Some(column)),
            None => (start, None),
        };
        let number = |digits: &str| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => digits.parse().ok().filter(|&number: &u32| number > 0),
            false => None,
        };
        // Yosys writes column 0 where it knows none.
        let column = column.filter(|&column| column != "0");
        let column = match column {
            Some(digits) => Some(number(digits)?),
            None => None,
        };
        let is_harmless = !file.is_empty() && !file.contains(char::is_control);
        is_harmless.then_some(Place { file: file.into(), line: number(line)?, column })
    }

    /// The place in the form that [`Place::parse`] reads.
    pub fn to_comment(&self) -> String {
        match self.column {
            Some(column) => format!("{}:{}.{column}", self.file, self.line),
            None => format!("{}:{}", self.file, self.line),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What is known about where something comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Its name.
    pub name: Option<String>,
    /// Its place in the sources.
    pub place: Option<Place>,
}

impl Origin {
    /// Nothing is known.
    pub const UNKNOWN: Origin = Origin { name: None, place: None };
}

/// What the user hopes for in a safety property.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Goal {
    /// The bit is never true: an assertion.
    #[default]
    Assert,
    /// The bit is true in some reachable state: a cover statement.
    Cover,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_yosys_are_read() {
        let of = |text| {
            let place = Place::parse(text)?;
            Some((place.file.to_string(), place.line, place.column))
        };
        let file = || "a.v".to_owned();
        assert_eq!(of("a.v:3"), Some((file(), 3, None)));
        assert_eq!(of("a.v:3.0"), Some((file(), 3, None)));
        assert_eq!(of("a.v:3.7-4.2"), Some((file(), 3, Some(7))));
        assert_eq!(of("C:\\x\\a.v:3.7"), Some(("C:\\x\\a.v".to_owned(), 3, Some(7))));
        for text in ["", "a.v", "a.v:", "a.v:x", "a.v:0", "a.v:3.x", ":3", "a\u{1b}.v:3", "a.v:+3"]
        {
            assert_eq!(of(text), None, "{text}");
        }
        let place = Place::parse("a.v:3.7-4.2").unwrap();
        assert_eq!(Place::parse(&place.to_comment()), Some(place));
    }
}
