//! Lines and columns of byte offsets.

/// The offsets at which the lines of a text begin.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<u32>,
}

impl<'a> LineIndex<'a> {
    pub fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, c)| c == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        LineIndex { text, starts }
    }

    /// Returns the line, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset).max(1) as u32
    }

    /// Returns line and column (in characters), both from 1.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1] as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        let column = self.text.as_bytes()[start..end].iter().filter(|&&c| !(0x80..0xc0).contains(&c)).count();
        (line, column as u32 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let index = LineIndex::new("ab\nüx\n");
        assert_eq!(index.line_column(0), (1, 1));
        assert_eq!(index.line_column(2), (1, 3));
        assert_eq!(index.line_column(3), (2, 1));
        assert_eq!(index.line_column(5), (2, 2));
        assert_eq!(index.line_column(7), (3, 1));
        assert_eq!(index.line_column(99), (3, 1));
    }
}
