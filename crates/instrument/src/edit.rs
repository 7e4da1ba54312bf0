//! Insertions into a text.

use std::ops::Range;

/// A text with pending insertions.
#[derive(Debug)]
pub struct Edits<'t> {
    text: &'t str,
    /// The insertions in the order of the requests.
    insertions: Vec<Insertion>,
}

#[derive(Debug)]
struct Insertion {
    offset: usize,
    /// Whether it belongs to the text that ends at the offset, rather than to the text that begins there.
    behind: bool,
    what: String,
}

impl<'t> Edits<'t> {
    pub fn new(text: &'t str) -> Self {
        Edits { text, insertions: Vec::new() }
    }

    /// Inserts `what` before the byte at `offset`, behind earlier insertions there.
    pub fn insert(&mut self, offset: u32, what: String) {
        self.insertions.push(Insertion { offset: offset as usize, behind: false, what });
    }

    /// Inserts `what` behind the text that ends at `offset`, before all insertions for the text that begins
    /// there.
    pub fn insert_behind(&mut self, offset: u32, what: String) {
        self.insertions.push(Insertion { offset: offset as usize, behind: true, what });
    }

    /// Merges the insertions of two edits of one text; at a common place those of `inner` are closer to the
    /// text.
    pub fn around(mut self, inner: Edits<'t>) -> Edits<'t> {
        let (behind, before): (Vec<_>, Vec<_>) = inner.insertions.into_iter().partition(|i| i.behind);
        self.insertions.splice(0..0, behind);
        self.insertions.extend(before);
        self
    }

    /// Returns the edited text.
    pub fn finish(self) -> String {
        let whole = 0..self.text.len();
        self.settle().part(whole)
    }

    /// Completes the insertions.
    pub fn settle(mut self) -> Settled<'t> {
        for insertion in &mut self.insertions {
            insertion.offset = insertion.offset.min(self.text.len());
        }
        self.insertions.sort_by_key(|i| (i.offset, !i.behind));
        Settled(self)
    }
}

/// Completed edits, from which parts of the edited text can be read.
#[derive(Debug)]
pub struct Settled<'t>(Edits<'t>);

impl<'t> Settled<'t> {
    /// Returns a part of the edited text, including the insertions at both of its ends.
    pub fn part(&self, part: Range<usize>) -> String {
        let Settled(Edits { text, insertions }) = self;
        let first = insertions.partition_point(|i| i.offset < part.start);
        let inserted = insertions[first..].iter().take_while(|i| i.offset <= part.end);
        let mut out =
            String::with_capacity(part.len() + inserted.clone().map(|i| i.what.len()).sum::<usize>());
        let mut done = part.start;
        for Insertion { offset, what, .. } in inserted {
            out.push_str(text.get(done..*offset).unwrap_or_default());
            out.push_str(what);
            done = *offset;
        }
        out.push_str(text.get(done..part.end).unwrap_or_default());
        out
    }

    /// Allows further insertions.
    pub fn unsettle(self) -> Edits<'t> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_at_one_place_keep_their_order() {
        let mut edits = Edits::new("ac");
        edits.insert(2, "d".into());
        edits.insert(1, "b".into());
        edits.insert(1, "B".into());
        assert_eq!(edits.finish(), "abBcd");
    }

    #[test]
    fn what_belongs_to_an_end_comes_before_what_belongs_to_a_beginning() {
        let mut edits = Edits::new("ab");
        edits.insert(1, ">".into());
        edits.insert_behind(1, "<".into());
        let settled = edits.settle();
        assert_eq!(settled.part(1..2), "<>b");
        assert_eq!(settled.part(0..1), "a<>");
        assert_eq!(settled.unsettle().finish(), "a<>b");
    }

    #[test]
    fn inner_edits_are_closer() {
        let both = |opening: &str, closing: &str| {
            let mut edits = Edits::new("aXb");
            edits.insert(1, opening.into());
            edits.insert_behind(2, closing.into());
            edits
        };
        assert_eq!(both("(", ")").around(both("[", "]")).finish(), "a([X])b");
    }
}
