//! Source lines of host code, from its debug information.

use addr2line::Loader;
use events::{Frame, Site};
use std::collections::HashMap;
use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The functions and lines that machine code at an offset in a file is of, innermost first; nothing without debug information. And the
/// symbol that it is in.
pub fn at(path: &Path, offset: u64) -> (Vec<Frame>, Option<String>) {
    thread_local! {
        static LOADERS: std::cell::RefCell<HashMap<PathBuf, Option<Loader>>> = Default::default();
    }
    let look = |loader: &Loader| (frames(loader, offset), loader.find_symbol(offset).map(str::to_owned));
    let found = LOADERS.try_with(|loaders| {
        let mut loaders = loaders.borrow_mut();
        let loader = loaders.entry(path.to_owned()).or_insert_with(|| Loader::new(path).ok());
        loader.as_ref().map(look).unwrap_or_default()
    });
    // This thread's loaders may be gone already at the process's exit.
    found.unwrap_or_else(|_| Loader::new(path).ok().as_ref().map(look).unwrap_or_default())
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

/// Returns the function and lines of the code at an address, and those of the functions that it was inlined
/// into. `object` finds the file that it was loaded from, and its position (see [`object`] for one way).
pub fn described(address: u64, object: impl FnOnce(u64) -> Option<(PathBuf, u64)>) -> Site {
    let mut site = Site {
        function: String::new(),
        text: String::new(),
        ptx_line: 0,
        frames: Vec::new(),
        variable: None,
        role: None,
    };
    let Some((path, base)) = object(address) else { return site };
    let offset = address.saturating_sub(base);
    let (frames, symbol) = at(&path, offset);
    let name = || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    site.frames = frames;
    site.function =
        symbol.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("{}+{offset:#x}", name()));
    site
}

/// The file that the code at an address was loaded from, and what its addresses in the file are behind: as the loader tells.
pub fn object(address: u64) -> Option<(PathBuf, u64)> {
    // SAFETY: all-zero is a value; the function fills it, and names live as long as their objects.
    let (name, base) = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        (CStr::from_ptr(info.dli_fname), info.dli_fbase as u64)
    };
    let mut path = Path::new(OsStr::from_bytes(name.to_bytes())).to_owned();
    // The loader's name for the program is as it was started.
    if !path.is_absolute() {
        path = "/proc/self/exe".into();
    }
    // A program that is not relocated has its addresses in its file.
    Some((path, if is_fixed(base) { 0 } else { base }))
}

/// Returns whether the ELF file that begins there is of a program with addresses of its own (`ET_EXEC`).
fn is_fixed(base: u64) -> bool {
    const EXECUTABLE: u16 = 2;
    // SAFETY: the loader has mapped the file's header there.
    base != 0 && unsafe { ((base + 16) as *const u16).read_unaligned() } == EXECUTABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_in_this_test_is_found() {
        let here = an_address_in_this_test_is_found as *const () as u64 + 4;
        let site = described(here, object);
        assert!(site.function.contains("an_address_in_this_test_is_found"), "{site:?}");
        assert!(site.frames.iter().any(|f| f.file.ends_with("lines.rs") && f.line > 0), "{site:?}");
        assert_eq!(described(16, object).function, "");
    }
}
