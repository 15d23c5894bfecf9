//! Patterns for names: `*` stands for any text, `?` for any one character.

/// Does the pattern describe the whole name?
///
/// ```
/// use elinvar::pattern::matches;
/// assert!(matches("u0.*_valid", "u0.axi.r_valid") && !matches("a?", "abc"));
/// ```
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut from) = (0, 0);
    // Where to go on when the text for the last star has to be longer.
    let mut star: Option<(usize, usize)> = None;
    while from < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&c) if c == '?' || c == name[from] => {
                at += 1;
                from += 1;
            }
            Some(_) | None => {
                let Some((star_at, star_from)) = star else { return false };
                star = Some((star_at, star_from + 1));
                (at, from) = (star_at + 1, star_from + 1);
            }
        }
    }
    pattern[at..].iter().all(|&c| c == '*')
}

/// Is it more than a name?
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name) in
            [("", ""), ("*", ""), ("a*", "a"), ("*b*b", "abbcb"), ("?ä*", "xäy"), ("a**c", "abc")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("", "a"), ("?", ""), ("a*b", "abc"), ("*b*b", "abc"), ("ab", "a")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
