//! Lists the Rust files of each crate and the documents of the repository.

use crate::shell::Outcome;
use std::path::{Path, PathBuf};

/// One folder with a `Cargo.toml`, and its Rust files.
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) files: Vec<PathBuf>,
}

/// Returns every crate under `crates/`, then `xtask` and `fuzz`, by name.
pub(super) fn crates(root: &Path) -> Outcome<Vec<Crate>> {
    let mut folders = children(&root.join("crates"))?;
    folders.extend([root.join("fuzz"), root.join("xtask")]);
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    let member = |folder: PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Crate { name, files: with_extension(&folder, "rs")? })
    };
    folders.into_iter().map(member).collect()
}

/// Returns every Markdown file of the repository.
pub(super) fn documents(root: &Path) -> Outcome<Vec<PathBuf>> {
    with_extension(root, "md")
}

/// Returns the files below `folder` with this extension, in order, without build outputs and hidden folders.
fn with_extension(folder: &Path, extension: &str) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in children(&folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) && path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn children(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let error = |e| format!("cannot list {}: {e}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(error)?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn this_file_and_the_readme_are_found() {
        let crates = crates(&shell::root()).unwrap();
        let xtask = crates.iter().find(|c| c.name == "xtask").unwrap();
        assert!(xtask.files.iter().any(|file| file.ends_with("prose/folders.rs")));
        assert!(crates.iter().any(|c| c.name == "detect") && crates.iter().any(|c| c.name == "fuzz"));
        let documents = documents(&shell::root()).unwrap();
        assert!(documents.contains(&shell::root().join("README.md")));
        assert!(documents.contains(&shell::root().join("docs/lenses.md")));
    }
}
