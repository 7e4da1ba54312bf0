//! Reads compilation databases (`compile_commands.json`, as Clang's documentation defines them).

use crate::terminal::plain;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The usual file name of a database.
pub(crate) const NAME: &str = "compile_commands.json";

/// One command of a database: `command` is a shell command line, `arguments` the list of its words.
#[derive(Debug, Deserialize)]
pub(crate) struct Entry {
    pub(crate) directory: PathBuf,
    pub(crate) file: PathBuf,
    #[serde(default)]
    command: String,
    #[serde(default)]
    arguments: Vec<String>,
}

impl Entry {
    /// Returns the compiler and its arguments; empty if the command line cannot be split.
    pub(crate) fn words(&self) -> Vec<String> {
        match self.arguments.is_empty() {
            true => shlex::split(&self.command).unwrap_or_default(),
            false => self.arguments.clone(),
        }
    }

    /// Returns whether the command compiles CUDA.
    pub(crate) fn is_cuda(&self, compiler: &str) -> bool {
        compiler.contains("nvcc") || self.file.extension().is_some_and(|ext| ext == "cu")
    }
}

/// Reads a database. The error names the file.
pub(crate) fn read(file: &Path) -> Result<Vec<Entry>, String> {
    let shown = file.display();
    let text = std::fs::read(file).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
        _ => format!("cannot read `{shown}`: {}", plain(&e)),
    })?;
    serde_json::from_slice(&text).map_err(|e| format!("`{shown}` is no compilation database: {e}"))
}
