//! `campaign.toml`: what a campaign is to decide, and how.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use elinvar::campaign::{Limits, Order, Strategy};
use elinvar::formats::Diagnostic;
use elinvar::{FileFault, Source};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::strategy;

/// What the file of a campaign says.
#[derive(Debug)]
pub struct Spec {
    /// What is to be decided.
    pub order: Order,
    /// Options of `sbatch`.
    pub slurm: Vec<String>,
}

type Value<'a> = Spanned<DeValue<'a>>;

/// Reads the file of a campaign. Models and the store are relative to its folder.
pub fn read(path: &Path) -> Result<Spec> {
    let source = Source::read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(parse(&source, folder, stem)
        .map_err(|diagnostic| FileFault::new(source.name(), source.bytes(), &diagnostic))?)
}

fn parse(source: &Source, folder: &Path, name: String) -> Result<Spec, Diagnostic> {
    let text = std::str::from_utf8(source.bytes()).map_err(|error| {
        let at = error.valid_up_to();
        Diagnostic::new("the file is not valid UTF-8", at..at + 1)
    })?;
    let table = DeTable::parse(text).map_err(|error| {
        Diagnostic::new(error.message().to_owned(), error.span().unwrap_or(0..0))
    })?;
    let (models, properties, strategies) = (Vec::new(), Vec::new(), Vec::new());
    let (limits, store) = (Limits { jobs: 0, ..Limits::default() }, None);
    let order = Order { name, models, properties, strategies, limits, store };
    let mut spec = Spec { order, slurm: Vec::new() };
    for (key, value) in table.get_ref() {
        let order = &mut spec.order;
        match key.get_ref().as_ref() {
            "name" => order.name = string(value)?,
            "models" => {
                for (pattern, span) in strings(value)? {
                    order.models.extend(files(folder, &pattern, span)?);
                }
            }
            "properties" => {
                order.properties = strings(value)?.into_iter().map(|(text, _)| text).collect();
            }
            "store" => order.store = Some(folder.join(string(value)?)),
            "limits" => limits_of(value, &mut order.limits)?,
            "strategy" => order.strategies = strategies_of(value)?,
            "slurm" => spec.slurm = slurm(value)?,
            other => {
                let message = format!(
                    "there is no key {other}; a campaign has name, models, properties, store, \
                     [limits], [[strategy]] and [slurm]"
                );
                return Err(Diagnostic::new(message, key.span()));
            }
        }
    }
    if spec.order.models.is_empty() {
        return Err(Diagnostic::new("the campaign names no models", 0..0));
    }
    Ok(spec)
}

fn limits_of(value: &Value<'_>, limits: &mut Limits) -> Result<(), Diagnostic> {
    for (key, value) in table_of(value)? {
        match key.get_ref().as_ref() {
            "memory" => limits.memory = Some(memory(value)?),
            "jobs" => {
                let text = scalar(value)?;
                let count: Option<usize> = text.parse().ok().filter(|&count| count > 0);
                limits.jobs = count
                    .ok_or_else(|| Diagnostic::new("expected a number of workers", value.span()))?;
            }
            "heartbeat" => limits.heartbeat = duration(value)?.as_secs_f64(),
            other => {
                let message =
                    format!("[limits] has no key {other}; it has memory, jobs, heartbeat");
                return Err(Diagnostic::new(message, key.span()));
            }
        }
    }
    Ok(())
}

fn strategies_of(value: &Value<'_>) -> Result<Vec<Strategy>, Diagnostic> {
    let DeValue::Array(tables) = value.get_ref() else {
        return Err(Diagnostic::new("expected tables [[strategy]]", value.span()));
    };
    let mut strategies: Vec<Strategy> = Vec::new();
    for table in tables {
        let (strategy, span) = strategy_of(table)?;
        if strategies.iter().any(|other| other.name == strategy.name) {
            let message = format!("there is a strategy {} before", strategy.name);
            return Err(Diagnostic::new(message, span));
        }
        strategies.push(strategy);
    }
    Ok(strategies)
}

fn strategy_of(value: &Value<'_>) -> Result<(Strategy, Range<usize>), Diagnostic> {
    let (mut name, mut options, mut timeout) = (None, Vec::new(), None);
    for (key, value) in table_of(value)? {
        match key.get_ref().as_ref() {
            "name" => name = Some((string(value)?, value.span())),
            "options" => {
                options = strings(value)?.into_iter().map(|(text, _)| text).collect();
                strategy::expect(&options)
                    .map_err(|message| Diagnostic::new(message, value.span()))?;
            }
            "timeout" => timeout = Some(duration(value)?.as_secs_f64()),
            other => {
                let message =
                    format!("[[strategy]] has no key {other}; it has name, options, timeout");
                return Err(Diagnostic::new(message, key.span()));
            }
        }
    }
    let Some((name, span)) = name else {
        return Err(Diagnostic::new("the strategy has no name", value.span()));
    };
    Ok((Strategy { name, options, timeout }, span))
}

fn slurm(value: &Value<'_>) -> Result<Vec<String>, Diagnostic> {
    let mut options = Vec::new();
    for (key, value) in table_of(value)? {
        match key.get_ref().as_ref() {
            "options" => options = strings(value)?.into_iter().map(|(text, _)| text).collect(),
            other => {
                let message = format!("[slurm] has no key {other}; it has options");
                return Err(Diagnostic::new(message, key.span()));
            }
        }
    }
    Ok(options)
}

fn table_of<'a, 'b>(value: &'a Value<'b>) -> Result<&'a DeTable<'b>, Diagnostic> {
    match value.get_ref() {
        DeValue::Table(table) => Ok(table),
        _ => Err(Diagnostic::new("expected a table", value.span())),
    }
}

fn string(value: &Value<'_>) -> Result<String, Diagnostic> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        _ => Err(Diagnostic::new("expected a text", value.span())),
    }
}

fn strings(value: &Value<'_>) -> Result<Vec<(String, Range<usize>)>, Diagnostic> {
    match value.get_ref() {
        DeValue::Array(values) => values.iter().map(|v| Ok((string(v)?, v.span()))).collect(),
        _ => Ok(vec![(string(value)?, value.span())]),
    }
}

fn scalar(value: &Value<'_>) -> Result<String, Diagnostic> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.as_str().to_owned()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        _ => Err(Diagnostic::new("expected a text or a number", value.span())),
    }
}

fn duration(value: &Value<'_>) -> Result<Duration, Diagnostic> {
    parse_duration(&scalar(value)?)
        .ok_or_else(|| Diagnostic::new("expected a time such as \"2s\" or \"10min\"", value.span()))
}

/// A time such as `2s`, or a number of seconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let seconds = || Duration::try_from_secs_f64(text.parse().ok()?).ok();
    let time = seconds().or_else(|| humantime::parse_duration(text).ok())?;
    (!time.is_zero()).then_some(time)
}

fn memory(value: &Value<'_>) -> Result<u64, Diagnostic> {
    let expected = || Diagnostic::new("expected a size such as \"8 GiB\"", value.span());
    let text = scalar(value)?;
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| expected())?;
    let unit: u64 = match unit.trim() {
        "" | "MiB" => 1 << 20,
        "KiB" => 1 << 10,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return Err(expected()),
    };
    let bytes = number * unit as f64;
    if bytes >= 1.0 { Ok(bytes as u64) } else { Err(expected()) }
}

/// The files that a pattern describes, with their names in reports. Patterns may be in any part
/// of the path.
fn files(
    folder: &Path,
    pattern: &str,
    span: Range<usize>,
) -> Result<Vec<(String, PathBuf)>, Diagnostic> {
    let mut found = vec![PathBuf::new()];
    for part in Path::new(pattern).components() {
        let text = part.as_os_str().to_string_lossy();
        if !elinvar::pattern::is_pattern(&text) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let mut matching = Vec::new();
        for path in found {
            let listed = folder.join(&path);
            let listed = if listed.as_os_str().is_empty() { PathBuf::from(".") } else { listed };
            let Ok(entries) = std::fs::read_dir(&listed) else { continue };
            let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
            names.retain(|name| elinvar::pattern::matches(&text, &name.to_string_lossy()));
            names.sort();
            matching.extend(names.into_iter().map(|name| path.join(name)));
        }
        found = matching;
    }
    let is_pattern = elinvar::pattern::is_pattern(pattern);
    found.retain(|path| folder.join(path).is_file());
    if found.is_empty() {
        let what = if is_pattern { "no file matches" } else { "there is no file" };
        return Err(Diagnostic::new(format!("{what} {pattern}"), span));
    }
    let named = |path: PathBuf| (path.to_string_lossy().into_owned(), folder.join(path));
    Ok(found.into_iter().map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        for name in ["x.aag", "a/y.btor2", "a/b/z.btor2"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    fn parsed(folder: &Path, text: &str) -> Result<Spec, Diagnostic> {
        parse(&Source::new("campaign.toml", text), folder, "campaign".to_owned())
    }

    #[test]
    fn a_campaign_is_read() {
        let folder = folder();
        let text = "name = \"nightly\"\nmodels = [\"*.aag\", \"a/*.btor2\", \"*/b/*\"]\n\
                    properties = [\"u0.*\"]\nstore = \"proofs\"\n\
                    [limits]\nmemory = \"8 GiB\"\njobs = 2\nheartbeat = 5\n\
                    [[strategy]]\nname = \"quick\"\noptions = [\"--engine\", \"pdr\"]\ntimeout = \"2s\"\n\
                    [[strategy]]\nname = \"long\"\ntimeout = 60\n\
                    [slurm]\noptions = [\"--partition=fast\"]\n";
        let Spec { order, slurm } = parsed(folder.path(), text).unwrap();
        let names: Vec<&str> = order.models.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            (order.name.as_str(), names),
            ("nightly", vec!["x.aag", "a/y.btor2", "a/b/z.btor2"])
        );
        assert_eq!(order.limits, Limits { memory: Some(8 << 30), jobs: 2, heartbeat: 5.0 });
        assert_eq!(order.strategies[0].options, ["--engine", "pdr"]);
        let times: Vec<_> = order.strategies.iter().map(|strategy| strategy.timeout).collect();
        assert_eq!((times, slurm.len()), (vec![Some(2.0), Some(60.0)], 1));
    }

    #[test]
    fn faults_have_places() {
        let folder = folder();
        let at = |text: &str| {
            let whole = format!("models = \"x.aag\"\n{text}");
            let error = parsed(folder.path(), &whole).unwrap_err();
            whole[error.span].to_owned()
        };
        assert_eq!(at("modles = 3\n"), "modles");
        assert_eq!(at("name = 3\n"), "3");
        assert_eq!(at("[limits]\ncpus = 3\n"), "cpus");
        assert_eq!(at("[limits]\njobs = 0\n"), "0");
        assert_eq!(at("[limits]\nmemory = \"8 apples\"\n"), "\"8 apples\"");
        assert_eq!(at("[[strategy]]\nname = \"q\"\ntimeout = \"soon\"\n"), "\"soon\"");
        assert_eq!(at("[[strategy]]\nname = \"q\"\ntimeout = 0\n"), "0");
        assert_eq!(at("[[strategy]]\nname = \"q\"\nengine = \"pdr\"\n"), "engine");
        let options = at("[[strategy]]\nname = \"q\"\noptions = [\"--engine\", \"none\"]\n");
        assert_eq!(options, "[\"--engine\", \"none\"]");
        assert_eq!(at("[[strategy]]\nname = \"q\"\n[[strategy]]\nname = \"q\"\n"), "\"q\"");
        assert_eq!(at("[slurm]\npartition = \"x\"\n"), "partition");
        assert!(parsed(folder.path(), "models = [\"no.aag\"]\n").is_err());
        assert!(parsed(folder.path(), "models = [\"*.none\"]\n").is_err());
        assert!(parsed(folder.path(), "name = \"n\"\n").is_err());
        assert!(parsed(folder.path(), "models = [\n").is_err());
    }
}
