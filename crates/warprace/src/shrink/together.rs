//! A finding of several launches, copies or the host: the whole program runs again and again, its launches cut
//! down in place.

use super::Failure;
use super::replays::Same;
use super::written::shape as counts;
use crate::exit;
use crate::fix::runs::Runs;
use events::Dim3;
use mend::reduce::smallest;
use names::LaunchShape;
use report::Document;
use report::model::Described;
use std::fmt::Write;

type Extent = fn(&mut LaunchShape) -> &mut u32;

const EXTENTS: [Extent; 6] = [
    |s| &mut s.grid.x,
    |s| &mut s.grid.y,
    |s| &mut s.grid.z,
    |s| &mut s.block.z,
    |s| &mut s.block.y,
    |s| &mut s.block.x,
];

/// The runs of a program whose launches are cut down.
struct Cutting<'r> {
    runs: &'r Runs,
    same: Same,
    /// Options that show the finding.
    schedule: Vec<String>,
    /// Whether the whole program fails, too.
    fails: bool,
    tried: u64,
}

/// Cuts down the launches of a run from the shapes that they have. Returns what was cut and how the run is repeated.
pub(super) fn cut(
    runs: &Runs,
    document: &Document,
    finding: &Described,
    usual: bool,
    before: Vec<LaunchShape>,
) -> Result<String, Failure> {
    let mut cutting = Cutting {
        runs,
        same: Same::of(finding),
        schedule: repeated(finding, usual),
        fails: !document.errors.is_empty(),
        tried: 0,
    };
    let mut after = before.clone();
    if !cutting.shows(&after) {
        let why = "another run of the program does not show the finding";
        return Err((exit::INCONCLUSIVE, why.into()));
    }
    for i in 0..after.len() {
        for extent in EXTENTS {
            cutting.extent(&mut after, i, extent);
        }
    }
    Ok(told(document, finding, &before, &after, &cutting))
}

/// Returns the options that repeat the schedule of a finding: none if the usual schedule shows it.
fn repeated(finding: &Described, usual: bool) -> Vec<String> {
    match usual || finding.replay_string.is_empty() {
        true => Vec::new(),
        false => vec!["--replay".into(), finding.replay_string.clone()],
    }
}

/// Returns the largest shape of each kernel's launches in the last run.
pub(super) fn shapes(runs: &Runs, document: &Document) -> Vec<LaunchShape> {
    let mut out: Vec<LaunchShape> = Vec::new();
    for info in runs.launched() {
        if !document.kernels.iter().any(|kernel| kernel.mangled == info.kernel) {
            continue;
        }
        let most = |a: Dim3, b: Dim3| Dim3 { x: a.x.max(b.x), y: a.y.max(b.y), z: a.z.max(b.z) };
        let (grid, block) = (info.grid, info.block);
        match out.iter_mut().find(|shape| shape.kernel == info.kernel) {
            Some(shape) => (shape.grid, shape.block) = (most(shape.grid, grid), most(shape.block, block)),
            None => out.push(LaunchShape { kernel: info.kernel, grid, block }),
        }
    }
    out
}

impl Cutting<'_> {
    fn shows(&mut self, shapes: &[LaunchShape]) -> bool {
        self.tried += 1;
        let words: Vec<String> = options(shapes).into_iter().chain(self.schedule.iter().cloned()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let document = self.runs.with(&words);
        document.is_ok_and(|found| (self.fails || found.errors.is_empty()) && self.same.is_in(&found))
    }

    /// Cuts one extent of a kernel's launches.
    fn extent(&mut self, shapes: &mut [LaunchShape], i: usize, extent: Extent) {
        let from = u64::from(*extent(&mut shapes[i]));
        if from == 1 {
            return;
        }
        let best = smallest(from, |n| {
            let mut other = shapes.to_vec();
            *extent(&mut other[i]) = n as u32;
            self.shows(&other)
        });
        *extent(&mut shapes[i]) = best as u32;
    }
}

/// Returns the options of `warprace run` that cut launches down.
fn options(shapes: &[LaunchShape]) -> Vec<String> {
    shapes.iter().flat_map(|shape| ["--launch-shape".to_owned(), shape.to_string()]).collect()
}

fn told(
    document: &Document,
    finding: &Described,
    before: &[LaunchShape],
    after: &[LaunchShape],
    cutting: &Cutting<'_>,
) -> String {
    let mut out = format!("race[{}]: {}\n", finding.class.name(), finding.title);
    let shape = |s: &LaunchShape| counts(s.grid.count(), s.block.count());
    for (old, new) in before.iter().zip(after) {
        let kernel = document.kernels.iter().find(|kernel| kernel.mangled == old.kernel);
        let name = kernel.map_or(old.kernel.as_str(), |kernel| kernel.name.as_str());
        let _ = writeln!(out, "  launch:   {} became {} (`{name}`)", shape(old), shape(new));
    }
    if before.is_empty() {
        out.push_str("  launch:   no kernel is checked\n");
    }
    let words = [&options(after)[..], &cutting.schedule[..]].concat();
    let program: Vec<_> =
        cutting.runs.program.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let words = [&cutting.runs.options[..], &words[..], &["--".to_owned()][..], &program[..]].concat();
    let words = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    let _ = writeln!(out, "  tried:    {} runs of the program", cutting.tried);
    let _ = writeln!(out, "replay: warprace run {words}");
    out.push_str("no stand-alone program was written: only the whole program shows the finding\n");
    out
}
