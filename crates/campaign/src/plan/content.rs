//! The part of an identity that is common to all settings of a program: the contents of its files, and its words.

use crate::file::Program;
use crate::identity::{Hasher, Identity};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Hashes of files, each of which is read once.
#[derive(Debug, Default)]
pub(super) struct Contents {
    known: HashMap<PathBuf, Identity>,
}

impl Contents {
    /// Returns the hash of a program with arguments; `folder` is the campaign file's.
    pub(super) fn of(
        &mut self,
        folder: &Path,
        program: &Program,
        arguments: &[String],
    ) -> Result<Hasher, String> {
        let directory = folder.join(&program.directory);
        let path = found(&directory, &program.command[0])
            .ok_or_else(|| format!("there is no program `{}`", program.command[0]))?;
        let mut hash = Hasher::new("run").text(&self.file(&path)?.to_string());
        let words: Vec<&String> = program.command.iter().chain(arguments).collect();
        hash = hash.number(words.len() as u64);
        for word in words {
            hash = hash.text(word);
            let named = directory.join(word);
            if named.is_file() {
                hash = hash.text(&self.file(&named)?.to_string());
            }
        }
        hash = hash.number(program.options.len() as u64);
        for option in &program.options {
            hash = hash.text(option);
        }
        for (name, value) in &program.env {
            hash = hash.text("env").text(name).text(value);
        }
        for input in program.stdin.iter().chain(&program.inputs) {
            hash = hash.text("input").text(&self.file(&directory.join(input))?.to_string());
        }
        Ok(hash)
    }

    fn file(&mut self, path: &Path) -> Result<Identity, String> {
        if let Some(known) = self.known.get(path) {
            return Ok(*known);
        }
        let hash = content(path).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
        self.known.insert(path.to_owned(), hash);
        Ok(hash)
    }
}

fn content(path: &Path) -> std::io::Result<Identity> {
    let mut file = File::open(path)?;
    let mut hash = Hasher::new("file");
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finish()),
            n => hash = hash.bytes(&buffer[..n]),
        }
    }
}

/// Returns the file of a program: a path from the directory, or a name that is searched for in `PATH`.
fn found(directory: &Path, name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(directory.join(name)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
