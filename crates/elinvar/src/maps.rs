//! Maps of names that stand beside a model.

use std::path::Path;

use elinvar_formats::Format;

use crate::source::Source;

/// The maps that have the name of the model and the ending of maps for its format, the best ones
/// first: some paths are only in those for witnesses.
///
/// ```
/// use elinvar::formats::Format;
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("toggle.aim"), "latch 0 0 led\n")?;
/// let model = folder.path().join("toggle.aig");
/// assert_eq!(elinvar::maps_beside(&model, Format::Aiger).len(), 1);
/// assert!(elinvar::maps_beside(&model, Format::Btor2).is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn maps_beside(model: &Path, format: Format) -> Vec<Source> {
    let endings: &[&str] = match format {
        Format::Aiger => &["ywa", "aim"],
        Format::Btor2 => &["ywb"],
        Format::Btor | Format::Basm | Format::Boogie | Format::SmtLib | Format::Dot => &[],
    };
    let paths = endings.iter().map(|ending| model.with_extension(ending));
    paths.filter(|path| path.is_file()).filter_map(|path| Source::read(path).ok()).collect()
}
