//! Finds the lines of a Markdown file that are too long.

use crate::page::LONGEST;

/// One line, numbered from 1, that has more than [`LONGEST`] characters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LongLine {
    pub(super) number: usize,
    pub(super) length: usize,
}

/// Returns the long lines outside of fenced code and tables. A line that cannot be broken (one word after its mark, a
/// heading, a link's definition) is not among them.
pub(super) fn long_lines(page: &str) -> Vec<LongLine> {
    let mut fence: Option<&str> = None;
    let mut long = Vec::new();
    for (index, line) in page.lines().enumerate() {
        let text = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(close)) if open == close => fence = None,
            _ => {}
        }
        let length = line.chars().count();
        let in_code = fence.is_some() || mark.is_some();
        if length > LONGEST && !in_code && !text.starts_with('|') && can_break(text) {
            long.push(LongLine { number: index + 1, length });
        }
    }
    long
}

/// Returns whether the line has a space after its mark at which it could end.
fn can_break(text: &str) -> bool {
    let definition = text.starts_with('[') && text.contains("]: ");
    let heading = text.starts_with('#');
    let after_mark = text.trim_start_matches(['-', '*', '>', ' ']);
    !definition && !heading && after_mark.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(page: &str) -> Vec<usize> {
        long_lines(page).into_iter().map(|line| line.number).collect()
    }

    #[test]
    fn long_lines_are_counted_in_characters() {
        let fits = "é ".repeat(50);
        assert_eq!(long_lines(&format!("{fits}\n{fits}x\n")), [LongLine { number: 2, length: 101 }]);
    }

    #[test]
    fn tables_and_code_may_be_long() {
        let words = "a word ".repeat(20);
        assert_eq!(numbers(&format!("| {words} |\n```sh\n{words}\n~~~\n```\n{words}\n")), [6]);
        assert_eq!(numbers(&format!("- x\n\n  ```\n  {words}\n  ```\n  {words}\n")), [6]);
    }

    #[test]
    fn lines_that_cannot_be_broken_may_be_long() {
        let word = "x".repeat(120);
        assert_eq!(numbers(&format!("{word}\n- {word}\n[a]: {word}\n- a {word}\n# a {word}\n")), [4]);
    }
}
