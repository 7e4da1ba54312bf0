//! The countable rules for a comment block, and their limits.

/// One countable rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The block's first sentence is a question.
    Question,
    /// The block has one of the words of [`PERSONS`].
    Person,
    /// The block begins with one of the words of [`BEGINNINGS`].
    Beginning,
}

impl Rule {
    pub(super) const ALL: [Rule; 3] = [Rule::Question, Rule::Person, Rule::Beginning];

    pub(super) fn name(self) -> &'static str {
        match self {
            Rule::Question => "question",
            Rule::Person => "who",
            Rule::Beginning => "beginning",
        }
    }

    /// Returns the blocks that may break the rule, in thousandths of all blocks.
    pub(super) fn limit(self) -> usize {
        match self {
            Rule::Question => 3,
            Rule::Person => 6,
            Rule::Beginning => 30,
        }
    }

    fn is_broken_by(self, text: &str) -> bool {
        match self {
            Rule::Question => begins_with_question(text),
            Rule::Person => words(text).any(|word| is_one_of(word, &PERSONS)),
            Rule::Beginning => words(text).next().is_some_and(|word| is_one_of(word, &BEGINNINGS)),
        }
    }
}

const PERSONS: [&str; 3] = ["who", "nobody", "somebody"];

const BEGINNINGS: [&str; 6] = ["of", "at", "by", "where", "what", "who"];

/// Whether the block breaks each rule of [`Rule::ALL`].
pub(super) type Faults = [bool; 3];

pub(super) fn faults(text: &str) -> Faults {
    let text = without_spans(text);
    Rule::ALL.map(|rule| rule.is_broken_by(&text))
}

/// Returns the text with each span of code between backticks replaced by a single mark, which is no word.
fn without_spans(text: &str) -> String {
    text.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "0" }).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Returns whether the first sentence ends with a question mark.
fn begins_with_question(text: &str) -> bool {
    let ends = |(at, c): (usize, char)| {
        let after = text[at + c.len_utf8()..].trim_start_matches(['"', ')', '*', '_']);
        (matches!(c, '.' | '?' | '!') && (after.is_empty() || after.starts_with(' '))).then_some(c)
    };
    text.char_indices().find_map(ends) == Some('?')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str) -> Vec<&'static str> {
        let marked = Rule::ALL.into_iter().zip(faults(text));
        marked.filter(|(_, broken)| *broken).map(|(rule, _)| rule.name()).collect()
    }

    #[test]
    fn a_question_counts_at_the_beginning_only() {
        assert_eq!(broken("Is it held? If so, it waits."), ["question"]);
        assert_eq!(broken("Does it wait (for ever?)"), ["question"]);
        assert_eq!(broken("Returns whether it waits. Why?"), [""; 0]);
        assert_eq!(broken("The `?` operator, a?b of C, and 1.5."), [""; 0]);
    }

    #[test]
    fn persons_are_whole_words_outside_of_code() {
        assert_eq!(broken("Tells Who reads."), ["who"]);
        assert_eq!(broken("That nobody reads, and somebody's word."), ["who"]);
        assert_eq!(broken("The whole of `who`, whose name is whom."), [""; 0]);
    }

    #[test]
    fn beginnings_are_first_words() {
        assert_eq!(broken("What it reads."), ["beginning"]);
        assert_eq!(broken("*At* the end."), ["beginning"]);
        assert_eq!(broken("Who reads?"), ["question", "who", "beginning"]);
        assert_eq!(broken("Atomics at the end. Of all."), [""; 0]);
        assert_eq!(broken("`what` at the end."), [""; 0]);
    }
}
