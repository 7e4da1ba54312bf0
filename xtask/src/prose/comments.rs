//! Finds the comment blocks of a Rust file.
//!
//! A block is a run of lines that hold one kind of line comment and nothing else. A comment after code is a block of its own.
//! Comment markers inside strings, characters and `/* */` are no comments. Fenced code in a block is left out of its text.

/// One block: the line on which it begins, from 1, and its text without markers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) line: usize,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Outer,
    Inner,
}

/// One line comment.
struct Comment<'t> {
    line: usize,
    kind: Kind,
    text: &'t str,
    /// Whether code stands before it on its line.
    after_code: bool,
}

/// Returns the blocks of the file, in order, without those that have no text.
pub(super) fn blocks(source: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut last: Option<Comment<'_>> = None;
    for comment in comments(source) {
        let continues = last.as_ref().is_some_and(|last| {
            let whole = !last.after_code && !comment.after_code;
            whole && last.kind == comment.kind && last.line + 1 == comment.line
        });
        if !continues {
            blocks.push(Block { line: comment.line, text: String::new() });
        }
        if let Some(block) = blocks.last_mut() {
            block.text.push_str(comment.text);
            block.text.push('\n');
        }
        last = Some(comment);
    }
    for block in &mut blocks {
        block.text = without_code(&block.text);
    }
    blocks.retain(|block| !block.text.is_empty());
    blocks
}

/// Joins the lines outside of fenced code with spaces.
fn without_code(text: &str) -> String {
    let mut fenced = false;
    let mut words: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            words.extend(line.split_whitespace());
        }
    }
    words.join(" ")
}

fn comments(source: &str) -> Vec<Comment<'_>> {
    let mut scanner = Scanner { source, at: 0, line: 1, line_start: 0 };
    std::iter::from_fn(|| scanner.next_comment()).collect()
}

/// Walks through a file's tokens as far as is needed to know strings from comments.
struct Scanner<'t> {
    source: &'t str,
    at: usize,
    line: usize,
    line_start: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.source[self.at..]
    }

    /// Skips `length` bytes and counts the lines that end in them.
    fn skip(&mut self, length: usize) {
        for (offset, _) in self.rest()[..length].match_indices('\n') {
            self.line += 1;
            self.line_start = self.at + offset + 1;
        }
        self.at += length;
    }

    fn next_comment(&mut self) -> Option<Comment<'t>> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            if rest.starts_with("//") {
                return Some(self.line_comment());
            }
            let length = if rest.starts_with("/*") {
                nested_comment(rest)
            } else if first == '"' {
                1 + string(&rest[1..])
            } else if first == '\'' {
                quote(rest)
            } else if first.is_alphanumeric() || first == '_' {
                word(rest)
            } else {
                first.len_utf8()
            };
            self.skip(length);
        }
    }

    fn line_comment(&mut self) -> Comment<'t> {
        let rest = self.rest();
        let whole = rest.lines().next().unwrap_or_default();
        let (kind, marker) = match whole.as_bytes() {
            [_, _, b'/', b'/', ..] => (Kind::Plain, 2),
            [_, _, b'/', ..] => (Kind::Outer, 3),
            [_, _, b'!', ..] => (Kind::Inner, 3),
            _ => (Kind::Plain, 2),
        };
        let before = &self.source[self.line_start..self.at];
        let after_code = !before.trim().is_empty();
        let comment = Comment { line: self.line, kind, text: &whole[marker..], after_code };
        self.skip(whole.len());
        comment
    }
}

/// Returns the length of a `/* */` comment, in which others may be nested.
fn nested_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(offset) = text[at..].find(['/', '*']) {
        at += offset;
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += 1;
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns the length of a string's rest, with its closing quote.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a character, or of the quote that begins a lifetime.
fn quote(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((escaped, c))) => {
            let after = escaped + c.len_utf8();
            text[after..].find('\'').map_or(text.len(), |end| after + end + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1,
    }
}

/// Returns the length of an identifier or number, with the raw string that it may begin.
fn word(text: &str) -> usize {
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if !matches!(&text[..length], "r" | "br" | "cr") {
        return length;
    }
    let after = &text[length..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    if !after[hashes..].starts_with('"') {
        return length;
    }
    let begin = length + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    text[begin..].find(&end).map_or(text.len(), |at| begin + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(usize, String)> {
        blocks(source).into_iter().map(|block| (block.line, block.text)).collect()
    }

    fn one(line: usize, text: &str) -> Vec<(usize, String)> {
        vec![(line, text.to_owned())]
    }

    #[test]
    fn lines_of_one_kind_are_one_block() {
        let source = "//! A\n//! page.\n\n/// One\n/// item.\n// Plain.\nfn f() {} // After.\n// Next.\n";
        let wanted = [(1, "A page."), (4, "One item."), (6, "Plain."), (7, "After."), (8, "Next.")];
        assert_eq!(found(source), wanted.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn fenced_code_and_empty_blocks_are_left_out() {
        assert_eq!(found("/// Text.\n/// ```\n/// who();\n/// ```\n/// More.\n//\n"), one(1, "Text. More."));
    }

    #[test]
    fn strings_and_characters_hold_no_comments() {
        let strings =
            "let a = \"http://x \\\" // no\"; let b = r#\"\" // no\n\"#; let c = br\"\\\"; // yes\n";
        assert_eq!(found(strings), one(2, "yes"));
        assert_eq!(found("f('\"', '\\'', b'\\\\', '/'); // yes\n"), one(1, "yes"));
        assert_eq!(found("fn f<'a>(x: &'a str) -> &'a u8 {} // yes\n"), one(1, "yes"));
        assert_eq!(found("'outer: loop { let r#type = 1; } // yes \"\n"), one(1, "yes \""));
    }

    #[test]
    fn long_comments_hold_none_and_may_be_nested() {
        assert_eq!(found("/* // no /* x */ // no\n*/ // yes\n"), one(2, "yes"));
    }
}
