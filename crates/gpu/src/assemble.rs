//! Compiles PTX to machine code with the toolkit's tools, if there are any, and caches the result on disk.

use crate::{log, registers};
use compilers::keep::{cache, hash};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the folder of `ptxas` and `nvlink`; `None` if there is no toolkit.
fn tools() -> Option<&'static Path> {
    static TOOLS: OnceLock<Option<PathBuf>> = OnceLock::new();
    TOOLS
        .get_or_init(|| {
            let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
            let mut folders: Vec<PathBuf> = named.map(|root| PathBuf::from(root).join("bin")).collect();
            folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
            folders.push("/usr/local/cuda/bin".into());
            folders.into_iter().find(|folder| folder.join("ptxas").is_file())
        })
        .as_deref()
}

/// Returns whether there is a toolkit.
pub(crate) fn is_possible() -> bool {
    tools().is_some()
}

/// Returns a cubin of these texts for `arch` (such as `sm_90a`), linked if they are `relocatable`. Its
/// kernels can be launched with as many threads as those of `plain`, the same texts without checks. `validation` is
/// asked before texts are assembled: cubins on disk are of texts that were valid. The error is a sentence fragment.
pub(crate) fn cubin(
    texts: &[String],
    plain: &[String],
    arch: &str,
    relocatable: bool,
    validation: &Validation<'_>,
) -> Result<Vec<u8>, String> {
    let tools = tools().ok_or("there is no ptxas")?;
    let about = std::fs::metadata(tools.join("ptxas")).map_err(|e| e.to_string())?;
    let tool = format!("{} {} {:?}", tools.display(), about.len(), about.modified().ok());
    let mut parts: Vec<&[u8]> = [env!("CARGO_PKG_VERSION"), &tool, arch, if relocatable { "c" } else { "" }]
        .map(str::as_bytes)
        .to_vec();
    parts.push(validation.of.as_bytes());
    parts.extend(texts.iter().chain(plain).map(String::as_bytes));
    let kept = cache().map(|folder| folder.join(format!("{:032x}.cubin", hash(&parts))));
    if let Some(cubin) = kept.as_ref().and_then(|path| std::fs::read(path).ok()).filter(|c| is_elf(c)) {
        return Ok(cubin);
    }
    (validation.ask)()?;
    let bytes: usize = texts.iter().map(String::len).sum();
    let kept_for = if kept.is_some() { ", kept for later runs" } else { "" };
    let what = format!("assembling {:.1} MiB of checked PTX{kept_for}", bytes as f64 / f64::from(1 << 20));
    let cubin = log::while_shown(&what, || made(tools, texts, plain, arch, relocatable))?;
    if let Some(path) = kept {
        // A failure to store the cubin is ignored; the next process compiles it again.
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        if std::fs::write(&beside, &cubin).and_then(|()| std::fs::rename(&beside, &path)).is_err() {
            let _ = std::fs::remove_file(&beside);
        }
    }
    Ok(cubin)
}

/// The validation of texts with checks.
pub(crate) struct Validation<'v> {
    pub(crate) ask: &'v dyn Fn() -> Result<(), String>,
    /// The inputs of its result besides the texts.
    pub(crate) of: String,
}

/// The length of a text of which ptxas takes some tenths of a second.
const LONG: usize = 1 << 18;

/// Returns options that make ptxas faster on a long text. The time of ptxas grows faster than the text, and
/// checks make texts several times longer. The kernels of [`LONG`] texts are optimised in parallel (on a host of 32
/// processors 4 MiB in 3 s, not 10). They are not optimised less: with CUDA 13.0's `--Ofast-compile=mid`, kernels of CUB's radix
/// sort with `guard`'s checks access addresses that do not exist.
fn faster(text: &str) -> &'static [&'static str] {
    match text.len() {
        ..LONG => &[],
        LONG.. => &["--split-compile=0"],
    }
}

/// Returns whether a tool rejects its command line rather than the text ("Unknown option", "not in 'keyword'
/// set for option").
fn is_of_options(why: &str) -> bool {
    why.to_ascii_lowercase().contains("option")
}

fn made(
    tools: &Path,
    texts: &[String],
    plain: &[String],
    arch: &str,
    relocatable: bool,
) -> Result<Vec<u8>, String> {
    let folder = Temporary::new()?;
    let how = How { tools, arch, relocatable, folder: &folder.0 };
    if relocatable {
        return how.linked_within(texts, plain);
    }
    let objects = side_by_side(texts.len(), |n| how.object(n, &texts[n], plain.get(n).map(String::as_str)))?;
    match &objects[..] {
        [one] => read(one),
        _ => how.linked(&objects),
    }
}

/// Calls `make` for the numbers below `count`, as many at once as there are processors.
fn side_by_side<T: Send>(
    count: usize,
    make: impl Fn(usize) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let (next, processors) =
        (AtomicUsize::new(0), std::thread::available_parallelism().map_or(1, usize::from));
    let some = || {
        let mut done = Vec::new();
        while let n = next.fetch_add(1, Ordering::Relaxed)
            && n < count
        {
            done.push((n, make(n)));
        }
        done
    };
    let mut all: Vec<(usize, Result<T, String>)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..processors.min(count)).map(|_| scope.spawn(some)).collect();
        let own = some();
        own.into_iter().chain(others.into_iter().flat_map(|other| other.join().unwrap_or_default())).collect()
    });
    all.sort_by_key(|(n, _)| *n);
    all.into_iter().map(|(_, made)| made).collect()
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()))
}

/// The tools, and what they make in a folder.
struct How<'a> {
    tools: &'a Path,
    arch: &'a str,
    relocatable: bool,
    folder: &'a Path,
}

impl How<'_> {
    /// Assembles the `n`-th text, and returns the object's file. `alone` is the same text without checks.
    fn object(&self, n: usize, text: &str, alone: Option<&str>) -> Result<PathBuf, String> {
        // Checks take registers, which limit the threads of a block. A launch must not fail for that. The text without
        // checks takes ptxas a tenth of the time, so it comes first, and its bounds are there from the beginning.
        let bounded = match alone {
            Some(alone) => {
                let used = self.assembled(&format!("{n}-alone"), alone, None)?;
                registers::bounded(text, &used)
            }
            None => None,
        };
        self.assembled(&n.to_string(), bounded.as_deref().unwrap_or(text), None)?;
        Ok(self.file(&n.to_string()))
    }

    /// Assembles and links texts whose functions call each other. A kernel has the registers of all functions that it
    /// calls, so one limit holds for all of them: the registers of as many threads as the kernels of `plain` can have.
    fn linked_within(&self, texts: &[String], plain: &[String]) -> Result<Vec<u8>, String> {
        let alone = |n: usize| self.assembled(&format!("{n}-alone"), &plain[n], None);
        let used = side_by_side(plain.len(), alone)?;
        let mut limit = registers::limit(used.iter().flat_map(|used| used.values().copied()));
        loop {
            let objects = side_by_side(texts.len(), |n| {
                self.assembled(&n.to_string(), &texts[n], Some(limit)).map(|_| self.file(&n.to_string()))
            })?;
            let linked = self.linked(&objects);
            // A kernel with bounds of its own has fewer.
            match linked.as_ref().err().and_then(|why| registers::too_many(why)) {
                Some(fewer) if fewer < limit => limit = fewer,
                _ => return linked,
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.cubin"))
    }

    fn linked(&self, objects: &[PathBuf]) -> Result<Vec<u8>, String> {
        let linked = self.file("linked");
        let mut command = Command::new(self.tools.join("nvlink"));
        command.arg("-arch").arg(self.arch).arg("-o").arg(&linked).args(objects);
        run(command)?;
        read(&linked)
    }

    /// Assembles a text, with at most `limit` registers for each thread, and returns those that its kernels use.
    fn assembled(&self, name: &str, text: &str, limit: Option<u32>) -> Result<HashMap<String, u32>, String> {
        let (from, to) = (self.folder.join(format!("{name}.ptx")), self.file(name));
        std::fs::write(&from, text).map_err(|e| format!("cannot write {}: {e}", from.display()))?;
        let ptxas = |faster: &[&str]| {
            let mut command = Command::new(self.tools.join("ptxas"));
            command.arg("-v").arg("-arch").arg(self.arch).arg("-o").arg(&to).arg(&from).args(faster);
            if self.relocatable {
                command.arg("-c");
            }
            if let Some(limit) = limit {
                command.arg("-maxrregcount").arg(limit.to_string());
            }
            run(command).map(|said| registers::used(&said))
        };
        let faster = faster(text);
        match ptxas(faster) {
            // The toolkit may be too old for the option. A text that ptxas rejects is rejected without the option
            // too, after as much time.
            Err(why) if !faster.is_empty() && is_of_options(&why) => ptxas(&[]),
            done => done,
        }
    }
}

/// Runs a tool without this library in its process, and returns its output.
fn run(mut command: Command) -> Result<String, String> {
    let name =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    log::note(|| format!("{command:?}"));
    command
        .env_remove("LD_PRELOAD")
        .env_remove(protocol::OPTIONS_VARIABLE)
        .stdin(std::process::Stdio::null());
    let done = processes::exec::starting_own(|| command.output())
        .map_err(|e| format!("cannot start {name}: {e}"))?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
    if done.status.success() {
        return Ok(said);
    }
    let line = said.lines().find(|l| l.contains("error") || l.contains("fatal")).unwrap_or(&said);
    Err(format!("{name}: {}", line.trim()))
}

/// A temporary folder, which is removed on drop.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Self, String> {
        let parent = std::env::temp_dir();
        for n in 0..1000 {
            let path = parent.join(format!("warprace-ptx-{}-{n}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Temporary(path)),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(format!("cannot create a folder in {}: {e}", parent.display())),
            }
        }
        Err(format!("{} is full of warprace's folders", parent.display()))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_not_known_are_told_from_texts() {
        assert!(is_of_options("ptxas: ptxas fatal   : Unknown option '--split-compile'"));
        assert!(is_of_options(
            "ptxas: ptxas fatal   : 'x' is not in 'keyword' set for option 'split-compile'"
        ));
        assert!(!is_of_options(
            "ptxas: ptxas 0.ptx, line 9; error   : Illegal operand type to instruction 'ld'"
        ));
    }

    #[test]
    fn texts_of_a_module_are_assembled_side_by_side_and_linked() {
        let installed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/nvidia/cu13");
        let tools = std::env::var_os("WARPRACE_CUDA").map_or_else(installed, PathBuf::from).join("bin");
        if !tools.join("nvlink").exists() {
            return println!("left out: no toolkit");
        }
        // The second text is long: it is assembled behind the one without checks.
        let text = |kernel: &str, rest: &str| {
            format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry {kernel}()\n{{\nret;\n}}\n{rest}"
            )
        };
        let texts = [text("first", ""), text("second", &"// .\n".repeat(LONG / 4)), text("third", "")];
        let cubin = made(&tools, &texts, &texts, "sm_90", true).unwrap();
        let has = |name: &str| cubin.windows(name.len()).any(|part| part == name.as_bytes());
        assert!(is_elf(&cubin) && ["first", "second", "third"].into_iter().all(has));
        let wrong = [texts[0].clone(), "no text".to_owned()];
        assert!(made(&tools, &wrong, &wrong, "sm_90", true).unwrap_err().starts_with("ptxas"));
    }

    /// `radixSortThrust` of the cuda-samples ended with an illegal address under `guard` (H100) with less
    /// optimisation: see [`faster`].
    #[test]
    fn no_text_is_optimised_less_for_its_length() {
        let long = " ".repeat(8 << 20);
        assert_eq!((faster(&long), faster(&long[..9])), (&["--split-compile=0"][..], &[][..]));
    }
}
