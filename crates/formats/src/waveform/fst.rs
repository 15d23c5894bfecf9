//! The Fast Signal Trace format of GTKWave, which is compressed.

use std::io::Cursor;

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};

use super::{Declaration, Sink, Variable, declarations};

const MEMORY: &str = "writing to memory does not fail";
/// The power of ten of a nanosecond.
const NANOSECONDS: i8 = -9;

/// A file in memory.
pub struct Fst {
    writer: FstBodyWriter<Cursor<Vec<u8>>>,
    /// By variable; those with the same value share a signal.
    signals: Vec<Option<FstSignalId>>,
}

impl Fst {
    /// Declares the variables.
    pub fn new(variables: &[Variable], order: &[usize]) -> Self {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: NANOSECONDS,
            version: concat!("Elinvar ", env!("CARGO_PKG_VERSION")).to_owned(),
            // The same run gives the same file.
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut writer = FstHeaderWriter::write_to_mem(&info).expect(MEMORY);
        let mut signals: Vec<Option<FstSignalId>> = vec![None; variables.len()];
        for declaration in declarations(variables, order) {
            match declaration {
                Declaration::Open(scope) => {
                    writer.scope(scope, "", FstScopeType::Module).expect(MEMORY);
                }
                Declaration::Close => writer.up_scope().expect(MEMORY),
                Declaration::Variable(number) => {
                    let Variable { is_register, width, same_as, .. } = variables[number];
                    let sort = FstSignalType::bit_vec(width);
                    let kind = if is_register { FstVarType::Reg } else { FstVarType::Wire };
                    let name = variables[number].name();
                    let direction = FstVarDirection::Implicit;
                    let signal = writer.var(name, sort, kind, direction, signals[same_as]);
                    signals[same_as] = Some(signal.expect(MEMORY));
                }
            }
        }
        Fst { writer: writer.finish().expect(MEMORY), signals }
    }

    /// The contents of the file.
    pub fn finish(self) -> Vec<u8> {
        self.writer.finish().expect(MEMORY).into_inner()
    }
}

impl Sink for Fst {
    fn time(&mut self, nanoseconds: u64) {
        self.writer.time_change(nanoseconds).expect(MEMORY);
    }

    fn change(&mut self, variable: usize, digits: &[u8]) {
        let signal = self.signals[variable].expect("it was declared");
        self.writer.signal_change(signal, digits).expect(MEMORY);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{WaveformFormat, tests::example};
    use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalValue};
    use std::collections::BTreeMap;
    use std::io::Cursor;

    #[test]
    fn the_file_is_read_back() {
        let bytes = example(WaveformFormat::Fst);
        assert_eq!(bytes, example(WaveformFormat::Fst));
        let mut reader = FstReader::open(Cursor::new(bytes)).unwrap();
        let mut scope: Vec<String> = Vec::new();
        let mut handles = BTreeMap::new();
        reader
            .read_hierarchy(|entry| match entry {
                FstHierarchyEntry::Scope { name, .. } => scope.push(name),
                FstHierarchyEntry::UpScope => drop(scope.pop()),
                FstHierarchyEntry::Var { name, handle, .. } => {
                    handles.insert(format!("{}.{name}", scope.join(".")), handle);
                }
                _ => {}
            })
            .unwrap();
        let names: Vec<&str> = handles.keys().map(String::as_str).collect();
        assert_eq!(names, ["top.a_b", "top.a_b_2", "top.core.count", "top.core.run", "top.run"]);
        assert_eq!(handles["top.core.run"], handles["top.run"]);
        let mut changes = Vec::new();
        reader
            .read_signals::<()>(&FstFilter::all(), |time, handle, value| {
                if let FstSignalValue::String(digits) = value
                    && handle == handles["top.core.count"]
                {
                    changes.push((time, String::from_utf8_lossy(digits).into_owned()));
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(changes, [(0, "10xx".to_owned())]);
        let header = reader.get_header();
        assert_eq!((header.end_time, header.timescale_exponent), (20, -9));
    }
}
