//! Runs a saved launch on the virtual GPU with the exact lens: all of it, or a sample of its blocks.

use super::{Folder, prepare, start};
use crate::options::{ReplayArgs, RunArgs};
use crate::terminal;
use kernels::{GlobalVariable, Source};
use protocol::{Counters, RunResult};
use snapshot::{Launch, Limits, Object, Range, Target};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Time limit of a saved launch in seconds. If all of it takes longer, a sample of its blocks gets the same
/// time.
const PATIENCE: u64 = 60;
/// A launch with more threads runs as a sample of blocks with about this many threads.
const MOST_THREADS: u64 = 1 << 20;
/// The minimum number of blocks in a sample, and the number for a sample that was too slow with more.
const FEW: u64 = 64;

/// The outcome for each file. The error is a sentence fragment.
pub(super) type Done = BTreeMap<PathBuf, Result<Exact, String>>;

/// The outcome of a saved launch that ran again.
#[derive(Debug, Default)]
pub(super) struct Exact {
    /// The findings without counters, since the program's launches were counted in the program.
    pub(super) results: Vec<RunResult>,
    pub(super) kernel: String,
    pub(super) ran: Ran,
    pub(super) counters: Counters,
}

/// How much of the saved launches has run on the virtual GPU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ran {
    pub(super) launches: u64,
    pub(super) blocks: u64,
    pub(super) of: u64,
    pub(super) accesses: u64,
}

impl Ran {
    pub(super) fn add(&mut self, other: Ran) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.of += other.of;
        self.accesses += other.accesses;
    }

    /// Returns a text such as ` (64 of 4096 blocks)` for a sample.
    pub(super) fn sampled(&self) -> String {
        match self.blocks < self.of {
            true => format!(" ({} of {} blocks)", self.blocks, self.of),
            false => String::new(),
        }
    }

    /// Returns the sentence on how much of the program's launches was checked.
    pub(super) fn told(&self, launches: u64) -> String {
        let Ran { launches: ran, blocks, of, accesses } = self;
        format!(
            "checked on the virtual GPU: {ran} of {launches} launches, {blocks} of their {of} blocks, {accesses} memory accesses"
        )
    }
}

/// Runs a saved launch, or a sample of its blocks if it is too large. The error is a sentence fragment.
pub(super) fn again(args: &RunArgs, file: &Path) -> Result<Exact, String> {
    let launch = header(file)?;
    let (all, threads) = (launch.grid.count(), launch.block.count().max(1));
    let most = (MOST_THREADS / threads).max(FEW);
    let blocks = (all > most).then_some(most);
    match attempt(args, file, &launch, blocks) {
        Err(Failed::Slow) if all > FEW && blocks != Some(FEW) && has_samples(&launch) => {
            attempt(args, file, &launch, Some(FEW))
        }
        ran => ran,
    }
    .map_err(|failed| match failed {
        Failed::Slow => format!("it took more than {PATIENCE} seconds"),
        Failed::Because(why) => why,
    })
}

/// Returns whether a sample of the launch's blocks may run by itself.
fn has_samples(launch: &Launch) -> bool {
    let parsed: Vec<ptx::Parse> = launch.texts.iter().map(|text| ptx::parse(text)).collect();
    let sources = Source::all(&parsed, &launch.texts, "module");
    let mut nowhere = |_: &GlobalVariable<'_>| Ok(1 << 20);
    let linked = kernels::link(&sources, &mut nowhere);
    let apart = |k: &kernels::Kernel| k.name == launch.kernel && !k.uses.blocks_communicate;
    linked.is_ok_and(|linked| !launch.cooperative && linked.kernels.iter().any(apart))
}

enum Failed {
    /// The launch did not end in time.
    Slow,
    /// A sentence fragment.
    Because(String),
}

impl From<String> for Failed {
    fn from(why: String) -> Failed {
        Failed::Because(why)
    }
}

/// Runs a saved launch, or a sample of its blocks.
fn attempt(args: &RunArgs, file: &Path, launch: &Launch, blocks: Option<u64>) -> Result<Exact, Failed> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?.into_os_string();
    // The kernel's output is suppressed, since the program's own launch has printed it.
    let words = vec![program, "launch".into(), "--silent".into(), file.as_os_str().to_owned()];
    let mut run = ReplayArgs { blocks, ..ReplayArgs::plain(file.to_owned()) }.run(words, launch.devices);
    (run.execution.jobs, run.timeout) = (args.execution.jobs, Some(PATIENCE));
    // The terminal belongs to the program.
    run.outputs.quiet = true;
    let refused = |refusal: crate::refusal::Refusal| refusal.line();
    let (folder, program, how): (Folder, _, _) = prepare(&run).map_err(refused)?;
    let child = start(&run, how, &program, &folder, None).map_err(refused)?;
    let (_, in_time) = child.wait(run.timeout).map_err(|e| e.to_string())?;
    if !in_time {
        return Err(Failed::Slow);
    }
    let mut exact = Exact { kernel: launch.kernel.clone(), ..Exact::default() };
    let mut ran = Ran { launches: 1, blocks: launch.grid.count(), of: launch.grid.count(), accesses: 0 };
    let mut results = RunResult::read_all(folder.path()).map_err(|e| e.to_string())?.processes;
    for result in &mut results {
        if let Some(failure) = result.failures.first() {
            return Err(format!("it failed with {}", failure.error).into());
        }
        if result.counters.checked == 0 {
            return Err("nothing was checked".to_owned().into());
        }
        let Counters { sampled, sampled_of, accesses, .. } = result.counters;
        if sampled_of > 0 {
            ran.blocks = sampled;
            result.saved_blocks = blocks;
        }
        ran.accesses += accesses;
        // A file that only this run has saved is removed, so the report must not offer it for a replay.
        result.saved = args.capture.as_ref().map(|_| file.to_owned());
        exact.counters = std::mem::take(&mut result.counters);
        result.kernels.clear();
    }
    Ok(Exact { results, ran, ..exact })
}

/// Returns the launch of a file that is valid.
pub(crate) fn header(file: &Path) -> Result<Launch, String> {
    let file = File::open(file).map_err(|e| terminal::plain(&e))?;
    let mut header = Header(None);
    snapshot::read(BufReader::new(file), Limits::default(), &mut header).map_err(|e| e.to_string())?;
    header.0.ok_or_else(|| "there is no launch in it".into())
}

struct Header(Option<Launch>);

impl Target for Header {
    type Error = Infallible;

    fn launch(&mut self, launch: Launch) -> Result<(), Infallible> {
        self.0 = Some(launch);
        Ok(())
    }

    fn range(&mut self, _: Range) -> Result<(), Infallible> {
        Ok(())
    }

    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<(), Infallible> {
        Ok(())
    }

    fn object(&mut self, _: Object) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(name: &str) -> Launch {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/snapshots");
        header(&folder.join(name)).unwrap()
    }

    #[test]
    fn blocks_that_may_depend_on_others_have_no_sample() {
        assert!(has_samples(&saved("spread.launch")) && has_samples(&saved("three-h100.launch")));
        assert!(!has_samples(&saved("ticket.launch")));
        assert!(!has_samples(&Launch { cooperative: true, ..saved("spread.launch") }));
    }

    #[test]
    fn what_ran_of_what_was_launched_is_told() {
        let mut ran = Ran::default();
        ran.add(Ran { launches: 1, blocks: 8, of: 8, accesses: 5 });
        assert_eq!(ran.sampled(), "");
        ran.add(Ran { launches: 2, blocks: 64, of: 4096, accesses: 100 });
        assert_eq!(ran.sampled(), " (72 of 4104 blocks)");
        let told =
            "checked on the virtual GPU: 3 of 40 launches, 72 of their 4104 blocks, 105 memory accesses";
        assert_eq!(ran.told(40), told);
    }
}
