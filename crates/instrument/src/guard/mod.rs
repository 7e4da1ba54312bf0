//! Kernels that keep, for memory that they access, who accessed it last, and compare.
//!
//! Source: Kamath and Basu, "iGUARD: In-GPU Advanced Race Detection", SOSP 2021: metadata beside the memory, kept by the
//! threads themselves, with a thread's barrier counts as its time (§4, §5). What follows is extended by a clock of
//! releases, which takes the place of the paper's fence counters and lock tables.
//!
//! A thread counts the block's barriers and its warp's that it has passed. A clock counts releases, of fences and of
//! strong operations, by anybody; a thread remembers what it was when the thread last acquired or passed any
//! barrier. In kernels where nothing but these barriers acquires nobody looks at it, but when a launch begins. An access finds the
//! last write to its word, and a write two reads, in a table, and races with one of another thread if
//!
//! * they share a byte, at least one writes, and they are not both strong, of the same bytes, with scopes that include each other;
//! * in one block, both threads have passed the same number of barriers, in one warp of its barriers, too, and may have met at no other barrier;
//! * nobody has released anything between that access and this thread's last acquire; of another block, that one has released nothing by a scope wider than
//!   a block since, or nothing that the thread of that access may have told, or this thread's has acquired nothing so, or by flags alone that tell of other blocks ([`flags`]), and no launch has begun in between;
//! * in another launch, the host has not ordered that one before this one;
//! * if one is weak and the other strong, the weak one's thread has not read the word strongly before, and if they are strong, but of other
//!   bytes, neither thread has: it may have seen what the other did. (That a race is found does not depend on who came first to the table, which need not be the order of the accesses.)
//!
//! # Guarantee
//!
//! What is reported is a data race by PTX §8.7.1: order between two threads needs a barrier of both, or a release after the
//! first access and an acquire before the second, and all of these are counted wherever they are. The contrary is not
//! true, and races are missed
//!
//! * within a block when somebody released anything in between, though not for these two threads; between blocks when the one has told others of something and these, by a
//!   chain of flags, this one, though of something older or not by these threads;
//! * of accesses that others have pushed out of the table, and of words that many access at once;
//! * within a block between threads that may have met, or one of which has acquired anything, since the first access, by barriers with names or of some lanes ([`meetings`]), which count as
//!   releases to all who may have met there at any time;
//! * with copies that others wait for, that are too many, or that functions start (`copies`, `bulk`), textures and surfaces
//!   (of copies and memsets ranges of memory are looked at, [`ranges`]; what the host accesses is held against the table by the host, [`found`]);
//! * with launches that are told nothing ([`launches`]), such as those of graphs, or of which that is not known any more;
//! * in functions that others bring, or may call: a call of one that may synchronise counts as a release of all before it, and an acquire of all behind it (`called`).

mod access;
mod bulk;
mod called;
pub mod chain;
mod copies;
mod done;
mod early;
mod emit;
mod flags;
pub mod found;
mod known;
pub mod launches;
mod meetings;
mod order;
mod pending;
mod place;
pub mod ranges;
mod runtime;
mod thread;
mod tiles;
mod told;
mod waits;

use crate::collide::{Check, KINDS, Kernel, Unchecked, suitable};
use crate::edit::Edits;
use crate::prune::{Pruned, Why, prune};
use crate::sample::Blocks;
use crate::sink::RECORD;
use crate::{Error, PREFIX};
use access::accesses;
use bulk::{Bulk, Bulks};
use called::Calls;
use events::SiteTable;
use kernels::effects::{Control, Order, Place, Touch, effects};
use kernels::sites::Sites;
use known::Known;
use launches::{Early, Launched};
use order::{is_partial, known, meets_others, order};
use ptx::ast::{Function, FunctionKind, Item, Module};
use ptx::flat::{Flat, FlatInstruction, flatten};
use ptx::lines::{FunctionLines, LineTable};
use ptx::op::{Fence, MemSpace, Op, Scope, Sem};
use ptx::position::LineIndex;
use std::collections::BTreeMap;
use tiles::Still;

/// Fewest lines of a table, as a power of two; as many as the virtual GPU has.
pub const FEWEST: u32 = runtime::FEWEST;
/// Most, with which it is 12 GiB.
pub const MOST: u32 = FEWEST + 6;

/// Where a table has the last launches of which the host says nothing, and how many bytes of it: what is not zero there, but
/// all bits, is none.
pub const LAUNCHES: (u64, u64) = (runtime::STARTED + 8 * launches::LANES as u64, 8 * launches::LANES as u64);

/// Where it has, for each lane, what the clock was when its last launch began, and which that was.
pub const STARTED: u64 = runtime::STARTED;

/// Bytes of a table with 2^`lines` lines. They begin as zeros.
pub const fn table_bytes(lines: u32) -> u64 {
    runtime::HEADER + (runtime::LINE << lines)
}

/// Where the sink is told, by a `u32` that is not 0, that the clock has come to its end: behind all records.
pub const ENDED: u64 = CHECKS as u64 * KINDS as u64 * RECORD;
/// Bytes of a sink.
pub const SINK_BYTES: u64 = ENDED + RECORD;
/// Most checks of a process, in all of its modules.
pub const CHECKS: u32 = runtime::CHECKS;

/// What to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where the records are, see [`crate::sink`].
    pub sink: u64,
    /// Where the table is, a multiple of 16 (`None`: each launch is told, since it may be on any device; 0 is none), and its lines,
    /// from [`FEWEST`] to [`MOST`].
    pub table: Option<u64>,
    pub lines: u32,
    /// May 16 bytes be exchanged, if the text's target can?
    pub exchange: bool,
    /// Does the host tell launches which they are, by one more parameter ([`launches`])?
    pub told: bool,
    /// The number of this module's first check.
    pub first_check: u32,
    /// Leave out what [`crate::prune`] says, and look at a sample of what large launches do ([`Guarded`])? Otherwise
    /// everything is looked at.
    pub prune: bool,
}

/// An instrumented module.
///
/// Of large launches it looks at a sample, chosen so that it has both sides of a race, or none: of global memory at some
/// pieces of 512 bytes, others in each launch, from 2^17 threads on ever fewer, down to one of 32; of shared memory at
/// some blocks ([`BLOCKS`]), and there at the first 32 intervals between barriers and one of 16 of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarded {
    pub text: String,
    pub checks: Vec<Check>,
    pub kernels: Vec<Kernel>,
    /// How many instructions that access shared or global memory have no check.
    pub unchecked: BTreeMap<Unchecked, u32>,
    pub pruned: Pruned,
    /// Kernels that have one parameter more than before.
    pub launched: BTreeMap<String, Launched>,
    /// Kernels that were wanted and are left as they are, and why.
    pub left_out: Vec<(String, &'static str)>,
}

/// The blocks whose shared memory is looked at.
pub const BLOCKS: Blocks = Blocks { first: 64, one_of: 16 };

/// Why kernels are left as they are.
const UNTOLD: &str = "it has so many parameters that it cannot be told of which device it is";

/// Instruments a module, as [`crate::collide::collide`] does.
pub fn guard(
    text: &str,
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Guarded, Error> {
    let module = suitable(text)?;
    let mut edits = Edits::new(text);
    let mut out = into(&module, text, options, sites, wanted, &mut edits)?;
    out.text = edits.finish();
    Ok(out)
}

/// As [`guard`], but for the text, which is made of `edits`.
pub(crate) fn into(
    module: &Module,
    text: &str,
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
    edits: &mut Edits<'_>,
) -> Result<Guarded, Error> {
    let index = LineIndex::new(text);
    let lines = LineTable::new(module);
    let mut calls = Calls::of(module, options, wanted);
    // What they call, and who calls it, have one notion of time.
    let functions: Vec<Flat<'_>> = calls.told(module).map(flatten).collect();
    let everywhere = (!functions.is_empty()).then(|| {
        let kernels = module.items.iter().filter_map(|item| match item {
            Item::Function(f) if f.kind == FunctionKind::Entry && f.body.is_some() => Some(flatten(f)),
            _ => None,
        });
        let kernels: Vec<Flat<'_>> = kernels.collect();
        known(&functions.iter().chain(&kernels).collect::<Vec<_>>(), &calls)
    });
    let meetings = text.contains("bar") && partial(module);
    let clusters = reaches_others(module, text);
    let in_module = |known| Known { module_meets: meetings, clusters, ..known };
    let everywhere = everywhere.map(in_module);
    calls.known = everywhere.unwrap_or_default();
    let mut out = Guarded {
        text: String::new(),
        checks: Vec::new(),
        kernels: Vec::new(),
        unchecked: BTreeMap::new(),
        pruned: Pruned::default(),
        launched: BTreeMap::new(),
        left_out: Vec::new(),
    };
    let told = options.told && !launches::launches(text);
    if !told && options.table.is_none() {
        return Err(Error::Untold);
    }
    let (mut first, mut fine) = (None, false);
    for item in &module.items {
        let Item::Function(function) = item else { continue };
        if first.is_none() {
            first = Some(function.span.start);
            let Options { sink, table: base, lines, .. } = *options;
            let exchange = options.exchange && exchanges(module);
            let copies = text.contains("cp.async") || text.contains("cp.reduce.async");
            let bulk = text.contains("async.bulk");
            let table = runtime::Table { sink, base, lines, exchange, copies, bulk, clusters, meetings };
            edits.insert(function.span.start, runtime::functions(table));
        }
        let told_by_callers = calls.tells(function);
        if told_by_callers {
            calls.parameter(text, function, edits);
        }
        let Some(body) = &function.body else { continue };
        if function.kind == FunctionKind::Func && !told_by_callers {
            continue;
        }
        let flat = flatten(function);
        let place = calls.place(&flat, options);
        let mut known = match everywhere.filter(|_| told_by_callers || place.is_some()) {
            Some(known) => known,
            None => in_module(known(&[&flat], &calls)),
        };
        fine |= known.fine;
        let mut early = None;
        if function.kind == FunctionKind::Entry {
            let name = function.name.text.to_string();
            let launched = if told { launched(module, (function, &flat), &calls, &functions) } else { None };
            let wanted = wanted(&name);
            let why = (launched.is_none() && options.table.is_none()).then_some(UNTOLD);
            if let Some(why) = why.filter(|_| wanted) {
                out.left_out.push((name.clone(), why));
            }
            let has_line_info = !flat.locs.is_empty();
            let checked = wanted && why.is_none();
            out.kernels.push(Kernel { name: name.clone(), checked, has_line_info });
            if !checked {
                continue;
            }
            if let Some(launched) = launched {
                let (at, what) = added(text, function, launches::declared());
                edits.insert(at, what);
                out.launched.insert(name, launched);
            }
            edits.insert(body.span.start + 1, emit::beginning(options, launched.is_some()));
            if launched.is_some_and(|launched| launched.early == Early::UntilWaited) {
                known.early = true;
                early = Some(early::Meetings::of(&flat));
                edits.insert(body.span.start + 1, early::beginning());
            }
            if meetings {
                edits.insert(body.span.start + 1, meetings::beginning(known.meets));
            }
            edits.insert(body.span.start + 1, place.unwrap_or_default());
        } else {
            edits.insert(body.span.start + 1, calls.beginning(options));
        }
        let (copies, bulks) = (waits::followed(&flat), Bulks::of(&flat));
        if copies {
            edits.insert(body.span.start + 1, copies::beginning());
        }
        calls.prototypes(text, body, edits);
        let needless = match options.prune {
            true => prune(module, &flat),
            false => vec![None; flat.instructions.len()],
        };
        let mut sites = Sites {
            table: &mut *sites,
            text,
            index: &index,
            lines: FunctionLines::new(&lines, &flat),
            ways: kernels::roles::ways(&flat),
            callers: Vec::new(),
        };
        let mut still = Still::of(&flat);
        for (i, inst) in flat.instructions.iter().enumerate() {
            let site = sites.of(&flat, i);
            if let Ok(Some(bulk)) = Bulk::of(&flat, inst, text) {
                let number = options.first_check + out.checks.len() as u32;
                if number + 1 >= CHECKS {
                    return Err(Error::TooMany(CHECKS));
                }
                edits.insert(inst.source.span.start, bulk.check(number, known, bulks, options));
                let site = site.unwrap_or_else(|| sites.force(&flat, i));
                out.checks.extend(bulk.writes().map(|writes| Check { site, writes, size: 16 }));
                order((&flat, inst, text), (known, &calls), options, edits);
                continue;
            }
            let found = accesses(&flat, inst, text).unwrap_or_else(|why| {
                *out.unchecked.entry(why).or_default() += 1;
                Vec::new()
            });
            for access in found {
                let mut condition = None;
                if let Some(why) = needless[i] {
                    out.pruned.count(why);
                    match why {
                        Why::Apart(extents) if !extents.is_any() => condition = Some(extents),
                        _ => continue,
                    }
                }
                let number = options.first_check + out.checks.len() as u32;
                if number >= CHECKS {
                    return Err(Error::TooMany(CHECKS));
                }
                if access.tile.is_some() {
                    let barrier = emit::meeting(&access.guard, known, options);
                    let [before, behind] = still.meets(i, |i| {
                        let found = accesses(&flat, &flat.instructions[i], text);
                        needless[i].is_none() && found.is_ok_and(|found| !found.is_empty())
                    });
                    if before {
                        edits.insert(inst.source.span.start, barrier.clone());
                    }
                    if behind {
                        edits.insert_behind(inst.source.span.end, format!("\n{barrier}"));
                    }
                }
                let check = emit::check(&access, (number, copies), known, condition, options);
                edits.insert(inst.source.span.start, check);
                let site = site.unwrap_or_else(|| sites.force(&flat, i));
                out.checks.push(Check { site, writes: access.writes, size: access.bytes });
            }
            if let Some(behind) = copies.then(|| waits::behind(inst, known, options)).flatten() {
                edits.insert_behind(inst.source.span.end, behind);
            }
            // Behind the checks: what releases is itself older than what it releases.
            order((&flat, inst, text), (known, &calls), options, edits);
            let (meets, all) = meets_others(&flat, inst, known, &calls);
            if let Some(behind) = early.as_ref().and_then(|early| early.behind(i, meets, all)) {
                edits.insert_behind(inst.source.span.end, behind);
            }
            calls.around((&flat, inst), i, options, edits);
            if calls.unseen(inst) {
                *out.unchecked.entry(Unchecked::Called).or_default() += 1;
            }
        }
    }
    if let Some(first) = first.filter(|_| fine) {
        edits.insert(first, flags::functions(options.table));
    }
    Ok(out)
}

/// What the host has to know of a kernel to which a parameter can be added.
fn launched(
    module: &Module,
    (function, flat): (&Function, &Flat<'_>),
    calls: &Calls<'_>,
    functions: &[Flat<'_>],
) -> Option<Launched> {
    let mut bytes = 0u64;
    for param in &function.params {
        let one = u64::from(param.ty.bits() / 8) * u64::from(param.vector);
        let dims = param.dims.iter().try_fold(1u64, |n, dim| n.checked_mul((*dim)?))?;
        let align = u64::from(param.align.unwrap_or(1)).max(one).max(1);
        bytes = bytes.checked_next_multiple_of(align)?.checked_add(one.checked_mul(dims)?)?;
    }
    let at = u32::try_from(bytes.next_multiple_of(8)).ok().filter(|at| *at <= launches::MOST)?;
    let of = |flat: &Flat<'_>, sems, wide: &[Scope]| {
        flat.instructions.iter().any(|inst| calls.unknown(inst) || meets(inst, sems, wide))
    };
    let any = |sems, wide: &[Scope]| {
        of(flat, sems, wide) || functions.iter().any(|function| of(function, sems, wide))
    };
    let alone = functions.is_empty() && !flat.instructions.iter().any(|inst| calls.unknown(inst));
    Some(Launched {
        parameters: function.params.len() as u32,
        at,
        acquires: any([Sem::Acquire, Sem::AcqRel], &[Scope::Gpu, Scope::Sys]),
        tells: any([Sem::Release, Sem::AcqRel], &[Scope::Sys]),
        publishes: any([Sem::Release, Sem::AcqRel], &[Scope::Gpu, Scope::Sys]),
        early: match (early::has_them(module), alone) {
            (false, _) => Early::Never,
            (true, false) => Early::Unknown,
            (true, true) => early::early(flat),
        },
        gates: alone && early::gates(flat),
    })
}

/// May what was before it become known by it to the host or to other launches, or the other way round? Both for a
/// fence, for one of them the rest; `wide` says how wide a scope has to be.
fn meets(inst: &FlatInstruction<'_>, sems: [Sem; 2], wide: &[Scope]) -> bool {
    let Ok(op) = &inst.op else { return true };
    let effects = effects(op, &inst.args);
    let fence = match effects.order {
        Some(Order::Fence(Fence::Thread { scope, .. })) => wide.contains(&scope),
        _ => false,
    };
    let heap = effects.control == Control::Call && called::is_heap(inst);
    let touches = |touch: &Touch| sems.contains(&touch.sem) && wide.contains(&touch.scope);
    fence || heap || effects.touches.iter().any(touches)
}

/// The text of one more parameter, and where it goes.
fn added(text: &str, function: &Function, parameter: String) -> (u32, String) {
    if let Some(last) = function.params.last() {
        return (last.span.end, format!(",\n\t{parameter}"));
    }
    let name = function.name.span.end;
    let behind = text.get(name as usize..).unwrap_or_default();
    match behind.trim_start().strip_prefix('(') {
        Some(_) => (name + behind.find('(').unwrap_or(0) as u32 + 1, parameter),
        None => (name, format!("({parameter})")),
    }
}

/// Are there barriers of some threads?
fn partial(module: &Module) -> bool {
    module.items.iter().any(|item| match item {
        Item::Function(function) if function.body.is_some() => {
            let flat = flatten(function);
            flat.instructions.iter().any(|inst| is_partial(&flat, inst))
        }
        _ => false,
    })
}

/// May its threads access the shared memory of other blocks? Such addresses come from `mapa`.
fn reaches_others(module: &Module, text: &str) -> bool {
    // Most modules have no such word in them.
    let worth_looking = text.contains("mapa") || text.contains("::cluster");
    let mut functions = module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.body.is_some() => Some(flatten(function)),
        _ => None,
    });
    worth_looking
        && functions.any(|flat| {
            flat.instructions.iter().any(|inst| {
                let Ok(op) = &inst.op else { return false };
                let there = Place::Memory(MemSpace::SharedCluster);
                matches!(op, Op::Mapa { .. })
                    || effects(op, &inst.args).touches.iter().any(|touch| touch.place == there)
            })
        })
}

/// Does the text's target exchange 16 bytes at once (PTX §9.7.13.5)?
fn exchanges(module: &Module) -> bool {
    let new = |target: &String| {
        let number = target.strip_prefix("sm_").map(|n| n.trim_end_matches(char::is_alphabetic));
        number.is_none_or(|n| n.parse().is_ok_and(|n: u32| n >= 90))
    };
    module.version >= (8, 3) && module.target.iter().all(new)
}

/// Names that the pass declares in kernels.
pub(crate) fn register(name: &str) -> String {
    format!("%{PREFIX}{name}")
}
