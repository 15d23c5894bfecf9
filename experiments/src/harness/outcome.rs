//! How runs end.

/// A decision about all properties of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All properties hold.
    Safe,
    /// A property fails.
    Unsafe,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There is a verdict.
    Decided(Verdict),
    /// The engine gave up.
    Unknown,
    /// The limit ended the run.
    TooLong,
    /// The run ended without a report.
    Failed,
}

impl Verdict {
    /// Both verdicts.
    pub const ALL: [Verdict; 2] = [Verdict::Safe, Verdict::Unsafe];

    /// The word in reports and lists.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Unsafe => "unsafe",
        }
    }

    /// The verdict of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Verdict::ALL.into_iter().find(|verdict| verdict.word() == word)
    }

    /// The verdict in a cell of a list; none if the cell is empty or `unknown`.
    pub fn of_cell(cell: &str) -> Result<Option<Self>, String> {
        match cell {
            "" | "unknown" => Ok(None),
            word => Verdict::of_word(word)
                .map(Some)
                .ok_or_else(|| format!("`{word}` is neither `safe` nor `unsafe` nor `unknown`")),
        }
    }
}

impl Outcome {
    /// The word in tables and in the log.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Decided(verdict) => verdict.word(),
            Outcome::Unknown => "unknown",
            Outcome::TooLong => "TO",
            Outcome::Failed => "failed",
        }
    }

    /// The outcome of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        let others = [Outcome::Unknown, Outcome::TooLong, Outcome::Failed];
        let all = Verdict::ALL.map(Outcome::Decided).into_iter().chain(others);
        all.into_iter().find(|outcome| outcome.word() == word)
    }

    /// The verdict, if there is one.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Outcome::Decided(verdict) => Some(verdict),
            Outcome::Unknown | Outcome::TooLong | Outcome::Failed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_read_back_from_their_words() {
        for word in ["safe", "unsafe", "unknown", "TO", "failed"] {
            assert_eq!(Outcome::of_word(word).map(Outcome::word), Some(word));
        }
        assert_eq!(Outcome::of_word("sat"), None);
        assert_eq!(Outcome::Unknown.verdict(), None);
    }

    #[test]
    fn a_list_need_not_know_the_verdict() {
        assert_eq!(Verdict::of_cell("unsafe"), Ok(Some(Verdict::Unsafe)));
        assert_eq!((Verdict::of_cell(""), Verdict::of_cell("unknown")), (Ok(None), Ok(None)));
        assert!(Verdict::of_cell("sat").is_err());
    }
}
