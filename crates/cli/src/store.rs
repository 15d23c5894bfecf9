//! `elinvar store`: what a store of proofs has, and how it is kept small.

use std::path::PathBuf;

use anyhow::{Result, bail};
use elinvar::files::shown;
use elinvar::readable::{align, count};
use elinvar::{Amount, Store};
use serde_json::{Value as Json, json};

use crate::{code, output};

/// Show, shrink or examine a store of proofs
///
/// A store is a folder that `check --store DIR` makes. Runs look properties up in it by the logic
/// that they depend on, and check what they find before they report it. Runs may use the store
/// while these commands work.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  elinvar check soc.btor2 --store proofs     look properties up, and add what is found out
  elinvar store stats proofs                 how many proofs there are
  elinvar store gc proofs --limit 500M       never more than 500 MB from now on
  elinvar store check proofs                 look for damaged files";

#[derive(clap::Subcommand)]
enum Command {
    /// Show how many entries a store has, and how large they are
    Stats(Target),
    /// Remove the entries that were not used for the longest time, down to the limit
    ///
    /// Runs do so by themselves when a store exceeds its limit. What was put aside because it was
    /// damaged or refused is removed as well.
    Gc {
        #[command(flatten)]
        target: Target,

        /// Change the limit of the store, also for later runs [default of new stores: 4 GiB]
        ///
        /// SIZE is a number of bytes, or has a unit: 500K, 500M, 2G, or 500 MiB, 2 GiB.
        #[arg(long, value_name = "SIZE", value_parser = size)]
        limit: Option<u64>,
    },
    /// Read all entries, and put damaged ones aside
    ///
    /// Whether evidence is right is checked when a run uses it. Exit codes: 0 no entry is damaged,
    /// 1 some were and have been put aside, 2 user error.
    Check(Target),
}

#[derive(clap::Args)]
struct Target {
    /// The folder of the store
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Target {
    /// Opens a store, which must exist.
    fn open(&self) -> Result<Store> {
        if !self.folder.is_dir() {
            bail!("there is no store {}", shown(&self.folder));
        }
        Ok(Store::open(&self.folder)?)
    }

    fn print(&self, text: impl FnOnce() -> String, json: &Json) -> Result<()> {
        output::print(&if self.json { format!("{json}\n") } else { text() })
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    match &arguments.command {
        Command::Stats(target) => stats(target),
        Command::Gc { target, limit } => gc(target, *limit),
        Command::Check(target) => check(target),
    }
}

fn stats(target: &Target) -> Result<u8> {
    let store = target.open()?;
    let found = store.statistics()?;
    let row = |what: &str, amount: Amount| {
        [what.to_owned(), format!("{:>10}", amount.entries), format!("{:>14}", bytes(amount.bytes))]
    };
    let text = || {
        let rows = [
            ["".to_owned(), format!("{:>10}", "entries"), format!("{:>14}", "size")],
            row("evidence", found.evidence),
            row("lemmas", found.lemmas),
            row("damaged", found.damaged),
            ["limit".to_owned(), String::new(), format!("{:>14}", bytes(store.limit()))],
        ];
        align(&rows)
    };
    let json = json!({
        "evidence": amount(found.evidence),
        "lemmas": amount(found.lemmas),
        "damaged": amount(found.damaged),
        "limit": store.limit(),
    });
    target.print(text, &json)?;
    Ok(code::DONE)
}

fn gc(target: &Target, limit: Option<u64>) -> Result<u8> {
    let mut store = target.open()?;
    if let Some(limit) = limit {
        store.set_limit(limit)?;
    }
    let swept = store.collect_garbage()?;
    let of = |amount: Amount| format!("{} of {}", entries(amount.entries), bytes(amount.bytes));
    let text = || format!("Removed {}; {} are left.\n", of(swept.removed), of(swept.left));
    let json = json!({ "removed": amount(swept.removed), "left": amount(swept.left) });
    target.print(text, &json)?;
    Ok(code::DONE)
}

fn check(target: &Target) -> Result<u8> {
    let store = target.open()?;
    let damaged = store.examine()?;
    let found = store.statistics()?;
    let good = found.evidence.entries + found.lemmas.entries;
    let text = || {
        let mut text = String::new();
        for path in &damaged {
            text.push_str(&format!("{} is damaged and was put aside\n", shown(path)));
        }
        text.push_str(&format!("{} can be read.\n", entries(good)));
        text
    };
    let paths: Vec<_> = damaged.iter().map(|path| path.to_string_lossy()).collect();
    target.print(text, &json!({ "entries": good, "damaged": paths }))?;
    Ok(if damaged.is_empty() { code::DONE } else { code::REFUSED })
}

fn amount(amount: Amount) -> Json {
    json!({ "entries": amount.entries, "bytes": amount.bytes })
}

fn entries(number: u64) -> String {
    match number {
        1 => "1 entry".to_owned(),
        number => format!("{number} entries"),
    }
}

/// A size for people.
fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let power = (number.max(1).ilog2() / 10) as usize;
    match power.checked_sub(1).map(|unit| unit.min(UNITS.len() - 1)) {
        None => count(number as usize, "byte"),
        Some(unit) => {
            format!(
                "{:.1} {}",
                number as f64 / f64::from(10 * unit as u32 + 10).exp2(),
                UNITS[unit]
            )
        }
    }
}

/// Reads a size with or without a unit.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is not a size"))?;
    let factor: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        "tib" => 1_099_511_627_776.0,
        other => return Err(format!("`{other}` is not a unit; use K, M, G, KiB, MiB or GiB")),
    };
    Ok((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("1.5k"), Ok(1500));
        assert_eq!(size("2 GiB"), Ok(2 << 30));
        assert_eq!(size("4M"), Ok(4_000_000));
        assert!(size("").is_err() && size("M").is_err() && size("3 apples").is_err());
        assert!(size("-3").is_err() && size("1.2.3").is_err());
    }

    #[test]
    fn sizes_are_shown_for_people() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(4 << 30), "4.0 GiB");
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
    }
}
