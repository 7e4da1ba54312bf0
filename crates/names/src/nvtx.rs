//! Which NVTX ranges are checked: the expressions of `--nvtx-include` and `--nvtx-exclude`, in the syntax of Nsight Compute.

use regex_lite::Regex;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One expression: `[DOMAIN@]RANGE[,RANGE…]`, of which every range must be open where the launch is made.
#[derive(Clone, Debug)]
pub struct RangeFilter {
    /// As it was given.
    text: String,
    /// `None` for the default domain.
    domain: Option<Name>,
    wanted: Vec<Wanted>,
}

#[derive(Clone, Debug)]
enum Wanted {
    /// `RANGE`: a range that was started and has not ended.
    Started(Name),
    /// `RANGE/…`: ranges of one thread, pushed and not popped.
    Pushed(Stack),
}

/// Ranges of a thread's stack, outermost first.
#[derive(Clone, Debug)]
struct Stack {
    steps: Vec<Step>,
    /// `[`: the first is the outermost of the stack.
    bottom: bool,
    /// `]`: the last is the innermost.
    top: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Range(Name),
    /// `+`: one range.
    One,
    /// `*`: any number of ranges.
    Many,
}

#[derive(Clone, Debug)]
enum Name {
    Text(String),
    /// `regex:EXPRESSION`, which matches somewhere in the name.
    Regex(Regex),
}

/// Why a text is no expression. Printed, it is a fragment of a sentence.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RangeFilterError {
    #[error("a range has no name")]
    NoName,
    #[error("more than one domain: give an option for each")]
    Domains,
    #[error("not a regular expression: {0}")]
    Regex(#[from] regex_lite::Error),
}

impl PartialEq for RangeFilter {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Serialize for RangeFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for RangeFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RangeFilter::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl RangeFilter {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, RangeFilterError> {
        let parts = split(text, '@');
        let (domain, ranges) = match parts.as_slice() {
            [ranges] => (None, *ranges),
            [domain, ranges] => (Some(Name::parse(domain)?), *ranges),
            _ => return Err(RangeFilterError::Domains),
        };
        let wanted = split(ranges, ',').into_iter().map(Wanted::parse).collect::<Result<_, _>>()?;
        Ok(RangeFilter { text: text.to_owned(), domain, wanted })
    }

    /// Returns whether the expression is about a domain. The default domain has an empty name.
    pub fn is_about(&self, domain: &str) -> bool {
        match &self.domain {
            None => domain.is_empty(),
            Some(name) => !domain.is_empty() && name.matches(domain),
        }
    }

    /// Returns whether the expression matches where these ranges of its domain are open: those that a thread has pushed,
    /// outermost first, and those that the process has started.
    pub fn matches(&self, pushed: &[&str], started: &[&str]) -> bool {
        self.wanted.iter().all(|wanted| match wanted {
            Wanted::Started(name) => started.iter().any(|range| name.matches(range)),
            Wanted::Pushed(stack) => stack.matches(pushed),
        })
    }
}

impl Wanted {
    fn parse(text: &str) -> Result<Self, RangeFilterError> {
        let (text, bottom) = match text.strip_prefix('[') {
            Some(rest) => (rest.strip_prefix('/').unwrap_or(rest), true),
            None => (text, false),
        };
        // A character class of a regular expression may end a name, too.
        let closed = text.strip_suffix("/]").or_else(|| text.strip_suffix(']'));
        let escaped = text.ends_with("\\]") || (text.contains("regex:") && !text.ends_with("/]"));
        let (text, top) = match closed.filter(|_| !escaped) {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let mut parts = split(text, '/');
        if parts.len() == 1 && !bottom && !top {
            return Ok(Wanted::Started(Name::parse(text)?));
        }
        if parts.len() > 1 && parts.last() == Some(&"") {
            parts.pop();
        }
        let steps = parts.into_iter().map(Step::parse).collect::<Result<_, _>>()?;
        Ok(Wanted::Pushed(Stack { steps, bottom, top }))
    }
}

impl Step {
    fn parse(text: &str) -> Result<Self, RangeFilterError> {
        Ok(match text {
            "+" => Step::One,
            "*" => Step::Many,
            name => Step::Range(Name::parse(name)?),
        })
    }
}

impl Stack {
    fn matches(&self, pushed: &[&str]) -> bool {
        let last_start = if self.bottom { 0 } else { pushed.len() };
        (0..=last_start).any(|start| self.rest_matches(&self.steps, &pushed[start..]))
    }

    fn rest_matches(&self, steps: &[Step], ranges: &[&str]) -> bool {
        let Some((step, steps)) = steps.split_first() else { return !self.top || ranges.is_empty() };
        match step {
            Step::Many => (0..=ranges.len()).any(|n| self.rest_matches(steps, &ranges[n..])),
            Step::One => !ranges.is_empty() && self.rest_matches(steps, &ranges[1..]),
            Step::Range(name) => {
                ranges.first().is_some_and(|range| name.matches(range))
                    && self.rest_matches(steps, &ranges[1..])
            }
        }
    }
}

impl Name {
    fn parse(text: &str) -> Result<Self, RangeFilterError> {
        match text.strip_prefix("regex:") {
            Some("") => Err(RangeFilterError::NoName),
            Some(expression) => Ok(Name::Regex(Regex::new(&unescaped(expression))?)),
            None if text.is_empty() => Err(RangeFilterError::NoName),
            None => Ok(Name::Text(unescaped(text))),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Name::Text(text) => text == name,
            Name::Regex(regex) => regex.is_match(name),
        }
    }
}

/// The characters that `\` takes for themselves.
const RESERVED: [char; 7] = ['@', ',', '[', ']', '/', '*', '+'];

/// Splits a text at a character that no `\` precedes.
fn split(text: &str, at: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (i, c) in text.char_indices() {
        if c == at && !escaped {
            parts.push(&text[start..i]);
            start = i + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    parts.push(&text[start..]);
    parts
}

/// Returns the text without the `\` before reserved characters.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' || chars.peek().is_none_or(|next| !RESERVED.contains(next)) {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether an expression matches in its domain.
    fn is_in(text: &str, pushed: &[&str], started: &[&str]) -> bool {
        RangeFilter::parse(text).unwrap().matches(pushed, started)
    }

    #[test]
    fn stacks_match_where_the_steps_follow_each_other() {
        let stack = ["step", "solve", "reduce"];
        for text in [
            "step/",
            "solve/",
            "reduce/",
            "[step",
            "[step/",
            "reduce]",
            "reduce/]",
            "step/solve/",
            "[step/*/reduce]",
            "[step/+/reduce/]",
            "step/*/solve/",
            "regex:^s/*/regex:^s/",
            "regex:r[a-e]duce/]",
        ] {
            assert!(is_in(text, &stack, &[]), "{text}");
        }
        for text in
            ["step", "[solve", "step]", "step/reduce/", "step/+/solve/", "solve/step/", "[*/+/+/+/+/", "x/"]
        {
            assert!(!is_in(text, &stack, &[]), "{text}");
        }
    }

    #[test]
    fn started_ranges_and_pushed_ones_may_be_asked_for_together() {
        assert!(is_in("epoch", &[], &["warm", "epoch"]));
        assert!(is_in("epoch,warm", &[], &["warm", "epoch"]));
        assert!(is_in("epoch,step/*/solve/", &["step", "solve"], &["epoch"]));
        assert!(!is_in("epoch,step/", &["step"], &[]));
        assert!(!is_in("epoch/", &[], &["epoch"]));
        assert!(is_in("regex:^ep.*[gh]", &[], &["epoch"]));
    }

    #[test]
    fn domains_are_chosen_by_name() {
        let about = |text: &str, domain: &str| RangeFilter::parse(text).unwrap().is_about(domain);
        assert!(about("a/", "") && !about("a/", "CCCL"));
        assert!(about("CCCL@a/", "CCCL") && !about("CCCL@a/", "") && !about("CCCL@a/", "CCC"));
        assert!(about("regex:^C@a/", "CCCL") && !about("regex:^C@a/", ""));
    }

    #[test]
    fn reserved_characters_can_be_escaped() {
        assert!(is_in(r"a\/b/", &["a/b"], &[]));
        assert!(is_in(r"a\@b\,c", &[], &["a@b,c"]));
        assert!(is_in(r"\[x\]", &[], &["[x]"]));
        assert!(is_in(r"\*/", &["*"], &[]) && !is_in(r"\*/", &["x"], &[]));
    }

    #[test]
    fn expressions_that_cannot_be_read_say_why() {
        for (text, expected) in [
            ("", "no name"),
            ("a//b/", "no name"),
            ("a,", "no name"),
            ("@a", "no name"),
            ("A@b,C@d", "more than one domain"),
            ("regex:(/", "not a regular expression"),
        ] {
            let error = RangeFilter::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
