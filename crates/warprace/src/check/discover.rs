//! `warprace check -p FOLDER`: finds the programs of a build folder, so that the project need not list them.

mod cmake;
mod database;

use crate::project::Program;
use serde::de::DeserializeOwned;
use std::path::Path;

/// The programs that a build folder describes.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) programs: Vec<Program>,
    /// Notes for the user, each a sentence fragment.
    pub(super) notes: Vec<String>,
}

/// Finds programs through CMake if `path` lies in a CMake build folder, which is built first if `build` is
/// set, and through a compilation database otherwise.
pub(super) fn discover(path: &Path, build: bool) -> Result<Found, String> {
    let shown = path.display();
    if !path.exists() {
        return Err(format!("there is no file or folder `{shown}`"));
    }
    let path = &std::path::absolute(path).map_err(|e| format!("`{shown}`: {e}"))?;
    let (folder, file) = match path.is_dir() {
        true => (path.to_owned(), path.join(crate::database::NAME)),
        false => (path.parent().map(Path::to_owned).unwrap_or_default(), path.to_owned()),
    };
    let mut found = if folder.join("CMakeCache.txt").is_file() {
        cmake::discover(&folder, build)?
    } else if file.is_file() {
        database::discover(&file)?
    } else {
        return Err(format!(
            "`{shown}` is no build folder of CMake, and there is no {}",
            crate::database::NAME
        ));
    };
    let mut names = std::collections::BTreeSet::new();
    for program in &mut found.programs {
        let (plain, mut n) = (program.name.clone(), 1);
        while !names.insert(program.name.clone()) {
            n += 1;
            program.name = format!("{plain}-{n}");
        }
    }
    Ok(found)
}

/// Returns programs in the format of `warprace.toml`.
pub(super) fn as_toml(programs: &[&Program]) -> String {
    // A JSON string is also a TOML string.
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut out = String::new();
    for (n, program) in programs.iter().enumerate() {
        let words: Vec<String> = program.command.iter().map(|word| quoted(word)).collect();
        let break_ = if n > 0 { "\n" } else { "" };
        out += &format!(
            "{break_}[[program]]\nname = {}\ncommand = [{}]\n",
            quoted(&program.name),
            words.join(", ")
        );
        let path = |name: &str, path: &Path| format!("{name} = {}\n", quoted(&path.display().to_string()));
        if !program.directory.as_os_str().is_empty() {
            out += &path("directory", &program.directory);
        }
        if let Some(stdin) = &program.stdin {
            out += &path("stdin", stdin);
        }
        if !program.options.is_empty() {
            let words: Vec<String> = program.options.iter().map(|word| quoted(word)).collect();
            out += &format!("options = [{}]\n", words.join(", "));
        }
        let env: Vec<String> =
            program.env.iter().map(|(name, value)| format!("{} = {}", quoted(name), quoted(value))).collect();
        if !env.is_empty() {
            out += &format!("env = {{ {} }}\n", env.join(", "));
        }
        if let Some(timeout) = program.timeout {
            out += &format!("timeout = {timeout}\n");
        }
    }
    out
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, String> {
    let text = std::fs::read(file).map_err(|e| format!("cannot read `{}`: {e}", file.display()))?;
    serde_json::from_slice(&text).map_err(|e| format!("`{}`: {e}", file.display()))
}

/// Returns whether a compiler's arguments ask for source lines of device code.
fn keeps_lines<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    let told = ["-lineinfo", "--generate-line-info", "-G", "--device-debug"];
    words.any(|word| told.contains(&word))
}

/// Returns the note about programs without source lines.
fn without_lines(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        names => Some(format!(
            "{} compiled without -lineinfo: reports will name no source lines of kernels",
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )),
    }
}
