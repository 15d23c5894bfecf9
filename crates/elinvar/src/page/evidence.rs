//! The evidence of a page: size, hash, and the command that checks it; small evidence is part of
//! the page, so that it can be checked without the files of the run.

use std::path::{Path, PathBuf};

use elinvar_ir::Verdict;
use serde_json::{Value as Json, json};

use super::PageOptions;
use super::escape::{base64, command_line, cost, sha256};
use crate::evidence::EvidenceKind;
use crate::report::{PropertyReport, Report};

/// Bytes of the evidence of all properties that is produced only for its hash.
const PRODUCED: usize = 64 << 20;
/// Bytes of all evidence that is part of the page.
const EMBEDDED: usize = 400_000;

/// What may still be spent on evidence.
pub(super) struct Evidence {
    produced: usize,
    embedded: usize,
}

impl Default for Evidence {
    fn default() -> Self {
        Evidence { produced: PRODUCED, embedded: EMBEDDED }
    }
}

impl Evidence {
    /// The evidence about a property, or null if there is none.
    pub fn json(
        &mut self,
        report: &Report,
        property: &PropertyReport,
        options: &PageOptions,
    ) -> Json {
        let kind = match property.verdict {
            Verdict::Safe(_) => EvidenceKind::Certificate,
            Verdict::Unsafe(_) => EvidenceKind::Witness,
            Verdict::Unknown(_) => return Json::Null,
        };
        let written = property.files.iter().find(|file| file.kind == kind.name());
        if written.is_none() && self.produced == 0 {
            return Json::Null;
        }
        let path = written.map_or_else(|| default_path(kind, property), |file| file.path.clone());
        let Ok(Some(bytes)) = report.evidence(property, kind, &path) else { return Json::Null };
        if written.is_none() {
            self.produced = self.produced.saturating_sub(bytes.len());
        }
        let mut object = json!({
            "kind": kind.name(),
            "bytes": bytes.len(),
            "sha256": sha256(&bytes),
            "file": path.to_string_lossy(),
            "written": written.is_some(),
            "verify": verify(report, property, options, &path),
        });
        self.embed(&bytes, &mut object);
        object
    }

    /// Adds the contents, if there is room.
    fn embed(&mut self, bytes: &[u8], object: &mut Json) {
        let (key, text) = match std::str::from_utf8(bytes) {
            Ok(text) => ("text", text.to_owned()),
            Err(_) => ("base64", base64(bytes)),
        };
        let size = cost(&text);
        if size <= self.embedded {
            self.embedded -= size;
            object[key] = text.into();
        }
    }
}

/// The name of a file that was not written.
fn default_path(kind: EvidenceKind, property: &PropertyReport) -> PathBuf {
    format!("{}-{}.txt", kind.name(), property.id.0).into()
}

/// The command that checks the evidence in a file.
fn verify(
    report: &Report,
    property: &PropertyReport,
    options: &PageOptions,
    path: &Path,
) -> Option<String> {
    if options.models.is_empty() {
        return None;
    }
    let mut words = vec!["elinvar".to_owned(), "verify".to_owned()];
    words.extend(options.models.iter().cloned());
    words.push(path.to_string_lossy().into_owned());
    if report.problem.property_count() > 1 {
        words.extend(["--property".to_owned(), property.id.0.to_string()]);
    }
    words.extend(options.verify_options.iter().cloned());
    Some(command_line(words))
}
