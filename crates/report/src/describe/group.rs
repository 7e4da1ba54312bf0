//! One finding for one pair of statements.
//!
//! Detectors tell pairs of instructions apart; unrolled loops, inlined copies and instances of templates give a
//! pair of statements many of them, and one mistake may let threads race that are near each other and far
//! apart, which are different classes. A reader wants one finding, with the widest cause first, and the rest
//! counted and kept as [members](Member).
//!
//! A *statement* is a line of source (nvcc's columns do not tell those of one line apart). Without lines it is the
//! accesses of one function, of one kind and size, to one variable or allocation.

use super::Context;
use crate::advice::{self, Way};
use crate::attribute::user_frame;
use crate::model::{Described, Member};
use events::finding::{Actor, Apart, remedy};
use events::{AccessKind, Class, Evidence, Finding, Level, Side, Site, Space, SyncNote};
use names::symbol;
use std::collections::{BTreeSet, HashMap};

/// The properties that findings of one group have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    lens: String,
    level: Level,
    /// `None` inside a launch; between tasks each class has its own remedy.
    between: Option<Class>,
    shared: bool,
    /// In a fixed order.
    sides: [Statement; 2],
}

/// A source position that a reader takes for one statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Statement {
    Line { file: String, line: u32 },
    Code { function: String, kind: &'static str, size: u32, memory: String },
    Call { api: String, function: String },
}

/// A finding with its group.
#[derive(Debug)]
pub(super) struct Keyed {
    pub(super) key: Key,
    /// The part of the identity that does not change when lines are added elsewhere, or memory lies
    /// elsewhere.
    pub(super) lasting: String,
    pub(super) part: Part,
}

/// A finding of a group, and what decides how it is mended.
#[derive(Debug)]
pub(super) struct Part {
    described: Described,
    /// How far apart the threads are that have to meet.
    apart: Apart,
    /// An asynchronous copy comes first.
    copied_first: bool,
    /// The program means the copy to come first, as far as its text says so.
    copy_is_meant_first: bool,
    /// A third thread signals or waits in the place of one side's.
    by_another: bool,
}

/// The lines of each function that access memory or synchronise, in order.
pub(super) type Lines = HashMap<(String, String), BTreeSet<u32>>;

impl Context<'_> {
    /// The group of a finding that has been described.
    pub(super) fn keyed(&self, f: &Finding, described: Described) -> Keyed {
        let mut sides = [0, 1].map(|i| self.statement(&f.sides[i], &described));
        let mut lasting = [0, 1].map(|i| self.lasting(&f.sides[i], &sides[i]));
        sides.sort();
        lasting.sort();
        let between = (f.sides[0].task != f.sides[1].task).then_some(f.class);
        let shared = matches!(f.space, Space::Shared(_));
        let lasting = format!("{:?} {between:?} {shared} {}", f.level, lasting.join(" "));
        Keyed {
            key: Key { lens: f.lens.clone(), level: f.level, between, shared, sides },
            lasting,
            part: Part {
                described,
                apart: f.apart(),
                copied_first: remedy(f.class, &f.sides, &f.notes).1,
                copy_is_meant_first: f.class == Class::AsyncCopy && self.copy_is_meant_first(f),
                by_another: f.notes.iter().any(is_by_another),
            },
        }
    }

    /// Whether what is missing belongs behind the copy, and not before the copy of the next round of a loop. That is the
    /// place between the two instructions with no barrier of the block in the text.
    fn copy_is_meant_first(&self, f: &Finding) -> bool {
        let [Some(a), Some(b)] = f.sides.each_ref().map(|side| self.site(side.site)) else { return true };
        let (from, to) = (a.ptx_line.min(b.ptx_line), a.ptx_line.max(b.ptx_line));
        let meets = |text: &str| {
            ["bar.sync", "bar.red", "barrier.sync", "barrier.red"].iter().any(|m| text.starts_with(m))
        };
        let between = |site: &Site| {
            site.function == a.function && (from..to).contains(&site.ptx_line) && meets(&site.text)
        };
        let barrier = self.result.sites.iter().any(|(_, site)| between(site));
        let copied_first = remedy(f.class, &f.sides, &f.notes).1;
        let copy = if copied_first { a } else { b };
        (copy.ptx_line == from) != barrier
    }

    fn statement(&self, side: &Side, described: &Described) -> Statement {
        let site = self.site_of(side);
        let function = || site.map_or_else(String::new, |s| s.function.clone());
        match (site.and_then(user_frame), side.who) {
            (Some(frame), _) => Statement::Line { file: frame.file.clone(), line: frame.line },
            (None, Actor::Thread { .. }) => Statement::Code {
                function: function(),
                kind: kind(side.kind),
                size: side.size,
                memory: described.memory.text.clone(),
            },
            (None, _) => Statement::Call { api: self.api(side), function: function() },
        }
    }

    /// A statement by what lasts: its function, and which of its lines it is, counted among those that matter.
    fn lasting(&self, side: &Side, statement: &Statement) -> String {
        match (statement, side.who) {
            (Statement::Line { file, line }, Actor::Thread { .. }) => {
                let function = self.site_of(side).and_then(user_frame).map_or("", |frame| &frame.function);
                let function = symbol::base(function);
                let lines = self.lines.get_or_init(|| self.lines());
                let of = lines.get(&(file.clone(), function.clone()));
                format!("{function}#{}", of.map_or(0, |lines| lines.range(..line).count()))
            }
            (Statement::Line { .. }, _) => {
                let function = self.site_of(side).and_then(user_frame).map_or("", |frame| &frame.function);
                format!("{}@{}", symbol::base(function), self.api(side))
            }
            (Statement::Code { function, kind, size, memory }, _) => {
                format!("{} {kind} {size} {memory}", symbol::base(function))
            }
            (Statement::Call { api, function }, _) => {
                let function = function.split('+').next().unwrap_or(function);
                format!("{}@{api}", symbol::base(function))
            }
        }
    }

    fn lines(&self) -> Lines {
        let mut lines = Lines::new();
        for frame in self.result.sites.iter().filter_map(|(_, site)| user_frame(site)) {
            let function = (frame.file.clone(), symbol::base(&frame.function));
            lines.entry(function).or_default().insert(frame.line);
        }
        lines
    }

    fn api(&self, side: &Side) -> String {
        self.tasks.get(&side.task).map_or_else(String::new, |task| task.call.api.clone())
    }
}

const fn kind(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read | AccessKind::AsyncRead { .. } => "read",
        AccessKind::Write | AccessKind::AsyncWrite { .. } => "write",
        AccessKind::Atomic { .. } => "atomic",
    }
}

/// Puts findings of one key together, adding their counts. Keeps the order of first appearance.
pub(super) fn by_statement(all: Vec<Keyed>) -> Vec<Described> {
    let mut groups: Vec<(Key, String, Vec<Part>)> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    for Keyed { key, lasting, part } in all {
        match known.get(&key) {
            Some(&at) => groups[at].2.push(part),
            None => {
                known.insert(key.clone(), groups.len());
                groups.push((key, lasting, vec![part]));
            }
        }
    }
    hazards_into_races(&mut groups, &known);
    let ids = identities(&groups);
    let of_group = |((_, _, members), id)| Described { id, ..together(members) };
    groups.into_iter().zip(ids).filter(|((_, _, members), _)| !members.is_empty()).map(of_group).collect()
}

/// A pair of statements that races is one finding: its hazards become members of the race.
fn hazards_into_races(groups: &mut [(Key, String, Vec<Part>)], known: &HashMap<Key, usize>) {
    for at in 0..groups.len() {
        let key = Key { level: Level::Race, ..groups[at].0.clone() };
        if groups[at].0.level == Level::Hazard
            && let Some(&race) = known.get(&key)
        {
            let hazards = std::mem::take(&mut groups[at].2);
            groups[race].2.extend(hazards);
        }
    }
}

/// Whether a third thread signals or waits in the place of one side's.
fn is_by_another(note: &SyncNote) -> bool {
    matches!(
        note,
        SyncNote::SetByAnother { .. }
            | SyncNote::ReadByAnother { .. }
            | SyncNote::ArrivedByAnother { .. }
            | SyncNote::WaitedByAnother { .. }
    )
}

/// One finding for its members, of which there is at least one.
fn together(mut members: Vec<Part>) -> Described {
    // Threads of these have met at no flag: fences at one that other threads met at by chance (the counter of a work list)
    // mend nothing. Lanes of a warp are not asked about flags.
    let met_nowhere =
        |p: &Part| matches!(p.described.class, Class::InterBlock | Class::MissingBarrier) && !p.by_another;
    let by_chance = members.iter().any(met_nowhere);
    let cause = |part: &Part| match part.described.class {
        Class::FenceScope | Class::MissingFence if by_chance => 0,
        Class::MissingBarrier | Class::DivergentWarp if part.by_another => rank(Class::MissingFence),
        class => rank(class),
    };
    let weight = |p: &Part| {
        let race = p.described.level.0 == Level::Race;
        (race, cause(p), p.apart, p.described.evidence == Evidence::Observed)
    };
    let first = (0..members.len()).rev().max_by_key(|&i| weight(&members[i])).unwrap_or(0);
    let mut shown = members.remove(first);
    if let Some(ways) = for_all(&mut shown, &mut members, by_chance) {
        shown.described.advice = ways;
        let dialect = crate::dialect::Dialect::of(&shown.described.accesses);
        shown.described.fix = dialect.advice(advice::help(&shown.described.advice), &shown.described.space);
    }
    let mut shown = shown.described;
    for Part { described: member, .. } in members {
        shown.count = shown.count.saturating_add(member.count);
        let new: Vec<_> = member.schedules.into_iter().filter(|s| !shown.schedules.contains(s)).collect();
        shown.schedules.extend(new);
        let Described { class, count, memory, accesses, .. } = member;
        shown.also.push(Member { class, count, memory: memory.text, accesses });
    }
    shown
}

/// The ways that mend all pairs of a group, if what mends the one that is shown does not.
///
/// A buffer whose next copy starts too early is read beside that copy, too, before or behind its start, and so is one whose
/// readers do not wait for the copy. The text decides which pair is shown; a wait for the copy is missing for sure if its own
/// thread reads beside it.
fn for_all(shown: &mut Part, members: &mut [Part], by_chance: bool) -> Option<Vec<Way>> {
    if shown.described.class == Class::AsyncCopy {
        let widest = |p: &&mut Part| (p.apart, p.described.evidence == Evidence::Observed);
        let other = members.iter_mut().rev().filter(|p| p.copied_first != shown.copied_first);
        let other = other.max_by_key(widest)?;
        if shown.copied_first != shown.copy_is_meant_first {
            std::mem::swap(shown, other);
        }
        let mut first = shown.described.advice.first()?.clone();
        let mut ways = shown.described.advice.clone();
        let own = members.iter().find(|p| p.copied_first && p.apart == Apart::OneThread);
        if let Some(way) = own.and_then(|own| own.described.advice.first()) {
            first = advice::both(&first, way, !shown.copied_first);
            ways = vec![first.clone()];
        }
        let others = members.iter().rev().filter(|p| p.copied_first != shown.copied_first);
        let way = others.max_by_key(|p| p.apart)?.described.advice.first()?;
        let both = advice::both(&first, way, true);
        if !ways.contains(&both) {
            ways.push(both);
        }
        return Some(ways);
    }
    // A flag that another thread sets, and no fence before it: both are needed.
    let kind = |p: &Part| match p.described.class {
        Class::MissingFence if !by_chance => Some(false),
        _ => p.by_another.then_some(true),
    };
    let own = kind(shown)?;
    let other = members.iter().rev().filter(|p| kind(p) == Some(!own)).max_by_key(|p| p.apart)?;
    Some(vec![advice::both(shown.described.advice.first()?, other.described.advice.first()?, false)])
}

/// Returns a lasting name for each group. Equal names are numbered in the order of the text.
fn identities(groups: &[(Key, String, Vec<Part>)]) -> Vec<String> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&i| (&groups[i].1, &groups[i].0.sides));
    let mut out = vec![String::new(); groups.len()];
    let mut number = 0;
    for (n, &i) in order.iter().enumerate() {
        let again = n > 0 && groups[order[n - 1]].1 == groups[i].1;
        number = if again { number + 1 } else { 1 };
        let hash = fnv(&groups[i].1);
        out[i] = if again { format!("{hash:016x}-{number}") } else { format!("{hash:016x}") };
    }
    out
}

/// FNV-1a: does not change between versions of the compiler or of this program.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns the class of a group. Causes come before what they lead to: a lock's missing fence lets threads of
/// one warp race, too. What is wider comes first: its remedy mends the narrower.
const fn rank(class: Class) -> u8 {
    match class {
        Class::LockScope => 19,
        Class::FenceScope => 18,
        Class::MissingFence => 17,
        Class::LockWrong => 16,
        Class::LockMissing => 15,
        Class::AtomicScope => 14,
        Class::MixedSize => 13,
        Class::WeakVsAtomic => 12,
        Class::Proxy => 11,
        Class::AsyncCopy => 10,
        Class::MultiGpu => 9,
        Class::InterKernel => 8,
        Class::MemcpyAsync => 7,
        Class::HostDevice => 6,
        Class::ClusterDsmem => 5,
        Class::InterBlock => 4,
        Class::MissingBarrier => 3,
        Class::DivergentWarp => 2,
        Class::SameInstruction => 1,
        // Hazards of other kinds, which no pair of accesses has.
        Class::DivergentBarrier => 0,
        Class::MaskWithoutCaller => 0,
        Class::UninitializedRead => 0,
        // No memory is common to these and others.
        Class::WgmmaRegisters => 0,
        Class::TensorMemory => 0,
        // The distance of the two sides is unknown.
        Class::ClobberedRead | Class::LostUpdate | Class::VolatileWarp => 0,
    }
}
