//! Insertions into a text.

/// A text and what is to be put into it.
#[derive(Debug)]
pub struct Edits<'t> {
    text: &'t str,
    /// Offset, and what goes there; in the order in which they were asked for.
    insertions: Vec<(usize, String)>,
}

impl<'t> Edits<'t> {
    pub fn new(text: &'t str) -> Self {
        Edits { text, insertions: Vec::new() }
    }

    /// Puts `what` before the byte at `offset`, behind earlier insertions there.
    pub fn insert(&mut self, offset: u32, what: String) {
        self.insertions.push((offset as usize, what));
    }

    /// The edited text.
    pub fn finish(mut self) -> String {
        self.insertions.sort_by_key(|(offset, _)| *offset);
        let added: usize = self.insertions.iter().map(|(_, what)| what.len()).sum();
        let mut out = String::with_capacity(self.text.len() + added);
        let mut done = 0;
        for (offset, what) in &self.insertions {
            let offset = (*offset).min(self.text.len());
            out.push_str(self.text.get(done..offset).unwrap_or_default());
            out.push_str(what);
            done = offset;
        }
        out.push_str(self.text.get(done..).unwrap_or_default());
        out
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
}
