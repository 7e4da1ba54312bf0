//! A source text whose lines carry their original numbers, and the places where a statement can be inserted.

use std::fmt;
use std::ops::Range;

/// A program text in the course of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    lines: Vec<Line>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The number in the original text, from 1; 0 for an inserted line.
    pub(crate) number: u32,
    pub(crate) text: String,
}

/// The surroundings of a place, in original line numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The lines of the function, its closing brace excluded.
    pub function: Range<u32>,
    /// The lines of the innermost block, both braces excluded.
    pub block: Range<u32>,
    /// The first line behind the place.
    pub before: u32,
    /// The line on which the last statement of the block begins.
    pub last: u32,
    /// The lines of the loops inside of the block.
    pub loops: Vec<Range<u32>>,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{}", line.text))
    }
}

impl Text {
    pub fn new(text: &str) -> Self {
        let line = |(i, text): (usize, &str)| Line { number: i as u32 + 1, text: text.to_owned() };
        Text { lines: text.lines().enumerate().map(line).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn line(&self, at: usize) -> &Line {
        &self.lines[at]
    }

    /// Returns the original number of the line that is now the `now`-th, from 1; 0 if it was inserted.
    pub fn original(&self, now: u32) -> u32 {
        let at = (now as usize).checked_sub(1);
        at.and_then(|at| self.lines.get(at)).map_or(0, |line| line.number)
    }

    /// Returns the current index of an original line.
    pub(crate) fn at(&self, number: u32) -> Option<usize> {
        self.lines.iter().position(|l| l.number == number && number != 0)
    }

    /// Returns a line without its comment and indentation.
    pub(crate) fn code(&self, at: usize) -> &str {
        self.lines[at].text.split("//").next().unwrap_or("").trim()
    }

    fn indentation(&self, at: usize) -> &str {
        let text = &self.lines[at].text;
        &text[..text.len() - text.trim_start().len()]
    }

    /// Inserts a line, indented like the next statement or, before a closing brace, like the previous one.
    pub(crate) fn insert(&self, at: usize, line: &str) -> Text {
        let closes = at < self.len() && self.code(at).starts_with('}');
        let like = match closes {
            true => (0..at).rev().find(|&i| !self.code(i).is_empty()),
            false => (at..self.len()).find(|&i| !self.code(i).is_empty()),
        };
        let mut indentation = like.map_or("", |i| self.indentation(i)).to_owned();
        if closes && like.is_some_and(|i| self.code(i).ends_with('{')) {
            indentation.push_str("    ");
        }
        let mut lines = self.lines.clone();
        lines.insert(at.min(self.len()), Line { number: 0, text: format!("{indentation}{line}") });
        Text { lines }
    }

    /// Replaces the code of a line; indentation and comment stay.
    pub(crate) fn replace(&self, at: usize, code: &str) -> Text {
        let mut out = self.clone();
        let old = &self.lines[at].text;
        let comment = old.find("//").map_or("", |i| &old[i..]);
        let space = if comment.is_empty() { "" } else { " " };
        out.lines[at].text = format!("{}{code}{space}{comment}", self.indentation(at));
        out
    }

    /// Replaces a whole line.
    pub(crate) fn set(&mut self, at: usize, text: String) {
        self.lines[at].text = text;
    }

    /// Removes a line.
    pub(crate) fn without(&self, at: usize) -> Text {
        let mut out = self.clone();
        out.lines.remove(at);
        out
    }

    /// Moves a line to another index.
    pub(crate) fn moved(&self, from: usize, to: usize) -> Text {
        let mut lines = self.lines.clone();
        lines.insert(to, self.lines[from].clone());
        lines.remove(if to <= from { from + 1 } else { from });
        Text { lines }
    }

    /// Returns the number of open braces before a line.
    pub(crate) fn depth(&self, at: usize) -> i32 {
        (0..at).map(|line| braces(self.code(line))).sum()
    }

    /// Returns whether a statement may begin at a line.
    pub(crate) fn begins(&self, at: usize) -> bool {
        let before = (0..at).rev().map(|i| self.code(i)).find(|c| !c.is_empty()).unwrap_or("");
        before.ends_with([';', '{', '}'])
            && !self.code(at).starts_with("else")
            && !self.code(at).starts_with("} else")
    }

    /// Returns the line after the statement that a line belongs to, or after the whole loop or condition.
    pub(crate) fn behind(&self, at: usize) -> usize {
        let depth = self.depth(at);
        let mut end = at;
        while end + 1 < self.lines.len() {
            end += 1;
            if self.depth(end) <= depth && self.begins(end) {
                break;
            }
        }
        end
    }

    /// Returns the line that closes the innermost block around a line.
    fn close(&self, at: usize) -> usize {
        let depth = self.depth(at);
        (at..self.lines.len()).find(|&i| self.depth(i + 1) < depth).unwrap_or(at)
    }

    /// Returns the line that opens the innermost block around a line.
    fn open(&self, at: usize) -> Option<usize> {
        let depth = self.depth(at);
        (0..at).rev().find(|&i| self.depth(i) < depth)
    }

    /// Returns the depth of statements directly in the function around a line.
    fn ground(&self, at: usize) -> i32 {
        self.function(at).map_or(1, |open| self.depth(open) + 1)
    }

    /// Returns the line with the opening brace of the function around a line.
    fn function(&self, at: usize) -> Option<usize> {
        let (mut found, mut here) = (None, at);
        while let Some(open) = self.open(here) {
            let header = self.header(open);
            if ["namespace", "extern \"C\"", "struct ", "class ", "union "]
                .iter()
                .any(|w| header.starts_with(w))
            {
                break;
            }
            (found, here) = (Some(open), open);
        }
        found
    }

    /// Returns the code that leads to an opening brace, from the end of the statement before.
    fn header(&self, open: usize) -> &str {
        let mut first = open;
        while first > 0 && !self.begins(first) && !self.code(first - 1).starts_with('#') {
            first -= 1;
        }
        self.code(first)
    }

    /// Returns places between two lines, and after them up to the end of the surrounding block: outermost
    /// first, and among equal depths the nearest to the second line.
    pub(crate) fn between(&self, a: usize, b: usize) -> Vec<usize> {
        let (first, last) = (a.min(b), a.max(b));
        let mut places: Vec<usize> = (first + 1..=last).filter(|&i| self.begins(i)).collect();
        places.sort_by_key(|&i| (self.depth(i), usize::MAX - i));
        places.extend(self.rounds(last));
        places
    }

    /// Returns places after a line, up to the end of the blocks around it.
    pub(crate) fn rounds(&self, last: usize) -> Vec<usize> {
        let ground = self.ground(last);
        let mut out = vec![self.behind(last)];
        let mut at = last;
        while self.depth(at) > ground {
            let close = self.close(at);
            if close <= at {
                break;
            }
            out.extend([close, close + 1]);
            at = close + 1;
        }
        out.retain(|&i| i < self.lines.len() && self.begins(i) && self.depth(i) >= ground);
        out.dedup();
        out
    }

    /// Returns the places before the statement of a line and before each block around it, innermost first.
    pub(crate) fn ahead(&self, line: usize) -> Vec<usize> {
        let mut out = Vec::new();
        let (ground, mut at) = (self.ground(line), line);
        loop {
            while at > 0 && !self.begins(at) {
                at -= 1;
            }
            out.push(at);
            match self.open(at) {
                Some(open) if self.depth(at) > ground => at = open,
                _ => return out,
            }
        }
    }

    /// Gives the loop whose only statement a line is in braces of its own, with `line` at the end of its body.
    pub(crate) fn braced(&self, at: usize, line: &str) -> Option<(Text, Region)> {
        let mut first = at;
        while first > 0 && !self.begins(first) {
            first -= 1;
        }
        let is_loop = |i: &usize| ["for (", "while ("].iter().any(|w| self.code(*i).starts_with(w));
        let header = (first..at).rev().find(|i| is_loop(i) && self.code(*i).ends_with(')'))?;
        let next = self.behind(at);
        let last = (at..next).rev().find(|&i| !self.code(i).is_empty())?;
        let function = self.region(first)?.function;
        let text = self
            .insert(last + 1, "}")
            .insert(last + 1, line)
            .replace(header, &format!("{} {{", self.code(header)));
        let (from, to) = (self.lines[header].number + 1, self.lines[last].number + 1);
        let mut text = text;
        let (outer, inner) = (self.indentation(header).to_owned(), self.indentation(header + 1).to_owned());
        text.lines[last + 1].text = format!("{inner}{line}");
        text.lines[last + 2].text = format!("{outer}}}");
        Some((text, Region { function, block: from..to, before: to, last: from, loops: vec![] }))
    }

    /// Returns where the last statement between two braces begins.
    fn last_statement(&self, open: usize, close: usize) -> usize {
        let depth = self.depth(open + 1);
        let begins = |i: &usize| self.depth(*i) == depth && self.begins(*i) && !self.code(*i).is_empty();
        (open + 1..close).rev().find(begins).unwrap_or(open + 1)
    }

    /// Returns the surroundings of a place; `None` outside of functions.
    pub(crate) fn region(&self, at: usize) -> Option<Region> {
        let number = |from: usize| self.lines[from..].iter().map(|l| l.number).find(|n| *n != 0);
        let function = self.function(at)?;
        let open = self.open(at)?;
        let inside = function + 1;
        let end = self.close(inside.min(self.lines.len() - 1));
        Some(Region {
            function: number(function)?..number(end)?,
            block: number(open)? + 1..number(self.close(at))?,
            before: number(at)?,
            last: number(self.last_statement(open, self.close(at)))?,
            loops: self.loops(open, self.close(at)),
        })
    }

    /// Returns the lines of the loops between two lines.
    fn loops(&self, open: usize, close: usize) -> Vec<Range<u32>> {
        let number = |from: usize| self.lines[from..].iter().map(|l| l.number).find(|n| *n != 0);
        let is_loop = |i: &usize| ["for (", "while (", "do {"].iter().any(|w| self.code(*i).starts_with(w));
        let lines = (open + 1..close).filter(is_loop);
        lines.filter_map(|i| Some(number(i)?..number(self.behind(i).max(i + 1))?)).collect()
    }
}

fn braces(code: &str) -> i32 {
    code.chars().map(|c| i32::from(c == '{') - i32::from(c == '}')).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
namespace a {
__global__ void k(int *p) {
    for (int i = 0; i < 4; ++i) {
        s[t] = p[i]; // fill
        p[t] = s[t + 1];
    }
}
}
";

    #[test]
    fn an_inserted_line_is_indented_and_keeps_the_numbers() {
        let text = Text::new(TEXT).insert(4, "__syncthreads();");
        assert_eq!(text.lines[4].text, "        __syncthreads();");
        assert_eq!((text.original(5), text.original(6)), (0, 5));
        assert_eq!(text.at(5), Some(5));
        let end = Text::new(TEXT).insert(5, "__syncthreads();");
        assert_eq!(end.lines[5].text, "        __syncthreads();");
    }

    #[test]
    fn a_region_has_the_function_the_block_and_the_line_behind() {
        let region = Text::new(TEXT).region(4).unwrap();
        assert_eq!(region, Region { function: 2..7, block: 4..6, before: 5, last: 5, loops: vec![] });
        assert_eq!(Text::new(TEXT).region(5).unwrap().before, 6);
        assert_eq!(Text::new(TEXT).region(0), None);
    }

    #[test]
    fn places_of_a_function_in_a_namespace_stay_in_the_function() {
        let text = Text::new(TEXT);
        assert_eq!(text.between(3, 4), [4, 5, 6]);
        assert_eq!(text.ahead(4), [4, 2]);
    }

    #[test]
    fn a_loop_without_braces_gets_some() {
        let code =
            "void k() {\n    for (;;)\n        if (t < s)\n            p[t] += p[t + s]; // x\n    f();\n}\n";
        let (text, region) = Text::new(code).braced(3, "__syncthreads();").unwrap();
        let expected = "void k() {\n    for (;;) {\n        if (t < s)\n            p[t] += p[t + s]; // x\n        __syncthreads();\n    }\n    f();\n}\n";
        assert_eq!(text.to_string(), expected);
        assert_eq!(region, Region { function: 1..6, block: 3..5, before: 5, last: 3, loops: vec![] });
    }

    #[test]
    fn a_replaced_statement_keeps_its_comment() {
        let text = Text::new(TEXT).replace(3, "atomicExch(&s[t], p[i]);");
        assert_eq!(text.lines[3].text, "        atomicExch(&s[t], p[i]); // fill");
    }
}
