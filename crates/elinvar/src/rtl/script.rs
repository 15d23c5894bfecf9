//! The Yosys scripts that turn a design into BTOR2.
//!
//! The first script reads and flattens the design, and assumes that one clock drives all of
//! it. Each cycle of the model is then a period of the clock: `async2sync` makes
//! asynchronous resets and latches synchronous, and `chformal -early` moves assertions from
//! the cycle after the clock edge to the one in which their signals have the values. If that
//! assumption turns out to be wrong, the second script starts again from the flattened
//! design with `clk2fflogic`, which makes the clocks inputs like any other.

use std::fmt::Write;
use std::path::Path;

use super::{Design, Frontend};
use crate::error::Error;

/// The files of a run, relative to its folder.
pub(super) const FLAT: &str = "flat.il";
pub(super) const CLOCKED: &str = "clocked.btor2";
pub(super) const CLOCKS: &str = "clocks.txt";
pub(super) const CHECKS: &str = "checks.txt";
pub(super) const MEMORIES: &str = "memories.txt";
pub(super) const GLOBAL: &str = "global.txt";
pub(super) const MAP: &str = "elinvar-map.v";
pub(super) const HELP: &str = "help.txt";
pub(super) const MODEL: &str = "design.btor2";

/// The prefix of the names that statements without a label get.
pub(super) const UNNAMED: &str = "_elinvar_";

const STATEMENTS: &str = "t:$assert t:$assume t:$cover t:$live t:$fair t:$check";

/// Reads the design with this front end, flattens it, and writes it for one clock.
pub(super) fn one_clock(
    design: &Design,
    frontend: Frontend,
    folder: &Path,
) -> Result<String, Error> {
    let mut script = read(design, frontend)?;
    let top = match &design.top {
        Some(top) => format!("-top {}", word(top)?),
        None => "-auto-top".to_owned(),
    };
    let mut parameters = String::new();
    if design.top.is_none() && !design.parameters.is_empty() {
        return Err(Error::usage("-G sets parameters of the top module: name it with --top"));
    }
    // The slang front end has applied them already.
    if frontend == Frontend::Verilog {
        for (name, value) in &design.parameters {
            write!(parameters, " -chparam {} {}", word(name)?, word(value)?).expect(STRINGS);
        }
    }
    let file = |name: &str| in_folder(folder, name);
    let (flat, checks, global) = (file(FLAT)?, file(CHECKS)?, file(GLOBAL)?);
    let (clocked, clocks, memories) = (file(CLOCKED)?, file(CLOCKS)?, file(MEMORIES)?);
    writeln!(
        script,
        "hierarchy -check {top}{parameters}\n\
         proc\n\
         rename -enumerate -pattern {UNNAMED}% {STATEMENTS}\n\
         flatten\n\
         prep -run coarse:\n\
         write_rtlil {flat}\n\
         tee -q -o {checks} dump t:$check\n\
         tee -q -o {global} select -list t:$ff t:$anyinit t:$_FF_\n\
         async2sync\n\
         memory_nordff\n\
         setundef -undriven -anyseq\n\
         opt_clean\n\
         dffunmap\n\
         tee -q -o {memories} dump t:$mem t:$mem_v2\n\
         design -save elinvar\n\
         chformal -live -fair -remove\n\
         write_btor -i {clocks} {clocked}\n\
         design -load elinvar\n\
         chformal -early\n\
         opt_clean"
    )
    .expect(STRINGS);
    finish(&mut script, folder)?;
    Ok(script)
}

/// Writes what Yosys has to say about the slang front end.
pub(super) fn explain_slang(folder: &Path) -> Result<String, Error> {
    Ok(format!("tee -q -o {} help read_slang\n", in_folder(folder, HELP)?))
}

/// Continues from the flattened design, with clocks that are inputs.
pub(super) fn several_clocks(folder: &Path) -> Result<String, Error> {
    let mut script = format!(
        "read_rtlil {}\n\
         memory_nordff\n\
         clk2fflogic\n\
         setundef -undriven -anyseq\n\
         opt_clean\n\
         dffunmap\n",
        in_folder(folder, FLAT)?
    );
    finish(&mut script, folder)?;
    Ok(script)
}

fn finish(script: &mut String, folder: &Path) -> Result<(), Error> {
    let (map, model) = (in_folder(folder, MAP)?, in_folder(folder, MODEL)?);
    writeln!(script, "techmap -max_iter 1 -map {map}\nopt_clean\nwrite_btor {model}")
        .expect(STRINGS);
    Ok(())
}

fn read(design: &Design, frontend: Frontend) -> Result<String, Error> {
    let mut script = String::new();
    let (netlists, sources): (Vec<_>, Vec<_>) = (design.sources.iter())
        .partition(|path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("il")));
    for netlist in netlists {
        writeln!(script, "read_rtlil {}", quoted(netlist)?).expect(STRINGS);
    }
    if sources.is_empty() {
        return Ok(script);
    }
    match frontend {
        // FORMAL is defined unless the user undefines it; Yosys defines SYNTHESIS then.
        Frontend::Verilog if design.is_formal() => script.push_str("read_verilog -sv -formal"),
        Frontend::Verilog => script.push_str("read_verilog -sv"),
        Frontend::Slang => {
            // One thread, since the builds for WebAssembly have no others.
            script.push_str("read_slang --threads 1");
            if let Some(top) = &design.top {
                write!(script, " --top {}", word(top)?).expect(STRINGS);
            }
            for (name, value) in &design.parameters {
                write!(script, " -G {}={}", word(name)?, word(value)?).expect(STRINGS);
            }
            if design.is_formal() {
                script.push_str(" -D FORMAL");
            }
        }
    }
    let (define, include) = match frontend {
        Frontend::Verilog => (" -D", " -I"),
        Frontend::Slang => (" -D ", " -I "),
    };
    for text in &design.defines {
        write!(script, "{define}{}", word(text)?).expect(STRINGS);
    }
    for folder in &design.include {
        write!(script, "{include}{}", bare(folder)?).expect(STRINGS);
    }
    for source in sources {
        // The slang front end takes no quotes.
        match frontend {
            Frontend::Verilog => write!(script, " {}", quoted(source)?).expect(STRINGS),
            Frontend::Slang => write!(script, " {}", bare(source)?).expect(STRINGS),
        }
    }
    script.push('\n');
    Ok(script)
}

const STRINGS: &str = "strings do not fail";

/// A word of a script. Yosys has no escapes that would allow everything.
fn word(text: &str) -> Result<&str, Error> {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '#' | ';' | '!');
    if !text.is_empty() && text.chars().all(is_plain) {
        return Ok(text);
    }
    Err(Error::Usage(format!(
        "`{}` cannot be passed to Yosys: it contains a space or a special character",
        text.escape_debug()
    )))
}

/// A file of the run. Not all commands of Yosys accept quotes around file names.
fn in_folder(folder: &Path, name: &str) -> Result<String, Error> {
    bare(&folder.join(name)).map(str::to_owned)
}

fn bare(path: &Path) -> Result<&str, Error> {
    word(utf8(path)?)
}

/// A file name in quotes, which may contain spaces.
fn quoted(path: &Path) -> Result<String, Error> {
    let text = utf8(path)?;
    if text.contains(|c: char| c == '"' || c == '\\' || c.is_control()) {
        let text = text.escape_debug();
        return Err(Error::Usage(format!("the file name `{text}` cannot be passed to Yosys")));
    }
    Ok(format!("\"{text}\""))
}

fn utf8(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| {
        Error::Usage(format!("the file name {} is not valid UTF-8", path.to_string_lossy()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design() -> Design {
        Design { top: Some("top".to_owned()), ..Design::new(["a b.sv", "c.v", "d.il"]) }
    }

    #[test]
    fn the_front_ends_read_the_sources() {
        let mut design = design();
        design.defines.push("N=4".to_owned());
        design.include.push("inc".into());
        design.parameters.push(("W".to_owned(), "8".to_owned()));
        let text = one_clock(&design, Frontend::Verilog, Path::new("/tmp/x")).unwrap();
        assert!(text.starts_with(
            "read_rtlil \"d.il\"\nread_verilog -sv -formal -DN=4 -Iinc \"a b.sv\" \"c.v\"\n\
             hierarchy -check -top top -chparam W 8\n"
        ));
        assert!(one_clock(&design, Frontend::Slang, Path::new("/tmp/x")).is_err(), "a space");
        design.sources[0] = "ab.sv".into();
        let text = one_clock(&design, Frontend::Slang, Path::new("/tmp/x")).unwrap();
        let expected =
            "read_slang --threads 1 --top top -G W=8 -D FORMAL -D N=4 -I inc ab.sv c.v\n";
        assert!(text.contains(expected) && !text.contains("chparam"), "{text}");
        design.undefines.push("FORMAL".to_owned());
        let text = one_clock(&design, Frontend::Verilog, Path::new("/tmp/x")).unwrap();
        assert!(text.contains("read_verilog -sv -DN=4"), "{text}");
    }

    #[test]
    fn commands_cannot_be_smuggled_in() {
        for text in ["a b", "a;b", "a\"", "a\nb", "!ls", ""] {
            let design = Design { top: Some(text.to_owned()), ..design() };
            assert!(one_clock(&design, Frontend::Verilog, Path::new("/tmp/x")).is_err(), "{text}");
        }
        let design = Design::new(["a\";shell.sv"]);
        assert!(one_clock(&design, Frontend::Verilog, Path::new("/tmp/x")).is_err());
    }
}
