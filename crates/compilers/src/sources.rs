//! Sources that are in no file that lasts: a report is to show their lines.
//!
//! A program hands NVRTC a source as a text with a name. Unless a file of that name will be there when the report is written, the
//! text is kept in the user's cache folder, and PTX that names it is made to name that file.

use crate::keep::{cache, hash};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files, by the name that NVRTC was given.
static KEPT: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);

/// Longer texts are not kept.
const MOST_BYTES: usize = 16 << 20;

/// Keeps a text, if its name is not that of a file that lasts.
pub(crate) fn keep(name: &str, text: &[u8]) {
    let path = Path::new(name);
    let lasts = path.is_file() && !path.starts_with(std::env::temp_dir());
    if lasts || text.len() > MOST_BYTES || name.contains(['"', '\n']) {
        return;
    }
    let Some(file) = place(path, text) else { return };
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(name.to_owned(), file);
}

/// Writes a text into the cache folder, under a name that its content determines.
fn place(name: &Path, text: &[u8]) -> Option<PathBuf> {
    let folder = cache()?.join("sources").join(format!("{:012x}", hash(&[text]) >> 80));
    std::fs::create_dir_all(&folder).ok()?;
    let file = folder.join(name.file_name()?);
    if !file.is_file() {
        let beside = folder.join(format!(".{}", std::process::id()));
        std::fs::write(&beside, text).ok()?;
        std::fs::rename(&beside, &file).ok()?;
    }
    Some(file)
}

/// PTX that names the files of kept sources.
pub fn named(text: String) -> String {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(kept) = kept.as_ref().filter(|kept| !kept.is_empty() && text.contains(".file")) else {
        return text;
    };
    let renamed = |line: &str| -> Option<String> {
        let (before, rest) = line.split_once('"')?;
        let (name, after) = rest.split_once('"')?;
        let is_file = before.trim_start().starts_with(".file");
        let file = kept.get(name).filter(|_| is_file)?;
        Some(format!("{before}\"{}\"{after}", file.display()))
    };
    text.split('\n')
        .map(|line| renamed(line).unwrap_or_else(|| line.to_owned()))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_names_the_file_that_a_source_is_kept_in() {
        let one = HashMap::from([("a.cu".to_owned(), PathBuf::from("/kept/a.cu"))]);
        *KEPT.lock().unwrap() = Some(one);
        let text = ".version 8.0\n\t.file\t1 \"a.cu\"\n\t.file 2 \"b.cu\"\n.global .b8 s[4] = \"a.cu\"\n";
        let other =
            ".version 8.0\n\t.file\t1 \"/kept/a.cu\"\n\t.file 2 \"b.cu\"\n.global .b8 s[4] = \"a.cu\"\n";
        assert_eq!(named(text.into()), other);
    }
}
