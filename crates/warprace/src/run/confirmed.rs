//! What kernels on a GPU have seen, once more on the virtual GPU: launches of flagged kernels that were saved run there with the
//! exact lens, which names both sides, says why nothing orders them, and can be repeated.

use super::{Folder, prepare, start};
use crate::options::{ReplayArgs, RunArgs};
use crate::{exit, terminal};
use events::{Finding, Site, SiteTable, TaskKind};
use kernels::{GlobalVariable, Source};
use protocol::{Counters, RunResult, SavedLaunch, names};
use snapshot::{Launch, Limits, Range, Target};
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A saved launch may run so long, in seconds; if all of it took longer, a sample of its blocks as long once more.
const PATIENCE: u64 = 60;
/// Of launches with more threads a sample of blocks runs at once, with about so many.
const MOST_THREADS: u64 = 1 << 20;
/// Blocks of a sample, at least; and all of them where more took too long.
const FEW: u64 = 64;
/// So many of one kernel are run.
const MOST: usize = 3;

/// Runs saved launches of kernels with findings, and puts what they show in the place of what it confirms.
pub(super) fn confirm(args: &RunArgs, processes: &mut Vec<RunResult>) {
    let mut shown = Vec::new();
    let mut ran = Ran::default();
    for result in processes.iter_mut() {
        let mut flagged: Vec<String> =
            result.findings.iter().filter_map(|f| kernel(result, &f.finding)).collect();
        flagged.sort_unstable();
        flagged.dedup();
        for kernel in flagged {
            let saved: Vec<SavedLaunch> =
                result.launches.iter().filter(|l| l.kernel == kernel).take(MOST).cloned().collect();
            let (mut exact, mut why, mut of_kernel) = (Vec::new(), Vec::new(), Ran::default());
            for launch in &saved {
                match with_patience(args, &launch.file) {
                    Ok((mut again, did)) => {
                        of_kernel.add(did);
                        exact.append(&mut again);
                    }
                    Err(error) => why.push(error),
                }
            }
            ran.add(of_kernel);
            let before = result.findings.len();
            let sites = &result.sites;
            let tasks = &result.tasks;
            result.findings.retain(|reported| {
                let of = tasks.iter().find(|t| t.id == reported.finding.sides[0].task);
                let own = of.is_some_and(|t| matches!(&t.kind, TaskKind::Launch(l) if l.kernel == kernel));
                let alone = reported.finding.sides[0].task == reported.finding.sides[1].task;
                !own || !alone || !exact.iter().any(|e| confirms(e, sites, &reported.finding))
            });
            let left = result
                .findings
                .iter()
                .filter(|f| self::kernel(result, &f.finding).as_ref() == Some(&kernel))
                .count();
            let confirmed = before - result.findings.len();
            let name = names::short(&kernel);
            let launches = if saved.len() == 1 { "launch" } else { "launches" };
            let told = match (saved.is_empty(), why.first()) {
                (true, _) => {
                    format!("no launch of `{name}` was saved: what is reported of it is unconfirmed")
                }
                (false, Some(why)) if left > 0 => {
                    format!(
                        "{left} of `{name}` is unconfirmed: its saved launch did not run on the virtual GPU: {why}"
                    )
                }
                (false, _) if left > 0 => format!(
                    "{confirmed} of {} pairs of `{name}` confirmed on the virtual GPU, {left} not seen in its {} saved {launches}{}",
                    confirmed + left,
                    saved.len(),
                    of_kernel.sampled(),
                ),
                (false, _) => continue_with(confirmed, &name),
            };
            result.limits.push(told);
            shown.append(&mut exact);
        }
    }
    if ran.launches > 0 {
        let all: u64 = processes.iter().map(|result| result.counters.launches).sum();
        if let Some(result) = processes.first_mut() {
            result.limits.push(ran.told(all));
        }
    }
    processes.append(&mut shown);
}

/// How much of what was saved has run on the virtual GPU.
#[derive(Clone, Copy, Debug, Default)]
struct Ran {
    launches: u64,
    blocks: u64,
    of: u64,
    accesses: u64,
}

impl Ran {
    fn add(&mut self, other: Ran) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.of += other.of;
        self.accesses += other.accesses;
    }

    /// ` (64 of 4096 blocks)`, if it was a sample.
    fn sampled(&self) -> String {
        match self.blocks < self.of {
            true => format!(" ({} of {} blocks)", self.blocks, self.of),
            false => String::new(),
        }
    }

    fn told(&self, launches: u64) -> String {
        let Ran { launches: ran, blocks, of, accesses } = self;
        format!(
            "on the virtual GPU ran {ran} of {launches} launches, {blocks} of their {of} blocks, {accesses} memory accesses"
        )
    }
}

/// Runs a saved launch, or a sample of its blocks if it is too large. The error is a sentence fragment.
fn with_patience(args: &RunArgs, file: &Path) -> Result<(Vec<RunResult>, Ran), String> {
    let launch = header(file)?;
    let (all, threads) = (launch.grid.count(), launch.block.count().max(1));
    let most = (MOST_THREADS / threads).max(FEW);
    let blocks = (all > most).then_some(most);
    match again(args, file, &launch, blocks) {
        Err(Failed::Slow) if all > FEW && blocks != Some(FEW) && has_samples(&launch) => {
            again(args, file, &launch, Some(FEW))
        }
        ran => ran,
    }
    .map_err(|failed| match failed {
        Failed::Slow => format!("it took more than {PATIENCE} seconds"),
        Failed::Because(why) => why,
    })
}

/// May a sample of its blocks run?
fn has_samples(launch: &Launch) -> bool {
    let parsed: Vec<ptx::Parse> = launch.texts.iter().map(|text| ptx::parse(text)).collect();
    let sources: Vec<Source<'_>> = parsed
        .iter()
        .zip(&launch.texts)
        .map(|(parse, text)| Source { tree: &parse.module, text, name: "module" })
        .collect();
    let mut nowhere = |_: &GlobalVariable<'_>| Ok(1 << 20);
    let linked = kernels::link(&sources, &mut nowhere);
    let apart = |k: &kernels::Kernel| k.name == launch.kernel && !k.uses.blocks_communicate;
    linked.is_ok_and(|linked| !launch.cooperative && linked.kernels.iter().any(apart))
}

fn continue_with(confirmed: usize, name: &str) -> String {
    let pairs = if confirmed == 1 { "the pair".to_owned() } else { format!("all {confirmed} pairs") };
    format!("{pairs} that `{name}` saw of itself confirmed on the virtual GPU")
}

/// Of the launch that a finding is of.
fn kernel(result: &RunResult, finding: &Finding) -> Option<String> {
    // A saved launch knows of no other.
    if finding.sides[0].task != finding.sides[1].task {
        return None;
    }
    let task = result.tasks.iter().find(|task| task.id == finding.sides[0].task)?;
    match &task.kind {
        TaskKind::Launch(launch) => Some(launch.kernel.clone()),
        _ => None,
    }
}

enum Failed {
    /// It did not end in time.
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
fn again(
    args: &RunArgs,
    file: &Path,
    launch: &Launch,
    blocks: Option<u64>,
) -> Result<(Vec<RunResult>, Ran), Failed> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?.into_os_string();
    let words = vec![program, OsString::from("launch"), file.as_os_str().to_owned()];
    let mut run = ReplayArgs { blocks, ..ReplayArgs::plain(file.to_owned()) }.run(words, launch.devices);
    (run.execution.jobs, run.timeout) = (args.execution.jobs, Some(PATIENCE));
    let refused = |refusal: crate::refusal::Refusal| refusal.line();
    let (folder, program, how): (Folder, _, _) = prepare(&run).map_err(refused)?;
    let child = start(&run, how, &program, &folder, None).map_err(refused)?;
    let (_, in_time) = child.wait(run.timeout).map_err(|e| e.to_string())?;
    if !in_time {
        return Err(Failed::Slow);
    }
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
        // What was saved for this run alone nobody can run again.
        result.saved = args.capture.as_ref().map(|_| file.to_owned());
        // The program's launches were counted where they ran.
        result.counters = Counters::default();
        result.kernels.clear();
    }
    Ok((results, ran))
}

/// Is it the same pair of instructions, or has the one that is known?
fn confirms(exact: &RunResult, sites: &SiteTable, seen: &Finding) -> bool {
    let at = |table: &SiteTable, finding: &Finding| -> Vec<(String, u32)> {
        let place = |site: &Site| (site.function.clone(), site.ptx_line);
        finding
            .sides
            .iter()
            .filter_map(|side| side.site.and_then(|site| table.get(site)).map(place))
            .collect()
    };
    let known = at(sites, seen);
    exact.findings.iter().any(|reported| {
        let pair = at(&exact.sites, &reported.finding);
        !known.is_empty()
            && known.iter().all(|place| pair.contains(place))
            && (known.len() < 2 || pair.iter().all(|place| known.contains(place)))
    })
}

/// Makes the folder for saved launches.
pub(super) fn folder(path: &Path) -> Result<(), crate::refusal::Refusal> {
    std::fs::create_dir_all(path).map_err(|e| {
        crate::refusal::Refusal::new(exit::USAGE, format!("cannot create {}: {e}", path.display()))
    })
}

/// What was launched, if the file is good.
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
        let told = "on the virtual GPU ran 3 of 40 launches, 72 of their 4104 blocks, 105 memory accesses";
        assert_eq!(ran.told(40), told);
    }
}
