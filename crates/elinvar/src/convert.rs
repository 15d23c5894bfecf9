//! From one format to another.

use std::path::Path;

use elinvar_formats::aiger::Encoding;
use elinvar_formats::{Format, ProblemKind, WriteError, WriteOptions};
use elinvar_ir::{PropertyId, TransitionSystem};
use elinvar_transform::{bitblast, with_input};

use crate::error::Error;
use crate::problem::Problem;

/// A format that can be written, with the encoding that an extension stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    format: Format,
    encoding: Encoding,
}

/// How a problem is translated.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// Keep only this property, given by its name or its number.
    pub property: Option<String>,
    /// Numbers in place of inputs.
    pub set: Vec<(String, u64)>,
    /// Formats without words: memories of at most this many bits are expanded.
    pub memory_limit: u64,
    /// SMT-LIB: so many steps are unrolled.
    pub bound: usize,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        ConvertOptions { property: None, set: Vec::new(), memory_limit: 1 << 16, bound: 10 }
    }
}

/// The extensions of formats that can be written, each with what the format is.
pub fn writable() -> impl Iterator<Item = (&'static str, Format)> {
    let formats = Format::ALL.into_iter().filter(|format| !format.writes().is_empty());
    formats.flat_map(|format| format.extensions().iter().map(move |&extension| (extension, format)))
}

/// Writes a problem in another format. Words become bits where the format has only bits.
///
/// ```
/// use elinvar::convert::{ConvertOptions, Target, convert};
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let target = Target::of_file("toggle.btor2".as_ref())?;
/// let text = convert(&problem, target, &ConvertOptions::default())?;
/// assert!(elinvar::Problem::parse("toggle.btor2", text).is_ok());
/// # Ok::<(), elinvar::Error>(())
/// ```
///
/// # Errors
/// If the format cannot express the problem, or the options name something that it does not have.
pub fn convert(
    problem: &Problem,
    target: Target,
    options: &ConvertOptions,
) -> Result<Vec<u8>, Error> {
    let usage = |error: WriteError| Error::Usage(error.to_string());
    if let Problem::Program(program) = problem
        && target.format.writes().contains(&ProblemKind::Program)
    {
        if !options.set.is_empty() {
            return Err(Error::usage("--set applies only to transition systems, not to programs"));
        }
        let properties = problem.select(options.property.as_slice())?;
        return target.format.write_program(program.program(), &properties).map_err(usage);
    }
    let mut system = problem.as_system()?.system().clone();
    if let Some(text) = &options.property {
        system = restrict(system, problem.find(text)?);
    }
    for (input, value) in &options.set {
        system =
            with_input(&system, input, *value).map_err(|error| Error::Usage(error.to_string()))?;
    }
    translate(&system, target, options)
}

fn translate(
    system: &TransitionSystem,
    target: Target,
    options: &ConvertOptions,
) -> Result<Vec<u8>, Error> {
    let Target { format, encoding } = target;
    let settings = WriteOptions { encoding, bound: options.bound, property: None };
    let write = |system: &TransitionSystem| {
        format.write_model(system, &settings).map_err(|error| match error {
            WriteError::NotOneProperty(_) => Error::usage(
                "an SMT-LIB script holds one safety property; choose it with --property",
            ),
            error => Error::Usage(error.to_string()),
        })
    };
    if format.has_words() {
        return write(system);
    }
    let help = "--memory-limit sets how large a memory may be";
    let blasted = bitblast(system, options.memory_limit);
    let (system, _) = blasted.map_err(|error| Error::Usage(format!("{error}\n  help: {help}")))?;
    write(&system)
}

impl Target {
    /// The format that an extension stands for, if it can be written.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        let (_, format) = writable().find(|&(known, _)| known == extension)?;
        let encoding = if extension == "aig" { Encoding::Binary } else { Encoding::Ascii };
        Some(Target { format, encoding })
    }

    /// The format that the ending of a path stands for.
    ///
    /// # Errors
    /// If it stands for none that can be written.
    pub fn of_file(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        Self::of_extension(extension).ok_or_else(|| {
            let known: Vec<String> = writable().map(|(known, _)| format!(".{known}")).collect();
            let (last, others) = known.split_last().expect("some formats are written");
            Error::Usage(format!(
                "cannot tell the format of {} by its ending; write to {} or {last}, or give \
                 --format",
                path.display(),
                others.join(", ")
            ))
        })
    }
}

/// The same system with one of its properties.
fn restrict(system: TransitionSystem, property: PropertyId) -> TransitionSystem {
    let mut builder = system.into_builder();
    builder.properties = vec![builder.properties.swap_remove(property.0)];
    builder.finish().expect("still well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_the_format() {
        let binary = Target { format: Format::Aiger, encoding: Encoding::Binary };
        assert_eq!(Target::of_file("a/b.AIG".as_ref()).unwrap(), binary);
        assert!(Target::of_file("b".as_ref()).is_err());
        assert!(Target::of_file("b.bpl".as_ref()).is_err());
        assert!(Target::of_file("-".as_ref()).is_err());
    }
}
