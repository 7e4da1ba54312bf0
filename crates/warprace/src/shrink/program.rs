//! Runs a program, and looks for what shows its finding: one launch, two tasks, or the whole program.

use super::pairs::{self, Saves};
use super::replays::{Replays, Same};
use super::saved::Saved;
use super::{Failure, Found, Shown, judgement, pick, replayed, together};
use crate::exit;
use crate::fix::runs::{Depth, Runs};
use crate::options::ShrinkArgs;
use report::Document;
use report::model::Described;

/// Launches of a kernel among which the one with the finding is looked for.
const LAUNCHES: u64 = 256;

/// The same, if kernels that launch others may have it.
const PARENTS: u64 = 3;

/// A run of the program, and its finding.
struct Program {
    runs: Runs,
    document: Document,
    finding: Described,
    /// Whether the usual schedule shows the finding.
    usual: bool,
    judgement: Vec<String>,
}

pub(super) fn find(args: &ShrinkArgs, options: &[String]) -> Result<Shown, Failure> {
    let uncheckable = |message: String| (exit::UNCHECKABLE, message);
    let runs = Runs::new(args.program.clone(), options.to_vec()).map_err(|e| (exit::USAGE, e))?;
    let once = runs.patched(&[], Depth::Once).map_err(uncheckable)?;
    let usual = once.findings().next().is_some();
    let document = if usual { once } else { runs.patched(&[], Depth::All).map_err(uncheckable)? };
    let finding = pick(&document, args.finding as usize)?;
    let shapes = together::shapes(&runs, &document);
    let program = Program { runs, document, finding, usual, judgement: judgement(options) };
    let alone = match program.alone() {
        None => program.pair(),
        found => found,
    };
    match alone {
        Some(found) => Ok(Shown::Alone(Box::new(found))),
        None => {
            let Program { runs, document, finding, .. } = &program;
            together::cut(runs, document, finding, usual, shapes).map(Shown::Together)
        }
    }
}

impl Program {
    /// Returns options of runs that show the finding.
    fn deeper(&self) -> &'static [&'static str] {
        if self.usual { &[] } else { &["--explore", "20", "--predict"] }
    }

    /// Returns whether both accesses are of one launch.
    fn is_of_one_launch(&self) -> bool {
        let [first, second] = &self.finding.accesses;
        let is_apart = first.launched_by.is_some() || second.launched_by.is_some();
        first.kernel == second.kernel && !is_apart && first.block.is_some() && second.block.is_some()
    }

    /// Returns the kernels that may show the finding alone, and how many launches of each are tried.
    fn kernels(&self) -> Vec<(&str, u64)> {
        let all = self.document.kernels.iter();
        if self.is_of_one_launch() {
            let own = all.filter(|kernel| kernel.name == self.finding.accesses[0].kernel);
            return own.map(|kernel| (kernel.mangled.as_str(), kernel.launches.min(LAUNCHES))).collect();
        }
        // The launch of a parent has those of its children.
        let launches =
            |text: &String| ["cudaCDP2LaunchDevice", "cudaLaunchDevice"].iter().any(|f| text.contains(f));
        if !self.runs.loaded().iter().any(launches) {
            return Vec::new();
        }
        all.map(|kernel| (kernel.mangled.as_str(), kernel.launches.min(PARENTS))).collect()
    }

    /// Returns a launch that shows the finding alone.
    fn alone(&self) -> Option<Found> {
        let same = Same::of(&self.finding);
        let mut saves = Saves::new(&self.runs, self.deeper());
        for (kernel, launches) in self.kernels() {
            for number in 0..launches {
                let Some((document, saved)) = saves.run(kernel, number) else { continue };
                // A run that checks one kernel checks none that it launches.
                if self.is_of_one_launch() && !same.is_in(&document) {
                    continue;
                }
                let shown = document.findings().find(|found| Same::of(found) == same);
                let schedule = replayed(shown.unwrap_or(&self.finding), self.usual);
                let mut replays =
                    Replays::new(same.clone(), self.judgement.clone(), schedule.clone()).ok()?;
                if replays.begin(&saved) {
                    return Some(self.found(saved, schedule));
                }
            }
        }
        None
    }

    /// Returns two tasks that show the finding.
    fn pair(&self) -> Option<Found> {
        let mut saves = Saves::new(&self.runs, &[]);
        let mut schedules = vec![Vec::new(), replayed(&self.finding, self.usual)];
        schedules.dedup();
        for schedule in schedules {
            let same = Same::of(&self.finding);
            let mut replays = Replays::new(same, self.judgement.clone(), schedule.clone()).ok()?;
            let found = pairs::find(&mut saves, &mut replays, &self.document, &self.finding);
            if let Some(saved) = found {
                return Some(self.found(saved, schedule));
            }
        }
        None
    }

    fn found(&self, saved: Saved, schedule: Vec<String>) -> Found {
        let launches = self.document.summary.launches;
        Found { finding: self.finding.clone(), saved, schedule, launches }
    }
}
