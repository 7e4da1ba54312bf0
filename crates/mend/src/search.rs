//! The search for changes after which a program has no finding.
//!
//! The advice of the first finding gives candidates. Each is looked at quickly; one that leaves nothing is
//! examined under all schedules, by prediction and by proof. A candidate that removes the finding and leaves
//! others is a beginning: the search goes on with the first of these, up to a number of changes.

use crate::program::{self, Program};
use crate::steps::{self, Made};
use crate::text::Text;
use report::advice::{Group, Position, Reach, Role, Spot, Step, Way};
use report::model::{Access, Described};

/// What a run of a changed program showed.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub findings: Vec<Described>,
    /// Reasons besides findings why the program is not clean: a failure, another exit code, something that
    /// was not checked and was before.
    pub doubts: Vec<String>,
    /// Warp instructions that were executed.
    pub instructions: u64,
    /// Kernels that were proved free of races, and all that were asked about.
    pub proved: (u64, u64),
}

impl Seen {
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.doubts.is_empty()
    }
}

/// The reason why a change cannot be tried: a sentence fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// Runs changed programs.
pub trait Trial {
    /// Runs the program under the schedule that showed the finding.
    fn look(&mut self, program: &Program) -> Result<Seen, Refused>;

    /// Runs the program under all schedules, with prediction and proof.
    fn examine(&mut self, program: &Program) -> Result<Seen, Refused>;

    /// Returns the text of a source file that may be changed.
    fn read(&self, file: &str) -> Option<String>;
}

/// Bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Changes that are made one after the other.
    pub changes: usize,
    /// Candidates that are tried altogether.
    pub tries: usize,
    /// Offers after which the search ends.
    pub offers: usize,
}

/// A change after which nothing is left.
#[derive(Clone, Debug)]
pub struct Offer {
    pub program: Program,
    pub seen: Seen,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Searched {
    /// The cheapest first.
    pub offers: Vec<Offer>,
    /// The candidates without success, and why.
    pub tried: Vec<(String, String)>,
}

/// Candidates for one finding that are tried before the search goes on with the best of them.
const FOR_ONE: usize = 24;

/// Findings that a search begins with, one after the other, until a candidate removes one.
const FINDINGS: usize = 3;

/// Beginnings that are continued.
const CONTINUED: usize = 2;

/// Searches changes that remove `findings`.
pub fn search(trial: &mut dyn Trial, program: Program, findings: &[Described], limits: Limits) -> Searched {
    let mut search = Search { trial, limits, out: Searched::default() };
    search.from(program, findings);
    search.out.offers.sort_by_key(|offer| (offer.program.changes(), offer.seen.instructions));
    search.out
}

struct Search<'t> {
    trial: &'t mut dyn Trial,
    limits: Limits,
    out: Searched,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.out.offers.len() >= self.limits.offers || self.out.tried.len() >= self.limits.tries
    }

    fn from(&mut self, program: Program, findings: &[Described]) {
        if program.changes() >= self.limits.changes {
            return;
        }
        let mut beginnings: Vec<(Program, Vec<Described>)> = Vec::new();
        // A finding that nothing removes may go with another one.
        for finding in findings.iter().take(FINDINGS) {
            for candidate in self.candidates(&program, finding).into_iter().take(FOR_ONE) {
                if self.is_over() {
                    return;
                }
                if let Some(left) = self.attempt(&candidate, finding, findings.len()) {
                    beginnings.push((candidate, left));
                }
            }
            if !beginnings.is_empty() || !self.out.offers.is_empty() {
                break;
            }
        }
        if !self.out.offers.is_empty() {
            return;
        }
        beginnings.sort_by_key(|(_, left)| left.len());
        for (program, left) in beginnings.into_iter().take(CONTINUED) {
            self.from(program, &left);
            if self.is_over() || !self.out.offers.is_empty() {
                return;
            }
        }
    }

    /// Tries a candidate. Returns the other findings if it removes the one that it is for.
    fn attempt(&mut self, candidate: &Program, finding: &Described, before: usize) -> Option<Vec<Described>> {
        let said = candidate.said();
        let seen = match self.trial.look(candidate) {
            Ok(seen) if seen.is_clean() => self.trial.examine(candidate),
            other => other,
        };
        let seen = match seen {
            Ok(seen) => seen,
            Err(Refused(why)) => {
                self.out.tried.push((said, why));
                return None;
            }
        };
        if seen.is_clean() {
            self.out.offers.push(Offer { program: candidate.clone(), seen });
            return None;
        }
        let remains = seen.findings.iter().any(|other| key(other) == key(finding));
        let why = match (seen.findings.first(), seen.doubts.first()) {
            _ if remains => "the finding remains".to_owned(),
            (Some(other), _) => format!("another finding is left: {}", other.title),
            (None, doubt) => doubt.cloned().unwrap_or_default(),
        };
        self.out.tried.push((said, why));
        let better = !remains && seen.doubts.is_empty() && seen.findings.len() <= before;
        better.then_some(seen.findings)
    }

    /// Returns the changes that may remove a finding, without repetitions.
    fn candidates(&self, program: &Program, finding: &Described) -> Vec<Program> {
        let mut out = Candidates::default();
        let advised = finding.advice.len();
        for (i, way) in finding.advice.iter().cloned().chain(others(finding)).enumerate() {
            let mut all = vec![program.clone()];
            for step in &way.steps {
                let mut next = Vec::new();
                for file in program::files(step) {
                    let made = |text: &Text| steps::changes(&file, text, step);
                    next.extend(all.iter().flat_map(|program| self.changed(program, &file, made)));
                }
                all = next;
            }
            // Without advice, only an update that loses nothing becomes atomic.
            out.extend(all.into_iter().filter(|program| i < advised || program.updates()));
        }
        let tasks = finding.accesses[0].kernel != finding.accesses[1].kernel;
        let spots = [0, 1].map(|i| spot(finding, i));
        let mut files: Vec<&String> = spots.iter().map(|spot| &spot.file).filter(|f| !f.is_empty()).collect();
        files.dedup();
        for file in files {
            let made = |text: &Text| steps::rearranged(file, text, &spots.each_ref(), tasks);
            out.extend(self.changed(program, file, made));
        }
        out.programs
    }

    /// Returns the program after each of the changes of a file.
    fn changed(&self, program: &Program, file: &str, made: impl Fn(&Text) -> Vec<Made>) -> Vec<Program> {
        let mut program = program.clone();
        let read = |file: &str| self.trial.read(file);
        let Some(text) = program.text(file, &read).cloned() else { return vec![] };
        made(&text).into_iter().map(|made| program.changed(file, made)).collect()
    }
}

/// Programs whose texts differ.
#[derive(Default)]
struct Candidates {
    programs: Vec<Program>,
    texts: Vec<String>,
}

impl Extend<Program> for Candidates {
    fn extend<I: IntoIterator<Item = Program>>(&mut self, more: I) {
        for program in more {
            let text: String = program.files().map(|(name, _, after)| format!("{name}\n{after}")).collect();
            if !text.is_empty() && !self.texts.contains(&text) {
                self.texts.push(text);
                self.programs.push(program);
            }
        }
    }
}

/// A side of a finding that stays the same when other lines change: kind, file, line and, without a line, the
/// instruction.
type Side<'f> = (&'f str, &'f str, u32, &'f str);

fn key(found: &Described) -> [Side<'_>; 2] {
    let mut sides = found.accesses.each_ref().map(side);
    sides.sort_unstable();
    sides
}

fn side(access: &Access) -> Side<'_> {
    let instruction = if access.line == 0 { access.instruction.as_str() } else { "" };
    (access.kind.as_str(), access.file.as_str(), access.line, instruction)
}

fn spot(finding: &Described, i: usize) -> Spot {
    Spot {
        role: if i == 0 { Role::First } else { Role::Second },
        file: finding.accesses[i].file.clone(),
        line: finding.accesses[i].line,
        branch: 0,
        instruction: finding.accesses[i].instruction.clone(),
    }
}

/// Returns ways that the advice does not have and that are cheap to try.
fn others(finding: &Described) -> Vec<Way> {
    let [a, b] = [spot(finding, 0), spot(finding, 1)];
    if a.instruction.is_empty() || b.instruction.is_empty() {
        return vec![];
    }
    let same_block = finding.accesses[0].block == finding.accesses[1].block;
    let barrier = |group| Step::InsertBarrier { group, at: Position::Between(a.clone(), b.clone()) };
    let rounds =
        Step::InsertBarrier { group: Group::Block, at: Position::BetweenRounds(a.clone(), b.clone()) };
    let split = Step::SplitStatement { group: Group::Block, at: a.clone() };
    let [first, second] = &finding.accesses;
    let one_launch =
        first.kernel == second.kernel && first.launched_by.is_none() && second.launched_by.is_none();
    let mut steps = Vec::new();
    if one_launch && same_block {
        steps.extend([barrier(Group::Warp), barrier(Group::Block), rounds, split]);
    }
    if one_launch && a.line == b.line && a.file == b.file {
        let reach = if same_block { Reach::Block } else { Reach::Device };
        steps.push(Step::MakeAtomic { reach, at: vec![a.clone()] });
    }
    steps.into_iter().map(|step| Way { steps: vec![step] }).collect()
}
