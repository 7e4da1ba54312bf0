//! Truth about fixtures that is known before the prover answers: from their names, and from their lines of
//! directives.

/// The prover's answers.
pub(super) const ANSWERS: [&str; 3] = ["proved", "race", "unknown"];

/// The known truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Truth {
    Clean,
    Racy,
}

impl Truth {
    /// Returns the truth by the name of a kernel of `tests/prove`, of a fixture, or of a program that was
    /// made from one.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        let has = |words: &[&str]| words.iter().any(|w| name.contains(w));
        match (has(&["_clean", ".clean"]), has(&["_race", ".race"])) {
            (true, false) => Some(Truth::Clean),
            (false, true) => Some(Truth::Racy),
            _ => None,
        }
    }
}

/// The words of a fixture's line.
pub(super) fn directive<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("//@ ")?.strip_prefix(key)?.strip_prefix(':'))
        .flat_map(str::split_whitespace)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_fixtures_and_names_are_understood() {
        let text = "//@ lens-ptx: race\n//@ nvcc: -g -O1\n// //@ args: 1\n";
        assert_eq!(directive(text, "nvcc"), ["-g", "-O1"]);
        assert!(directive(text, "args").is_empty());
        assert_eq!(Truth::by_name("tests/ui/lock/a.race.cu"), Some(Truth::Racy));
        assert_eq!(Truth::by_name("stencil_clean"), Some(Truth::Clean));
        assert_eq!(Truth::by_name("histogram(int *)"), None);
    }
}
