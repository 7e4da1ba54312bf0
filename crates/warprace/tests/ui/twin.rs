//! Checks that a report's advice agrees with the fixture's clean twin.
//!
//! The twin differs from the racy program by the fix only, so the changed lines must show the change that the
//! advice names: the call that it inserts, the scope that it widens, the line that it moves.

use crate::fixture::Fixture;
use report::advice::{
    Awaited, Group, MemoryOrder, Position, Reach, Scoped, Spot, Step, TaskOrder, Way, help,
};
use report::model::{Described, Document};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the errors in the advice on the fixture's races; empty if there are none.
pub(crate) fn agrees(fixture: &Fixture, document: &Document) -> String {
    if fixture.advice.is_some() {
        return String::new();
    }
    let path = fixture.path.to_string_lossy().replace(".race.cu", ".clean.cu");
    let Ok(twin) = std::fs::read_to_string(&path) else {
        return "  there is no clean twin, and no `//@ advice:` line says why\n".into();
    };
    let change = Change::between(&fixture.text, &twin);
    let mut wrong = String::new();
    for finding in document.races.iter().chain(&document.hazards) {
        if !finding.advice.iter().any(|way| change.makes(way)) {
            let _ = write!(wrong, "{}", disagreement(finding, &change));
        }
    }
    wrong
}

fn disagreement(finding: &Described, change: &Change) -> String {
    let mut out = format!("  the advice is not what the clean twin does: {}\n", help(&finding.advice));
    for (sign, lines) in [('-', &change.removed), ('+', &change.added)] {
        for line in lines {
            let _ = writeln!(out, "    {sign} {}", line.text);
        }
    }
    out
}

/// A line of a program, without comments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    number: u32,
    text: String,
}

/// The change from a racy program to its clean twin.
pub(crate) struct Change {
    removed: Vec<Line>,
    added: Vec<Line>,
    /// Words that occur more often than before, and words that occur less often.
    plus: Vec<String>,
    minus: Vec<String>,
}

impl Change {
    pub(crate) fn between(race: &str, clean: &str) -> Self {
        let (old, new) = (code(race), code(clean));
        // This computes the longest common subsequence from the end.
        let mut common = vec![vec![0u16; new.len() + 1]; old.len() + 1];
        for i in (0..old.len()).rev() {
            for j in (0..new.len()).rev() {
                common[i][j] = if old[i].text == new[j].text {
                    common[i + 1][j + 1] + 1
                } else {
                    common[i + 1][j].max(common[i][j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        while i < old.len() || j < new.len() {
            if i < old.len() && j < new.len() && old[i].text == new[j].text {
                (i, j) = (i + 1, j + 1);
            } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
                removed.push(old[i].clone());
                i += 1;
            } else {
                added.push(new[j].clone());
                j += 1;
            }
        }
        let mut balance: BTreeMap<String, i32> = BTreeMap::new();
        for (lines, sign) in [(&removed, -1), (&added, 1)] {
            for word in lines.iter().flat_map(|line| words(&line.text)) {
                *balance.entry(word).or_default() += sign;
            }
        }
        let of = |sign: i32| balance.iter().filter(move |(_, n)| n.signum() == sign).map(|(w, _)| w.clone());
        Change { plus: of(1).collect(), minus: of(-1).collect(), removed, added }
    }

    /// Returns whether the change shows all steps.
    fn makes(&self, way: &Way) -> bool {
        !way.steps.is_empty() && way.steps.iter().all(|step| self.shows(step))
    }

    fn shows(&self, step: &Step) -> bool {
        match step {
            Step::InsertBarrier { group, .. } => self.barrier(*group),
            Step::SplitStatement { group, .. } => self.barrier(*group),
            Step::InsertRoleBarrier { .. } | Step::HandOver { .. } => self.barrier(Group::Block),
            Step::ArriveByAll { .. } => self.changed_has("arrive"),
            Step::InsertFence { .. } => self.added_has(&["__threadfence", "_thread_fence", "fence."]),
            Step::WidenScope { what, reach, .. } => self.widens(*what, *reach),
            Step::Order { order, .. } => {
                let name = match order {
                    MemoryOrder::Release => "release",
                    MemoryOrder::Acquire => "acquire",
                };
                self.plus.iter().any(|w| w.contains(name) || w.contains("acq_rel"))
            }
            Step::MakeAtomic { at, .. } => {
                let atomic = ["atomic", "volatile", "load", "store", "fetch"];
                self.plus.iter().any(|w| atomic.iter().any(|a| w.starts_with(a))) && self.changes(at)
            }
            Step::UseOneSize { at } => self.changes(at) && !self.barrier(Group::Block),
            Step::Discard { .. } => !self.added.is_empty() && !self.synchronises(),
            // One of the two lines is moved behind the other, or the other one before it.
            Step::Move { what, to } => {
                let Position::After(spot) = to else { return false };
                self.moved().any(|line| line.number == what.line || line.number == spot.line)
            }
            Step::OneThread { .. } => self.plus.iter().any(|w| w == "if" || w == "threadIdx"),
            // Other indices, arrays or bounds: any change except synchronisation.
            Step::SeparateElements { .. } => !self.added.is_empty() && !self.synchronises(),
            Step::SplitKernel { .. } => self.added_has(&["__global__", "<<<"]),
            Step::WaitFor { what, .. } => self.waits(*what),
            Step::MeetAtOne { .. } => self.removed.iter().any(|line| line.text.contains("__syncthreads")),
            Step::NameLanes { at } => self.removed.iter().any(|line| line.number == at.line),
            Step::Initialize { .. } => !self.removed.is_empty() && !self.synchronises(),
            Step::ExpectBytes { .. } => self.added_has(&["expect_tx", "_tx("]),
            Step::TakeLock { at, .. } => {
                let touched = |line: &Line| at.iter().any(|spot| spot.line == line.number);
                let given_back = |line: &Line| line.text.contains("release") || line.text.contains("lock");
                self.added_has(&["lock", "mutex"])
                    || self.moved().any(|line| touched(line) || given_back(line))
            }
            Step::InsertProxyFence { proxy, .. } => {
                let (ptx, name) = (format!("fence.proxy.{proxy}"), format!("fence_proxy_{proxy}"));
                self.added_has(&[&ptx, &name])
            }
            Step::InsertProductFence { .. } => {
                self.added_has(&["wgmma.fence"]) || self.moved_has("wgmma.fence")
            }
            Step::OrderTensorMemory { gap, .. } => {
                let word = report::tensor::instruction(*gap);
                self.added_has(&[word]) || self.moved_has(word)
            }
            Step::OrderTasks { by, .. } => self.orders(*by),
        }
    }

    fn barrier(&self, group: Group) -> bool {
        let of_grid = ["grid.sync"];
        let of_cluster = ["cluster.sync", "barrier.cluster"];
        let of_block = ["__syncthreads", "block.sync", "bar.sync", "barrier", "await(", "arrive(", "wait("];
        let of_warp = ["__syncwarp", "tiled_partition"];
        let any = |lists: &[&[&str]]| lists.iter().any(|list| self.added_has(list));
        match group {
            Group::Warp => any(&[&of_warp, &of_block]),
            Group::Block => any(&[&of_block, &of_grid]),
            Group::Cluster => any(&[&of_cluster, &["wait("]]),
            Group::Grid => any(&[&of_grid]),
        }
    }

    fn widens(&self, what: Scoped, reach: Reach) -> bool {
        let fences = |w: &str| w.starts_with("__threadfence") || w.starts_with("fence");
        let fits = |w: &&String| match what {
            Scoped::Fence => fences(w) || w.contains("SCOPE") || w.contains("thread_scope"),
            Scoped::Atomic | Scoped::Flag => !fences(w),
            Scoped::Lock => true,
        };
        let widest = self.plus.iter().filter(fits).filter_map(|w| scope(w)).max();
        let narrowest = self.minus.iter().filter(fits).filter_map(|w| scope(w)).min();
        widest >= Some(rank(reach)) && narrowest < widest && narrowest.is_some()
    }

    fn waits(&self, what: Awaited) -> bool {
        match what {
            Awaited::PreviousKernel | Awaited::KernelBeforeTheOneBetween => {
                self.added_has(&["cudaGridDependencySynchronize", "griddepcontrol"])
            }
            Awaited::ProductGroup => {
                self.added_has(&["wgmma.wait_group"]) || self.moved_has("wgmma.wait_group")
            }
            Awaited::Commit => self.added_has(&["wait"]) || self.moved_has("wait"),
            Awaited::BulkGroup | Awaited::BulkGroupRead => {
                self.added_has(&["bulk.wait_group", "_wait_group"])
                    || self.moved_has("wait_group")
                    || self.removed.iter().any(|l| l.text.contains("wait_group.read"))
            }
            // The wait is later than it was, or has another count.
            Awaited::Copy | Awaited::Transaction | Awaited::Barrier | Awaited::Users => {
                self.added_has(&["wait", "round-trip"]) || self.moved_any()
            }
        }
    }

    fn orders(&self, by: TaskOrder) -> bool {
        match by {
            // The call names another stream than before, or the stream is created in another way.
            TaskOrder::SameStream => self.added_has(&["tream", "<<<", "(work", "(other", ", work", "launch"]),
            TaskOrder::Event => self.added_has(&["cudaEventRecord", "cudaStreamWaitEvent"]),
            TaskOrder::Synchronise => self.added_has(&["Synchronize", "cudaStreamQuery", "cudaEventQuery"]),
            TaskOrder::BeforeLaunch => self.moved_any() || self.added_has(&["__syncthreads"]),
            TaskOrder::TailLaunch => self.added_has(&["cudaStreamTailLaunch"]),
            TaskOrder::GraphEdge => self.added_has(&[
                "cudaEventRecord",
                "cudaStreamWaitEvent",
                "cudaGraphAdd",
                "ependenc",
                "kernel(graph",
            ]),
        }
    }

    fn synchronises(&self) -> bool {
        let words = ["__sync", "fence", "atomic", "barrier", "wait", "Synchronize", "Event", "sync"];
        self.plus.iter().any(|w| words.iter().any(|s| w.contains(s)))
    }

    /// Returns whether a line at one of the spots was rewritten.
    fn changes(&self, at: &[Spot]) -> bool {
        at.iter().any(|spot| self.removed.iter().any(|line| line.number == spot.line))
    }

    fn added_has(&self, texts: &[&str]) -> bool {
        self.added.iter().any(|line| texts.iter().any(|t| line.has(t)))
    }

    fn changed_has(&self, text: &str) -> bool {
        self.removed.iter().chain(&self.added).any(|line| line.text.to_lowercase().contains(text))
    }

    fn moved(&self) -> impl Iterator<Item = &Line> {
        self.removed.iter().filter(|old| self.added.iter().any(|new| new.text == old.text))
    }

    fn moved_any(&self) -> bool {
        self.moved().next().is_some()
    }

    fn moved_has(&self, text: &str) -> bool {
        self.moved().any(|line| line.has(text))
    }
}

impl Line {
    /// Returns whether the line contains the text, or a macro of the fixtures' headers whose body does.
    fn has(&self, text: &str) -> bool {
        let named = |name: &str| {
            self.text
                .match_indices(name)
                .any(|(at, _)| !self.text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        self.text.contains(text)
            || MACROS.lines().any(|line| {
                let definition = line.strip_prefix("#define ").and_then(|rest| rest.split_once('('));
                definition.is_some_and(|(name, body)| body.contains(text) && named(&format!("{name}(")))
            })
    }
}

/// The header whose macros stand for instructions of tensor memory.
const MACROS: &str = include_str!("../../../../tests/ui/support/tcgen05.h");

/// Returns the lines that hold code.
fn code(text: &str) -> Vec<Line> {
    let lines = text.lines().enumerate().map(|(i, line)| {
        let text = line.split("//").next().unwrap_or("").trim().to_owned();
        Line { number: i as u32 + 1, text }
    });
    lines.filter(|line| !line.text.is_empty()).collect()
}

/// Returns names and PTX mnemonics.
fn words(line: &str) -> impl Iterator<Item = String> + '_ {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    line.split(move |c| !part(c)).map(|w| w.trim_matches('.').to_owned()).filter(|w| !w.is_empty())
}

fn rank(reach: Reach) -> u8 {
    match reach {
        Reach::Block => 1,
        Reach::Cluster => 2,
        Reach::Device => 3,
        Reach::System => 4,
    }
}

/// Returns the scope that a word of CUDA or PTX names.
fn scope(word: &str) -> Option<u8> {
    let has = |part: &str| part.strip_prefix('.').is_some_and(|part| word.split('.').any(|w| w == part));
    let ends = |ends: &[&str]| ends.iter().any(|e| word.ends_with(e) || has(e));
    let scoped = word.contains("fence")
        || word.contains("scope")
        || word.contains("SCOPE")
        || word.starts_with("atomic")
        || word.contains('.');
    match () {
        () if !scoped => None,
        () if ends(&["_block", "_BLOCK", ".cta"]) => Some(1),
        () if ends(&[".cluster", "_CLUSTER"]) => Some(2),
        () if ends(&["_system", "_SYSTEM", "_SYSTM", ".sys"]) => Some(4),
        () if ends(&["_device", "_DEVICE", ".gpu", "__threadfence"]) => Some(3),
        () if word.starts_with("atomic") && !word.contains("ref") => Some(3),
        () => None,
    }
}
