//! `docs/start.md`, followed to the letter: its files are written, its commands are run, and what they print is compared.

use crate::shell::{self, Outcome, root};
use std::path::Path;
use std::process::{Command, Stdio};

/// The steps of the page, in its order.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// A file, named at the beginning of the paragraph before or in its last line.
    File(String, String),
    /// Commands, each with lines that it prints, in this order, maybe among others.
    Console(Vec<(String, Vec<String>)>),
}

/// Follows the page in `folder`, which is empty, with the programs of `tools` in PATH.
pub(super) fn walk(folder: &Path, warprace: &Path, nvcc: &Path, tools: &Path) -> Outcome {
    shell::make_dir(folder)?;
    let page = std::fs::read_to_string(root().join("docs/start.md")).map_err(|e| e.to_string())?;
    let steps = steps(&page);
    if steps.len() < 10 {
        return Err(format!("docs/start.md has {} steps only: is it read as it is written?", steps.len()));
    }
    let mut code = 0;
    for step in steps {
        match step {
            Step::File(name, text) => {
                let path = folder.join(&name);
                shell::make_dir(path.parent().unwrap_or(folder))?;
                std::fs::write(&path, text).map_err(|e| format!("cannot write {name}: {e}"))?;
            }
            Step::Console(commands) => {
                for (command, printed) in commands {
                    shell::step(&command);
                    let (text, ended) = match command.as_str() {
                        "echo $?" => (code.to_string(), 0),
                        _ => call(&command, folder, [warprace.parent().unwrap_or(folder), tools], nvcc)?,
                    };
                    code = ended;
                    missing(&command, &printed, &text)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns a command's output, from both of its streams, and its exit code.
fn call(command: &str, folder: &Path, programs: [&Path; 2], nvcc: &Path) -> Outcome<(String, i32)> {
    let [own, tools] = programs.map(|folder| folder.display());
    let path = format!("{own}:{tools}:{}", std::env::var("PATH").unwrap_or_default());
    let done = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("CUDACXX", nvcc)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run sh: {e}"))?;
    Ok((String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code().unwrap_or(-1)))
}

/// An error if a line is not printed after those before it; times and what follows on a line are left out.
fn missing(command: &str, printed: &[String], text: &str) -> Outcome {
    let mut lines = text.lines();
    // Programs run at the same time: whose report comes first does not matter.
    let reports = printed.iter().any(|line| line.starts_with("race["));
    for expected in printed {
        let is_it = |line: &str| line.trim_start().starts_with(expected.trim());
        let found = if reports { text.lines().any(is_it) } else { lines.any(is_it) };
        if !found {
            return Err(format!("docs/start.md: `{command}` does not print `{expected}`, but:\n{text}"));
        }
    }
    Ok(())
}

fn steps(page: &str) -> Vec<Step> {
    let mut out = Vec::new();
    let mut before = "";
    for (n, part) in page.split("```").enumerate() {
        if n % 2 == 0 {
            before = part.trim().rsplit("\n\n").next().unwrap_or_default();
            continue;
        }
        let (language, text) = part.split_once('\n').unwrap_or((part, ""));
        match language.trim() {
            "console" => {
                let mut commands: Vec<(String, Vec<String>)> = Vec::new();
                for line in text.lines().filter(|line| !line.is_empty()) {
                    match line.strip_prefix("$ ") {
                        Some(command) => commands.push((command.to_owned(), Vec::new())),
                        None => commands.last_mut().map_or((), |(_, printed)| printed.push(line.to_owned())),
                    }
                }
                out.push(Step::Console(commands));
            }
            "cuda" | "cmake" | "yaml" => {
                // `NAME`, … or … `NAME`:
                let last = before.strip_suffix("`:").and_then(|text| text.rsplit('`').next());
                let first = before.strip_prefix('`').and_then(|text| text.split('`').next());
                let is_file = |name: &&str| name.contains('.') && !name.contains(' ');
                if let Some(name) = last.or(first).filter(is_file).or(first) {
                    out.push(Step::File(name.to_owned(), text.to_owned()));
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_commands_are_read() {
        let page = "# T\n\n`a.cu`, a file:\n\n```cuda\nx\n```\n\nMore of it, see `y`. `b/c.txt`:\n\n```cuda\nz\n```\n\n\
                    ```console\n$ one\nprinted\n\n$ two\n```\n";
        let file = |name: &str, text: &str| Step::File(name.into(), text.into());
        let commands = vec![("one".into(), vec!["printed".into()]), ("two".into(), vec![])];
        assert_eq!(steps(page), [file("a.cu", "x\n"), file("b/c.txt", "z\n"), Step::Console(commands)]);
    }

    #[test]
    fn lines_that_are_not_printed_are_told() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        assert!(missing("c", &lines(&["a", "b"]), "a 1\nx\nb\n").is_ok());
        assert!(missing("c", &lines(&["b", "a"]), "a 1\nx\nb\n").is_err());
    }
}
