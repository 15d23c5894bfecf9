//! The first line: `aag M I L O A [B [C [J [F]]]]`.
//!
//! After it nothing else needs to distrust the counts: every line and every gate
//! takes two bytes at least, so counts that the rest of the file cannot hold are
//! refused here, and whatever is allocated by them is linear in the file.

use std::ops::Range;

use super::Encoding;
use super::scan::Scanner;
use crate::Diagnostic;

/// Literals must fit in 32 bits with room for what is derived from them.
const MAX_VAR: u32 = (1 << 30) - 1;

/// Inputs of a binary file take no bytes. Those that some gate or line mentions
/// are at most as many as the file has bytes; so many more may go unmentioned.
const UNMENTIONED_INPUTS: u64 = 1 << 20;

/// Variables of an ASCII file that nothing defines.
const UNDEFINED_VARS: u64 = 1 << 26;

#[derive(Debug)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub max_var: u32,
    pub inputs: u32,
    pub latches: u32,
    pub outputs: u32,
    pub ands: u32,
    pub bads: u32,
    pub constraints: u32,
    pub justice: u32,
    pub fairness: u32,
}

/// The numbers of the header in their order; the last four may be left out.
const FIELDS: [&str; 9] = [
    "the largest variable",
    "the number of inputs",
    "the number of latches",
    "the number of outputs",
    "the number of gates",
    "the number of bad states",
    "the number of constraints",
    "the number of justice properties",
    "the number of fairness constraints",
];
const REQUIRED_FIELDS: usize = 5;

impl Header {
    /// Reads and checks the first line.
    pub fn read(scan: &mut Scanner) -> Result<Self, Diagnostic> {
        let encoding = if scan.eat(b"aag ") {
            Encoding::Ascii
        } else if scan.eat(b"aig ") {
            Encoding::Binary
        } else {
            let error = Diagnostic::new("this is not an AIGER file", 0..scan.remaining().min(4));
            return Err(error.with_help("the first line is `aag M I L O A` or `aig M I L O A`"));
        };
        let mut counts = [0; FIELDS.len()];
        let mut spans: [Range<usize>; FIELDS.len()] = Default::default();
        for (field, what) in FIELDS.iter().enumerate() {
            let start = scan.at();
            counts[field] = scan.number(what)?;
            spans[field] = start..scan.at();
            let more = if field + 1 < REQUIRED_FIELDS {
                scan.space(what)?;
                true
            } else {
                field + 1 < FIELDS.len() && scan.eat(b" ")
            };
            if !more {
                scan.newline(what)?;
                break;
            }
        }
        let [max_var, inputs, latches, outputs, ands, bads, constraints, justice, fairness] =
            counts;
        let header = Header {
            encoding,
            max_var,
            inputs,
            latches,
            outputs,
            ands,
            bads,
            constraints,
            justice,
            fairness,
        };
        header.check_variables(&spans)?;
        header.check_size(&spans, scan.remaining() as u64)?;
        Ok(header)
    }

    /// The number of variables that are defined.
    pub fn defined(&self) -> u64 {
        u64::from(self.inputs) + u64::from(self.latches) + u64::from(self.ands)
    }

    fn check_variables(&self, spans: &[Range<usize>; 9]) -> Result<(), Diagnostic> {
        let (max_var, defined) = (self.max_var, self.defined());
        if max_var > MAX_VAR {
            let message = format!("more than {MAX_VAR} variables are not supported");
            return Err(Diagnostic::new(message, spans[0].clone()));
        }
        let parts =
            format!("{} inputs, {} latches and {} gates", self.inputs, self.latches, self.ands);
        match self.encoding {
            Encoding::Binary if u64::from(max_var) != defined => {
                let message = format!(
                    "the largest variable of a binary file is the number of its {parts}: \
                     {defined}, not {max_var}"
                );
                Err(Diagnostic::new(message, spans[0].clone()))
            }
            Encoding::Ascii if u64::from(max_var) < defined => {
                let message = format!("{parts} need more variables than {max_var}");
                Err(Diagnostic::new(message, spans[0].clone()))
            }
            Encoding::Binary | Encoding::Ascii => Ok(()),
        }
    }

    fn check_size(&self, spans: &[Range<usize>; 9], left: u64) -> Result<(), Diagnostic> {
        let counted = [
            self.latches,
            self.outputs,
            self.ands,
            self.bads,
            self.constraints,
            self.justice,
            self.fairness,
        ];
        let mut lines: u64 = counted.into_iter().map(u64::from).sum();
        match self.encoding {
            Encoding::Ascii => {
                lines += u64::from(self.inputs);
                if u64::from(self.max_var) > UNDEFINED_VARS + left {
                    let message = "the largest variable is too large for a file of this size";
                    return Err(Diagnostic::new(message, spans[0].clone())
                        .with_help("number the variables consecutively"));
                }
            }
            Encoding::Binary => {
                if u64::from(self.inputs) > UNMENTIONED_INPUTS + left {
                    let message = "the number of inputs is too large for a file of this size";
                    return Err(Diagnostic::new(message, spans[1].clone())
                        .with_help("remove unused inputs"));
                }
            }
        }
        // The last line may lack its end.
        if 2 * lines > left + 1 {
            let message = format!(
                "the header announces {lines} lines and gates, but only {left} bytes follow"
            );
            let whole = spans[0].start..spans.iter().map(|span| span.end).max().unwrap_or(0);
            return Err(Diagnostic::new(message, whole).with_help("is the file cut off?"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (String, Range<usize>) {
        let error = Header::read(&mut Scanner::new(text.as_bytes())).unwrap_err();
        (error.message, error.span)
    }

    #[test]
    fn optional_counts_default_to_zero() {
        let header = Header::read(&mut Scanner::new(b"aag 1 0 0 0 0 1 1\n0\n0\n")).unwrap();
        assert_eq!((header.bads, header.constraints, header.justice), (1, 1, 0));
    }

    #[test]
    fn nonsense_is_pointed_at() {
        assert_eq!(error("btor"), ("this is not an AIGER file".into(), 0..4));
        assert_eq!(
            error("aag 1 0 0 0\n"),
            ("expected a space after the number of outputs, found `\\n`".into(), 11..12)
        );
        assert_eq!(
            error("aag 0 1 0 0 0\n2\n"),
            ("1 inputs, 0 latches and 0 gates need more variables than 0".into(), 4..5)
        );
        let (message, span) = error("aig 7 1 1 0 1\n");
        assert!(message.ends_with("3, not 7"), "{message}");
        assert_eq!(span, 4..5);
    }

    #[test]
    fn counts_that_the_file_cannot_hold_are_refused() {
        assert_eq!(error("aig 1000000000 1000000000 0 0 0\n").1, 15..25);
        assert_eq!(error("aig 1000000000 0 0 0 1000000000\n").1, 4..31);
        assert_eq!(error("aag 1000000000 0 0 0 0\n").1, 4..14);
        assert_eq!(error("aag 9000000000 0 0 0 0\n").1, 4..14);
        assert_eq!(error("aag 0 0 0 4000000000 0\n").1, 4..22);
    }
}
