//! Finds programs in a compilation database (`compile_commands.json`, as Clang's documentation defines it):
//! nvcc commands that compile and link in one step.

use super::{Found, keeps_lines, without_lines};
use crate::database::{self, Entry};
use crate::project::Program;
use std::path::Path;

/// Compiler options that stop before a program is linked.
const STOPS: [&str; 20] = [
    "-c",
    "--compile",
    "-dc",
    "--device-c",
    "-dw",
    "--device-w",
    "-dlink",
    "--device-link",
    "-ptx",
    "--ptx",
    "-cubin",
    "--cubin",
    "-fatbin",
    "--fatbin",
    "-E",
    "--preprocess",
    "-shared",
    "--shared",
    "-lib",
    "--lib",
];

pub(super) fn discover(file: &Path) -> Result<Found, String> {
    let entries = database::read(file)?;
    let mut found = Found::default();
    let mut bare = Vec::new();
    for entry in &entries {
        let words = entry.words();
        let Some(program) = program(entry, &words) else { continue };
        if !keeps_lines(words.iter().map(String::as_str)) {
            bare.push(program.name.clone());
        }
        found.programs.push(program);
    }
    if found.programs.is_empty() {
        return Err(format!(
            "none of the {} commands in `{}` makes a CUDA program (a database tells how files are compiled, not what is \
             linked of them)",
            entries.len(),
            file.display()
        ));
    }
    found.notes.extend(without_lines(&bare));
    Ok(found)
}

/// Returns the program that a command makes, if it makes one with kernels.
fn program(entry: &Entry, words: &[String]) -> Option<Program> {
    let compiler = words.first().map(Path::new)?.file_name()?.to_str()?;
    if !entry.is_cuda(compiler) || words.iter().any(|word| STOPS.contains(&word.as_str())) {
        return None;
    }
    let named = |short: &str| {
        let at = words.iter().position(|word| word == short)?;
        words.get(at + 1).cloned()
    };
    let long = words.iter().find_map(|word| word.strip_prefix("--output-file="));
    let output = named("-o").or_else(|| named("--output-file")).or_else(|| long.map(str::to_owned));
    let path = entry.directory.join(output.unwrap_or_else(|| "a.out".to_owned()));
    Some(Program {
        name: path.file_name()?.to_str()?.to_owned(),
        command: vec![path.to_str()?.to_owned()],
        directory: entry.directory.clone(),
        ..Program::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_link_make_programs() {
        let file = std::env::temp_dir().join(format!("warprace-database-{}.json", std::process::id()));
        let text = r#"[
            {"directory": "/p", "file": "a.cu", "command": "nvcc -DX='a b' -lineinfo a.cu -o \"bin/a one\""},
            {"directory": "/p", "file": "b.cu", "arguments": ["/opt/bin/nvcc", "b.cu"]},
            {"directory": "/p", "file": "c.cu", "arguments": ["nvcc", "-c", "c.cu", "-o", "c.o"]},
            {"directory": "/p", "file": "d.cpp", "command": "g++ d.cpp -o d"}
        ]"#;
        std::fs::write(&file, text).unwrap();
        let found = discover(&file).unwrap();
        let programs: Vec<(&str, &str)> =
            found.programs.iter().map(|p| (p.name.as_str(), p.command[0].as_str())).collect();
        assert_eq!(programs, [("a one", "/p/bin/a one"), ("a.out", "/p/a.out")]);
        assert!(found.notes[0].starts_with("`a.out` compiled without -lineinfo"), "{:?}", found.notes);
        std::fs::write(&file, r#"[{"directory": "/p", "file": "c.cu", "command": "nvcc -c c.cu"}]"#).unwrap();
        assert!(discover(&file).unwrap_err().starts_with("none of the 1 commands"));
        let _ = std::fs::remove_file(&file);
    }
}
