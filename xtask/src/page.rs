//! Wraps generated pages of the book.

/// The most characters of a line of a document.
pub(crate) const LONGEST: usize = 100;

/// Breaks long lines of Markdown at spaces, except headings and lines of tables. Further lines of a list's item are indented like its text.
pub(crate) fn wrapped(page: &str) -> String {
    let mut out = String::new();
    for line in page.split_inclusive('\n') {
        if line.trim_end().chars().count() <= LONGEST || line.starts_with(['|', '#']) {
            out.push_str(line);
        } else {
            wrap(line.trim_end(), &mut out);
        }
    }
    out
}

fn wrap(line: &str, out: &mut String) {
    let text = line.trim_start();
    let mut indent = line.len() - text.len();
    out.push_str(&line[..indent]);
    let mut length = indent;
    if text.starts_with("* ") {
        indent += 2;
    }
    for (index, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if index == 0 {
            length += width;
        } else if length + 1 + width <= LONGEST {
            out.push(' ');
            length += 1 + width;
        } else {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            length = indent + width;
        }
        out.push_str(word);
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_keep_their_indentation() {
        let words = "four ".repeat(30);
        let page = format!("short\n\n* {words}\n| {words} |\n{words}\n# {words}\n");
        let wrapped = wrapped(&page);
        let lines: Vec<&str> = wrapped.lines().collect();
        assert!(
            lines.iter().all(|line| line.starts_with(['|', '#']) || line.chars().count() <= LONGEST),
            "{wrapped}"
        );
        assert!(lines[2].starts_with("* four") && lines[3].starts_with("  four"), "{wrapped}");
        assert_eq!(lines[4], format!("| {words} |"));
        assert!(lines[5].starts_with("four") && lines[6].starts_with("four"), "{wrapped}");
        assert_eq!(wrapped.split_whitespace().count(), page.split_whitespace().count());
    }
}
