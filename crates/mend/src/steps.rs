//! Applies a step of advice to a CUDA source, and states the same change for PTX.

mod atomic;
mod met;
mod moved;
mod private;
mod slimmer;
mod tasks;
mod words;

pub use slimmer::{narrowed, removed};

use crate::change::{Call, Edit};
use crate::text::Text;
use report::advice::{Awaited, Group, Position, Role, Spot, Step};

/// One change that a step may mean.
#[derive(Clone, Debug)]
pub struct Made {
    /// The change in words.
    pub said: String,
    pub text: Text,
    /// The same change of the device code; `None` if only a compiler can make it.
    pub edits: Option<Vec<Edit>>,
}

/// A text and the name of its file in line tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'t> {
    pub(crate) file: &'t str,
    pub(crate) text: &'t Text,
}

/// Returns the changes that a step may mean in the file's text, the most probable first; none if the step
/// requires an understanding of the program.
pub fn changes(file: &str, text: &Text, step: &Step) -> Vec<Made> {
    let source = Source { file, text };
    match step {
        Step::InsertBarrier { group, at } => Call::barrier(*group).map_or_else(Vec::new, |call| {
            let mut out = source.each(source.places(at), call);
            out.extend(source.braced(at, call));
            out
        }),
        Step::InsertFence { reach, at } => source.each(source.places(at), Call::Fence(*reach)),
        Step::WidenScope { reach, at, .. } => words::widened(source, at, *reach),
        Step::Order { order, at, .. } => words::ordered(source, at, *order),
        Step::MakeAtomic { at, .. } => atomic::made(source, at),
        Step::Move { what, to } => moved::to(source, what, to),
        Step::OneThread { group, at } => source.one_thread(*group, at),
        Step::WaitFor { what, at } => source.wait(*what, at),
        Step::TakeLock { at, .. } => source.locked(at),
        Step::InsertProxyFence { at, .. } => source.each(source.places(at), Call::AsyncProxy),
        Step::InsertProductFence { at } => source.each(source.places(at), Call::ProductFence),
        Step::OrderTensorMemory { gap, at } => {
            Call::tensor(*gap).map_or_else(Vec::new, |call| source.each(source.places(at), call))
        }
        Step::OrderTasks { by, at } => tasks::ordered(source, *by, at),
        Step::SplitStatement { group, at } => {
            Call::barrier(*group).map_or_else(Vec::new, |call| source.split(at, call))
        }
        Step::MeetAtOne { at } => met::at_one(source, at),
        Step::NameLanes { at } => met::lanes(source, at).into_iter().collect(),
        Step::UseOneSize { at } => met::one_size(source, at),
        Step::SeparateElements { at, .. } => private::copy(source, at).into_iter().collect(),
        Step::InsertRoleBarrier { .. }
        | Step::HandOver { .. }
        | Step::ArriveByAll { .. }
        | Step::Discard { .. }
        | Step::SplitKernel { .. }
        | Step::Initialize { .. }
        | Step::ExpectBytes { .. } => vec![],
    }
}

/// Returns changes that no step names: statements moved across each other, waits that wait for more and, if
/// the accesses are of several tasks, launches in another order.
pub(crate) fn rearranged(file: &str, text: &Text, spots: &[&Spot], tasks: bool) -> Vec<Made> {
    let source = Source { file, text };
    let mut out: Vec<Made> = spots.iter().flat_map(|spot| met::for_all_groups(source, spot)).collect();
    out.extend(moved::across(source, spots));
    out.extend(tasks::awaited(source));
    if tasks {
        out.extend(tasks::rearranged(source));
    }
    out
}

impl Source<'_> {
    /// Returns the current index of a spot's line, if the spot is in this file.
    pub(crate) fn of(&self, spot: &Spot) -> Option<usize> {
        self.text
            .at(spot.line)
            .filter(|_| [&spot.file[..], self.file].contains(&"") || spot.file == self.file)
    }

    fn places(&self, position: &Position) -> Vec<usize> {
        let text = self.text;
        match position {
            Position::Between(a, b) => match (self.of(a), self.of(b)) {
                (Some(a), Some(b)) if a == b => [text.rounds(a), text.ahead(a)].concat(),
                (Some(a), Some(b)) => text.between(a, b),
                (Some(a), None) => text.rounds(a),
                (None, Some(b)) => text.ahead(b),
                (None, None) => vec![],
            },
            Position::BetweenRounds(a, b) => match (self.of(a), self.of(b)) {
                (Some(a), Some(b)) => [text.rounds(a.max(b)), text.ahead(a.min(b))].concat(),
                (Some(a), None) | (None, Some(a)) => [text.rounds(a), text.ahead(a)].concat(),
                (None, None) => vec![],
            },
            Position::Before(a) => self.of(a).map_or_else(Vec::new, |at| text.ahead(at)),
            Position::After(a) => self.of(a).map_or_else(Vec::new, |at| {
                let mut out = vec![text.behind(at)];
                // A true condition means that the flag was seen.
                if text.code(at).ends_with('{') {
                    out.push(at + 1);
                }
                out
            }),
        }
    }

    /// Returns a change for each place, with a statement inserted there.
    pub(crate) fn each(&self, mut places: Vec<usize>, call: Call) -> Vec<Made> {
        let mut seen = Vec::new();
        places.retain(|at| {
            let new = !seen.contains(at) && self.text.region(*at).is_some();
            seen.push(*at);
            new
        });
        places.into_iter().filter_map(|at| self.inserted(at, call)).collect()
    }

    /// Puts a statement at the end of a loop's body that has no braces.
    fn braced(&self, position: &Position, call: Call) -> Option<Made> {
        let (Position::Between(spot, _) | Position::BetweenRounds(spot, _)) = position else { return None };
        let (text, region) = self.text.braced(self.of(spot)?, call.source())?;
        let said = format!("`{}` at the end of the loop before line {}", call.source(), region.before);
        let edit = Edit::Insert { file: self.file.to_owned(), region, call };
        let edits = call.ptx().map(|_| vec![edit]);
        Some(Made { said, text, edits })
    }

    fn inserted(&self, at: usize, call: Call) -> Option<Made> {
        let region = self.text.region(at)?;
        let said = format!("`{}` before line {}", call.source(), region.before);
        let edit = Edit::Insert { file: self.file.to_owned(), region, call };
        let edits = call.ptx().map(|_| vec![edit]);
        Some(Made { said, text: self.text.insert(at, call.source()), edits })
    }

    fn one_thread(&self, group: Group, at: &Spot) -> Vec<Made> {
        let index = if group == Group::Warp { "threadIdx.x % 32" } else { "threadIdx.x" };
        let Some(at) = self.of(at).filter(|&at| self.text.code(at).ends_with(';')) else { return vec![] };
        let code = format!("if ({index} == 0) {}", self.text.code(at));
        let said = format!("line {} by one thread only", self.text.line(at).number);
        vec![Made { said, text: self.text.replace(at, &code), edits: None }]
    }

    /// Moves a wait of the program to an earlier place, or inserts one.
    fn wait(&self, what: Awaited, at: &Position) -> Vec<Made> {
        let call = match what {
            Awaited::Copy => Some(Call::Copies),
            Awaited::BulkGroup => Some(Call::BulkGroups),
            Awaited::BulkGroupRead => Some(Call::BulkReads),
            Awaited::PreviousKernel => Some(Call::PreviousKernel),
            // A barrier that all threads pass is a barrier, too, for the users of a buffer.
            Awaited::Users => Some(Call::Block),
            Awaited::ProductGroup => Some(Call::Products),
            Awaited::Commit
            | Awaited::Transaction
            | Awaited::Barrier
            | Awaited::KernelBeforeTheOneBetween => None,
        };
        let text = self.text;
        let mut out = call.map_or_else(Vec::new, |call| self.each(self.places(at), call));
        let waits = (0..text.len()).filter(|&i| {
            let code = text.code(i);
            (code.contains("wait") || code.contains("await"))
                && code.ends_with(';')
                && text.region(i).is_some()
        });
        let places = self.places(at);
        out.extend(waits.flat_map(|i| places.iter().map(move |&to| moved::line(*self, i, to))));
        out
    }

    /// Puts lines between calls of the program's own `lock` and `unlock`.
    fn locked(&self, at: &[Spot]) -> Vec<Made> {
        let text = self.text;
        let call = |name: &str| {
            let begin = format!("{name}(");
            (0..text.len()).map(|i| text.code(i)).find(|l| l.starts_with(&begin) && l.ends_with(");"))
        };
        let (Some(lock), Some(unlock)) = (call("lock"), call("unlock")) else { return vec![] };
        let under = |i: usize| {
            let said = format!("line {} under the lock", text.line(i).number);
            Made { said, text: text.insert(text.behind(i), unlock).insert(i, lock), edits: None }
        };
        at.iter().filter_map(|spot| self.of(spot)).map(under).collect()
    }

    /// Computes the new value of a statement, meets at a barrier, then stores it.
    fn split(&self, at: &Spot, call: Call) -> Vec<Made> {
        let text = self.text;
        let Some(at) = self.of(at).filter(|&at| text.begins(at)) else { return vec![] };
        let Some(statement) = text.code(at).strip_suffix(';') else { return vec![] };
        let Some(assignment) = atomic::Assignment::parse(statement) else { return vec![] };
        let Some(region) = text.region(at).filter(|_| assignment.lead.is_empty()) else { return vec![] };
        let place = assignment.place;
        let value = match assignment.operator {
            "" => assignment.value.to_owned(),
            operator => format!("{place} {operator} ({})", assignment.value),
        };
        let all = text.to_string();
        let name = ["value", "next", "new_value", "next_value"].iter().find(|name| !all.contains(**name));
        let Some(name) = name else { return vec![] };
        let changed = text
            .replace(at, &format!("{place} = {name};"))
            .insert(at, call.source())
            .insert(at, &format!("auto {name} = {value};"));
        let line = text.line(at).number;
        let edit = Edit::Split { file: self.file.to_owned(), function: region.function, line, call };
        let said = format!("`{}` between the reads and the write of line {line}", call.source());
        vec![Made { said, text: changed, edits: call.ptx().map(|_| vec![edit]) }]
    }
}

/// Returns a spot for a line of a file.
pub fn spot(file: &str, line: u32, role: Role) -> Spot {
    Spot { role, file: file.to_owned(), line, branch: 0, instruction: String::new() }
}
