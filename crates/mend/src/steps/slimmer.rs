//! Synchronisation taken out of a source, and scopes narrowed.

use super::Made;
use super::words::each;
use crate::change::Edit;
use crate::text::Text;
use report::advice::Reach;

/// Statements that only synchronise.
const CALLS: [&str; 6] = [
    "__syncthreads();",
    "__syncwarp();",
    "__threadfence_block();",
    "__threadfence();",
    "__threadfence_system();",
    "sync();",
];

/// Removes the barriers and fences of a line. The text stays as it is if the line is another statement.
pub fn removed(file: &str, text: &Text, line: u32) -> Made {
    let changed = text.at(line).and_then(|at| {
        let code = text.code(at);
        let call = CALLS.iter().find(|call| code.ends_with(**call))?;
        match code.strip_suffix(*call).map(str::trim) {
            Some("") => Some(text.without(at)),
            // `block.sync();`
            Some(object) if object.ends_with('.') && !object.contains([' ', ';']) => Some(text.without(at)),
            // A barrier or fence alone under a condition.
            Some(rest) if rest.starts_with("if (") && rest.ends_with(')') && !rest.contains(';') => {
                Some(text.without(at))
            }
            Some(rest) if rest.ends_with(';') => Some(text.replace(at, rest)),
            _ => None,
        }
    });
    let said = format!("line {line} without its barriers and fences");
    let edits = Some(vec![Edit::Remove { file: file.to_owned(), line }]);
    Made { said, text: changed.unwrap_or_else(|| text.clone()), edits }
}

/// Narrows the scopes of a line.
pub fn narrowed(file: &str, text: &Text, line: u32, reach: Reach) -> Made {
    let changed = text.at(line).map(|at| {
        let mut out = text.clone();
        out.set(at, each(&text.line(at).text, |word| narrower(word, reach)));
        out
    });
    let said = format!("line {line} with {} scope", scope(reach));
    let edits = Some(vec![Edit::Narrow { file: file.to_owned(), line, reach }]);
    Made { said, text: changed.unwrap_or_else(|| text.clone()), edits }
}

fn scope(reach: Reach) -> &'static str {
    match reach {
        Reach::Block => "block",
        Reach::Cluster => "cluster",
        Reach::Device => "device",
        Reach::System => "system",
    }
}

fn narrower(word: &str, reach: Reach) -> String {
    let suffix = match reach {
        Reach::Block => "_block",
        Reach::Cluster | Reach::Device => "",
        Reach::System => "_system",
    };
    let plain = word.trim_end_matches("_system").trim_end_matches("_block");
    let function =
        plain.strip_prefix("atomic").is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()));
    if function || plain == "__threadfence" {
        return format!("{plain}{suffix}");
    }
    match word.strip_prefix("thread_scope_") {
        Some(_) => format!("thread_scope_{}", scope(reach)),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_barrier_goes_and_scopes_become_narrow() {
        let code = "void k() {\n    __syncthreads();\n    f(); __threadfence();\n    atomicAdd(p, 1);\n}\n";
        let text = Text::new(code);
        assert_eq!(removed("", &text, 2).text.to_string().lines().count(), 4);
        assert!(removed("", &text, 3).text.to_string().contains("    f();\n"));
        assert!(narrowed("", &text, 4, Reach::Block).text.to_string().contains("atomicAdd_block(p, 1);"));
        assert_eq!(removed("", &text, 4).text, text);
    }
}
