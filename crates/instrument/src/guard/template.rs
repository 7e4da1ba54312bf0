//! Templates of PTX: files with named constants and parts that depend on the module.
//!
//! `{NAME}` is replaced by a value; the line break behind a value that ends in one is left out, and so is that behind an
//! empty value that is alone on its line. `#if NAME`, `#else` and `#end` choose lines. Lines that begin with `//`, and
//! empty ones, are comments, which are not emitted.

/// The values and the conditions of a template.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    values: Vec<(&'static str, String)>,
    conditions: Vec<(&'static str, bool)>,
}

impl Values {
    /// Adds a value.
    pub(super) fn set(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// Adds a condition.
    pub(super) fn when(mut self, name: &'static str, holds: bool) -> Self {
        self.conditions.push((name, holds));
        self
    }

    /// Adds constants.
    pub(super) fn constants(mut self, constants: &[(&'static str, i64)]) -> Self {
        self.values.extend(constants.iter().map(|(name, value)| (*name, value.to_string())));
        self
    }

    fn value(&self, name: &str) -> &str {
        let found = self.values.iter().find(|(known, _)| *known == name);
        debug_assert!(found.is_some(), "the template has no value for {name}");
        found.map_or("", |(_, value)| value)
    }

    fn holds(&self, name: &str) -> bool {
        let found = self.conditions.iter().find(|(known, _)| *known == name);
        debug_assert!(found.is_some(), "the template has no condition {name}");
        found.is_some_and(|(_, holds)| *holds)
    }

    /// Returns the text of a template.
    pub(super) fn fill(&self, template: &str) -> String {
        let mut out = String::with_capacity(2 * template.len());
        // Whether the lines inside each open condition are emitted.
        let mut open = Vec::new();
        for line in template.lines() {
            if let Some(name) = line.strip_prefix("#if ") {
                open.push(self.holds(name));
            } else if line == "#else" {
                open.last_mut().into_iter().for_each(|holds| *holds = !*holds);
            } else if line == "#end" {
                open.pop();
            } else if !line.is_empty() && !line.starts_with("//") && open.iter().all(|holds| *holds) {
                self.line(line, &mut out);
            }
        }
        out
    }

    fn line(&self, line: &str, out: &mut String) {
        let (mut rest, begins) = (line, out.len());
        while let Some((before, after)) = rest.split_once('{') {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            out.push_str(before);
            match after[end..].strip_prefix('}') {
                Some(behind) if end > 0 => {
                    out.push_str(self.value(&after[..end]));
                    rest = behind;
                }
                // A vector, or a body.
                _ => {
                    out.push('{');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        if out.len() > begins && !out.ends_with('\n') {
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_values_conditions_and_comments() {
        let template = "// A comment.\n\n\tmov.b64 {%r1, %r2}, {FIRST};\n{text}\n{none}\n#if a\n\ta{n};\n#if b\n\tb;\n#end\n#else\n\tnot;\n#end\n{\n}\n";
        let values = Values::default().set("FIRST", 7).set("text", "\tx;\n").set("none", "").set("n", 3);
        let with = |a, b| values.clone().when("a", a).when("b", b).fill(template);
        let begins = "\tmov.b64 {%r1, %r2}, 7;\n\tx;\n";
        assert_eq!(with(true, false), format!("{begins}\ta3;\n{{\n}}\n"));
        assert_eq!(with(true, true), format!("{begins}\ta3;\n\tb;\n{{\n}}\n"));
        assert_eq!(with(false, true), format!("{begins}\tnot;\n{{\n}}\n"));
    }
}
