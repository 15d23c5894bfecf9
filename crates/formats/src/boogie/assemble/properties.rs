//! Properties and their names.

use elinvar_ir::program::{Assertion, AssertionKind, LocationId};
use rustc_hash::FxHashMap;

use super::super::procedures::Draft;
use super::Assembler;

impl Assembler<'_, '_> {
    /// Those that something may lead to, in the order of the source.
    pub(super) fn properties(&self) -> Vec<Assertion> {
        let mut used: Vec<(usize, LocationId)> =
            self.errors.iter().map(|(&draft, &error)| (draft, error)).collect();
        used.sort_by_key(|(draft, _)| (self.drafts[*draft].span.start, *draft));
        let mut count: FxHashMap<String, usize> = FxHashMap::default();
        for &(draft, _) in &used {
            *count.entry(self.name(&self.drafts[draft], false)).or_insert(0) += 1;
        }
        let mut taken: FxHashMap<String, usize> = FxHashMap::default();
        used.into_iter()
            .map(|(draft, error)| {
                let draft = &self.drafts[draft];
                let mut name = self.name(draft, false);
                if count[&name] > 1 {
                    name = self.name(draft, true);
                }
                let number = taken.entry(name.clone()).or_insert(0);
                *number += 1;
                if *number > 1 {
                    name = format!("{name} ({number})");
                }
                Assertion { name, kind: draft.kind, span: draft.span.clone(), error }
            })
            .collect()
    }

    fn name(&self, draft: &Draft<'_>, with_column: bool) -> String {
        let position = self.lines.position(draft.span.start);
        let mut place = format!("at line {}", position.line);
        if with_column {
            place += &format!(", column {}", position.column);
        }
        match draft.kind {
            AssertionKind::Assert => format!("assert {place}"),
            AssertionKind::Requires => {
                format!("requires of {} {place}", draft.callee.unwrap_or_default())
            }
            AssertionKind::Ensures => format!("ensures {place}"),
            AssertionKind::InvariantEntry => format!("invariant {place} on entry"),
            AssertionKind::InvariantKept => {
                format!("invariant {place}, preserved by the loop body")
            }
        }
    }
}
