//! The Value Change Dump format of IEEE 1364.

use ::vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

use super::{Declaration, Sink, Variable, declarations};

const MEMORY: &str = "writing to memory does not fail";

/// A file in memory.
pub struct Vcd {
    writer: Writer<Vec<u8>>,
    /// By variable; those with the same value share a code.
    codes: Vec<IdCode>,
}

impl Vcd {
    /// Declares the variables.
    pub fn new(variables: &[Variable], order: &[usize], comment: Option<&str>) -> Self {
        let mut writer = Writer::new(Vec::new());
        writer.version(concat!("Elinvar ", env!("CARGO_PKG_VERSION"))).expect(MEMORY);
        if let Some(comment) = comment {
            writer.comment(comment).expect(MEMORY);
        }
        writer.timescale(1, TimescaleUnit::NS).expect(MEMORY);
        let mut codes = vec![IdCode::FIRST; variables.len()];
        let mut next = IdCode::FIRST;
        for &number in order.iter().filter(|&&number| variables[number].same_as == number) {
            codes[number] = next;
            next = next.next();
        }
        for declaration in declarations(variables, order) {
            match declaration {
                Declaration::Open(scope) => writer.add_module(scope),
                Declaration::Close => writer.upscope(),
                Declaration::Variable(number) => {
                    let variable = &variables[number];
                    codes[number] = codes[variable.same_as];
                    let kind = if variable.is_register { VarType::Reg } else { VarType::Wire };
                    writer.var_def(kind, variable.width, codes[number], variable.name(), None)
                }
            }
            .expect(MEMORY);
        }
        writer.enddefinitions().expect(MEMORY);
        Vcd { writer, codes }
    }

    /// The contents of the file.
    pub fn finish(mut self) -> Vec<u8> {
        std::mem::take(self.writer.writer())
    }
}

impl Sink for Vcd {
    fn time(&mut self, nanoseconds: u64) {
        self.writer.timestamp(nanoseconds).expect(MEMORY);
    }

    fn change(&mut self, variable: usize, digits: &[u8]) {
        let value = |&digit: &u8| match digit {
            b'0' => Value::V0,
            b'1' => Value::V1,
            _ => Value::X,
        };
        let code = self.codes[variable];
        match digits {
            [bit] => self.writer.change_scalar(code, value(bit)),
            _ => self.writer.change_vector(code, digits.iter().map(value)),
        }
        .expect(MEMORY);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{WaveformFormat, tests::example};

    #[test]
    fn scopes_aliases_and_unknown_bits_are_written() {
        let text = String::from_utf8(example(WaveformFormat::Vcd)).unwrap();
        let version = concat!("$version\n    Elinvar ", env!("CARGO_PKG_VERSION"), "\n$end\n");
        let expected = "$timescale 1 ns $end\n\
            $scope module top $end\n\
            $var reg 1 ! run $end\n\
            $var wire 1 \" a_b $end\n\
            $var wire 1 # a_b_2 $end\n\
            $scope module core $end\n\
            $var reg 1 ! run $end\n\
            $var wire 4 $ count $end\n\
            $upscope $end\n\
            $upscope $end\n\
            $enddefinitions $end\n\
            #0\n1!\nb10xx $\n0\"\n1#\n\
            #10\n0!\nx\"\n\
            #20\n";
        assert_eq!(text, format!("{version}{expected}"));
    }

    #[test]
    fn the_waveform_is_read_by_the_parser() {
        let text = example(WaveformFormat::Vcd);
        let mut parser = ::vcd::Parser::new(&text[..]);
        let header = parser.parse_header().unwrap();
        let code = |path: &[&str]| header.find_var(path).map(|variable| variable.code);
        assert_eq!(code(&["top", "core", "run"]), code(&["top", "run"]));
        assert_ne!(code(&["top", "core", "count"]), code(&["top", "run"]));
        assert!(parser.all(|command| command.is_ok()));
    }
}
