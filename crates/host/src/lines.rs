//! Source lines of host code, from its debug information.

use addr2line::Loader;
use events::Frame;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The functions and lines that machine code at an offset in a file is of, innermost first; nothing without debug information. And the
/// symbol that it is in.
pub fn at(path: &Path, offset: u64) -> (Vec<Frame>, Option<String>) {
    thread_local! {
        static LOADERS: std::cell::RefCell<HashMap<PathBuf, Option<Loader>>> = Default::default();
    }
    LOADERS.with_borrow_mut(|loaders| {
        let loader = loaders.entry(path.to_owned()).or_insert_with(|| Loader::new(path).ok());
        match loader {
            Some(loader) => (frames(loader, offset), loader.find_symbol(offset).map(str::to_owned)),
            None => (Vec::new(), None),
        }
    })
}

fn frames(loader: &Loader, offset: u64) -> Vec<Frame> {
    let mut out = Vec::new();
    let Ok(mut frames) = loader.find_frames(offset) else { return out };
    while let Ok(Some(frame)) = frames.next() {
        let function = match &frame.function {
            Some(function) => function.raw_name().map(std::borrow::Cow::into_owned).unwrap_or_default(),
            None => String::new(),
        };
        let Some(location) = frame.location else { continue };
        let (Some(file), Some(line)) = (location.file, location.line) else { continue };
        out.push(Frame { file: file.to_owned(), line, column: location.column.unwrap_or(0), function });
    }
    out
}
