//! A launch that was saved, once more on the virtual GPU, with the exact lens.

use super::{Folder, prepare, start};
use crate::options::{ReplayArgs, RunArgs};
use crate::terminal;
use protocol::{Counters, RunResult};
use snapshot::{Launch, Limits, Range, Target};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// A saved launch may run so long, in seconds.
const PATIENCE: u64 = 60;

/// What came of each file. The error is a sentence fragment.
pub(super) type Done = BTreeMap<PathBuf, Result<Exact, String>>;

/// A launch that was run once more.
#[derive(Debug, Default)]
pub(super) struct Exact {
    /// With what was found. What was counted is not in there: the program's launches were counted where they ran.
    pub(super) results: Vec<RunResult>,
    pub(super) kernel: String,
    pub(super) blocks: u64,
    pub(super) counters: Counters,
}

/// Runs a saved launch. The error is a sentence fragment.
pub(super) fn again(args: &RunArgs, file: &Path) -> Result<Exact, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?.into_os_string();
    let words = vec![program, OsString::from("launch"), file.as_os_str().to_owned()];
    let mut run = ReplayArgs::plain(file.to_owned()).run(words, devices(file)?);
    (run.execution.jobs, run.timeout) = (args.execution.jobs, Some(PATIENCE));
    // The program is at work on the terminal.
    run.outputs.quiet = true;
    let refused = |refusal: crate::refusal::Refusal| refusal.line();
    let (folder, program, how): (Folder, _, _) = prepare(&run).map_err(refused)?;
    let child = start(&run, how, &program, &folder, None).map_err(refused)?;
    let (_, in_time) = child.wait(run.timeout).map_err(|e| e.to_string())?;
    if !in_time {
        return Err(format!("it took more than {PATIENCE} seconds"));
    }
    let mut exact = Exact {
        results: RunResult::read_all(folder.path()).map_err(|e| e.to_string())?.processes,
        ..Exact::default()
    };
    for result in &mut exact.results {
        if let Some(failure) = result.failures.first() {
            return Err(format!("it failed with {}", failure.error));
        }
        if result.counters.checked == 0 {
            return Err("nothing was checked".into());
        }
        // What was saved for this run alone nobody can run again.
        result.saved = args.capture.as_ref().map(|_| file.to_owned());
        exact.counters = std::mem::take(&mut result.counters);
        for kernel in std::mem::take(&mut result.kernels) {
            (exact.kernel, exact.blocks) = (kernel.name, kernel.blocks);
        }
    }
    Ok(exact)
}

/// How many devices the launch was made for, if the file is good.
pub(crate) fn devices(file: &Path) -> Result<u32, String> {
    let file = File::open(file).map_err(|e| terminal::plain(&e))?;
    let mut counted = Devices(1);
    snapshot::read(BufReader::new(file), Limits::default(), &mut counted).map_err(|e| e.to_string())?;
    Ok(counted.0)
}

struct Devices(u32);

impl Target for Devices {
    type Error = Infallible;

    fn launch(&mut self, launch: Launch) -> Result<(), Infallible> {
        self.0 = launch.devices;
        Ok(())
    }

    fn range(&mut self, _: Range) -> Result<(), Infallible> {
        Ok(())
    }

    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<(), Infallible> {
        Ok(())
    }
}
