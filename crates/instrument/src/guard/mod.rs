//! Kernels that record the last accesses of the memory that they access, and compare with them.
//!
//! Source: Kamath and Basu, "iGUARD: In-GPU Advanced Race Detection", SOSP 2021: metadata beside the memory,
//! updated by the threads themselves, with a thread's barrier counts as its time (§4, §5). The extension is a
//! clock of releases, in place of the paper's fence counters and lock tables.
//!
//! A thread counts the barriers of its block and its warp that it has passed. A clock counts releases, by
//! fences and strong operations of all threads; a thread stores the clock at which it last acquired or passed
//! any barrier. In kernels where only these barriers acquire, the clock is read only when a launch begins. An
//! access finds the last write to its word, and a write also two reads, in a table, and races with one of
//! another thread if
//!
//! * they share a byte, at least one writes, and they are not both strong, of the same bytes, with scopes
//!   that include each other;
//! * in one block, both threads have passed the same number of barriers (in one warp also of its barriers)
//!   and may not have synchronised at another barrier;
//! * no thread has released anything between that access and this thread's last acquire; between blocks also
//!   if the other block has released nothing by a scope wider than a block since, or nothing that the
//!   access's thread may have released, or this thread's block has acquired nothing by such a scope, or only
//!   by flags of other blocks ([`flags`]), and no launch has begun in between;
//! * in another launch, the host has not ordered that launch before this one;
//! * if one is weak and the other strong, the weak one's thread has not read the word strongly before, and if
//!   they are strong, but of other bytes, neither thread has: it may have observed the other access. (A race
//!   is found regardless of which access reaches the table first, which need not be the order of the
//!   accesses.)
//!
//! # Guarantee
//!
//! Every report is a data race by PTX §8.7.1: order between two threads requires a barrier of both, or a
//! release after the first access and an acquire before the second, and all of these are counted wherever
//! they are. The converse does not hold. Races are missed
//!
//! * within a block if some thread released anything in between, though not for these two threads; between
//!   blocks if the first has released something and the second has acquired it through a chain of flags,
//!   though it concerns older accesses or other threads;
//! * if later accesses have replaced an access in the table, and for words that many threads access at once;
//! * within a block between threads that may have synchronised at named or partial barriers since the first
//!   access, or one of which has acquired anything ([`meetings`]): these count as releases to all threads
//!   that may ever have synchronised there;
//! * with copies that other threads wait for, that exceed the limit, or that functions start (`copies`,
//!   `bulk`), and with textures and surfaces beyond what is surely touched ([`fetches`]; ranges of copies and memsets are checked by [`ranges`]; the
//!   host compares its own accesses with the table by [`table`]);
//! * with launches without a launch parameter ([`launches`]), such as those of graphs, or whose record was
//!   overwritten;
//! * of tensor memory if one of the two operations was waited for ([`tensor`]);
//! * of registers of products of warpgroups beyond those for which there is room ([`registers`]);
//! * in functions that are external or that other modules may call: a call of one that may synchronise counts
//!   as a release of all earlier operations, and an acquire for all later ones (`called`).

mod access;
mod around;
mod arrivals;
mod bulk;
mod called;
pub mod chain;
mod clocks;
mod completion;
mod copies;
mod early;
mod emit;
mod fetches;
mod flags;
pub mod groups;
pub mod image;
mod inserted;
mod launched;
pub mod launches;
mod meetings;
pub mod objects;
mod order;
pub mod others;
mod pending;
mod products;
mod properties;
pub mod ranges;
mod registers;
pub mod repeats;
mod report;
mod runtime;
pub mod table;
mod table_address;
mod template;
mod tensor;
mod tensor_layout;
mod thread;
mod tickets;
mod tiles;
mod transactions;
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
use events::{Proxy, SiteTable};
use fetches::Fetch;
use groups::Groups;
use image::Image;
use kernels::sites::Sites;
use launched::launched;
use launches::{Early, Launched};
use order::{known, meets_others, order};
use products::{Product, Products};
use ptx::ast::{Function, FunctionKind, Item, Module};
use ptx::flat::flatten;
use ptx::lines::{FunctionLines, LineTable};
use ptx::op::Scope;
use ptx::position::LineIndex;
use registers::Registers;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use tensor::TensorMemory;
use tiles::Still;

/// The logarithm of the smallest number of lines in a table, which the virtual GPU uses.
pub const FEWEST: u32 = runtime::FEWEST;
/// The logarithm of the largest number of lines, with which the table has 12 GiB.
pub const MOST: u32 = FEWEST + 6;

/// The offset and bytes of the entries of the last launches without a lane of the host in a table. An entry
/// of all ones is no launch.
pub const LAUNCHES: (u64, u64) = (runtime::STARTED + 8 * launches::LANES as u64, 8 * launches::LANES as u64);

/// The clock, the first word of a table, at which checking stops.
pub const CLOCK_END: u32 = runtime::END;

/// The offset of the clock at which each lane's last launch began, and of its number.
pub const STARTED: u64 = runtime::STARTED;

/// The offset of the textures and surfaces ([`objects`]).
pub const OBJECTS: u64 = runtime::OBJECTS;

/// Returns the bytes of a table with 2^`lines` lines. It is initially zero.
pub const fn table_bytes(lines: u32) -> u64 {
    runtime::HEADER + (runtime::LINE << lines)
}

/// The offset in the sink, behind all records, of a `u32` that becomes nonzero when the clock reaches its
/// end.
pub const ENDED: u64 = CHECKS as u64 * KINDS as u64 * RECORD;

/// The offset in the sink of a `u32` with a bit for each device on which a launch may have acquired from another device:
/// the host sets it before the launch.
pub const WIDENED: u64 = ENDED + 8;

/// Returns whether the clock of a sink's kernels has reached its end.
pub fn clock_ended(sink: &mut (impl Read + Seek)) -> io::Result<bool> {
    sink.seek(SeekFrom::Start(ENDED))?;
    let mut word = [0; 4];
    sink.read_exact(&mut word)?;
    Ok(word != [0; 4])
}

/// The bytes of a sink.
pub const SINK_BYTES: u64 = ENDED + RECORD;
/// The largest number of checks of a process, in all of its modules.
pub const CHECKS: u32 = runtime::CHECKS;

/// The options of instrumentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The address of the records, see [`crate::sink`].
    pub sink: u64,
    /// The address of the table, a multiple of 16 (`None`: each launch receives it as a parameter, since it
    /// may run on any device; 0 is none), and the logarithm of its number of lines, from [`FEWEST`] to
    /// [`MOST`].
    pub table: Option<u64>,
    pub lines: u32,
    /// Whether exchanges of 16 bytes may be used, if the text's target has them.
    pub exchange: bool,
    /// Whether the host passes each launch a launch parameter ([`launches`]).
    pub told: bool,
    /// The number of this module's first check.
    pub first_check: u32,
    /// Whether accesses that [`crate::prune`] names are skipped, and large launches sampled ([`Guarded`]).
    /// Otherwise all accesses are checked.
    pub prune: bool,
}

/// An instrumented module.
///
/// In large launches it checks a sample, chosen such that it contains both sides of a race, or none: of
/// global memory some pieces of 512 bytes, others in each launch, decreasing from all pieces at 2^17 threads
/// to one in 32; of shared memory some blocks ([`BLOCKS`]), and there the first 32 intervals between barriers
/// and one in 16 of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarded {
    pub text: String,
    pub checks: Vec<Check>,
    pub kernels: Vec<Kernel>,
    /// The number of instructions with unchecked accesses to shared or global memory, by reason.
    pub unchecked: BTreeMap<Unchecked, u32>,
    pub pruned: Pruned,
    /// Kernels with an additional parameter.
    pub launched: BTreeMap<String, Launched>,
    /// The checks that single launches of these kernels can leave out.
    pub groups: BTreeMap<String, Groups>,
    /// Kernels that were wanted and not instrumented, with the reason.
    pub left_out: Vec<(String, &'static str)>,
}

/// The blocks whose shared memory is checked.
pub const BLOCKS: Blocks = Blocks { first: 64, one_of: 16 };

/// The reason for a kernel that is not instrumented.
const UNTOLD: &str = "it has so many parameters that it cannot be told of which device it is";

/// The reason for a kernel that is not instrumented: its order with what it launches is not followed.
const NESTED: &str = "it launches kernels (dynamic parallelism)";

/// Instruments a module; see [`crate::collide::collide`] for the arguments.
pub fn guard(
    text: &str,
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Guarded, Error> {
    let texts = [(suitable(text)?, text)];
    let image = Image::of(&texts, false, options, wanted);
    text_of(&texts[0], &image, options, sites, wanted)
}

/// Instruments a text of an image.
pub(crate) fn text_of(
    text: &(Module, &str),
    image: &Image<'_>,
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Guarded, Error> {
    let mut edits = Edits::new(text.1);
    let mut out = into(text, image, options, sites, wanted, &mut edits)?;
    out.text = edits.finish();
    Ok(out)
}

/// Instruments a module like [`text_of`], with the insertions in `edits` instead of a text.
pub(crate) fn into(
    (module, text): &(Module, &str),
    image: &Image<'_>,
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
    edits: &mut Edits<'_>,
) -> Result<Guarded, Error> {
    let index = LineIndex::new(text);
    let lines = LineTable::new(module);
    let calls = Calls::of(module, image.told, image.everywhere);
    let Image { everywhere, meetings, ref functions, .. } = *image;
    let mut out = Guarded {
        text: String::new(),
        checks: Vec::new(),
        kernels: Vec::new(),
        unchecked: BTreeMap::new(),
        pruned: Pruned::default(),
        launched: BTreeMap::new(),
        groups: BTreeMap::new(),
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
            inserted::functions(function.span.start, (module, text), image, options, edits);
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
            None => image.in_image(known(&[&flat], &calls)),
        };
        fine |= known.fine;
        let mut early = None;
        if function.kind == FunctionKind::Entry {
            let name = function.name.text.to_string();
            let launched = if told { launched(module, (function, &flat), &calls, functions) } else { None };
            let wanted = wanted(&name);
            let why = (launched.is_none() && options.table.is_none()).then_some(UNTOLD);
            let why = why.or(kernels::device_runtime::launches(&flat).then_some(NESTED));
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
        let products = Products::of(&flat, copies);
        known.arrivals = arrivals::are_followed(&flat);
        if known.arrivals {
            edits.insert(body.span.start + 1, arrivals::beginning());
        }
        known.counts = transactions::are_counted(&flat, bulks.followed && bulks.alone);
        known.left = if bulks.followed { completion::most_left(&flat) } else { 0 };
        if known.left > 0 {
            edits.insert(body.span.start + 1, completion::beginning(known.left));
        }
        if copies || products.stored {
            edits.insert(body.span.start + 1, copies::beginning());
        }
        let registers = Registers::of(&flat, text);
        if let Some(registers) = &registers {
            edits.insert(body.span.start + 1, registers.beginning());
        }
        let tensor = TensorMemory::of(&flat);
        if tensor.is_some() {
            edits.insert(body.span.start + 1, TensorMemory::beginning());
        }
        calls.prototypes(text, body, edits);
        let needless = match options.prune {
            true => prune(module, &flat),
            false => vec![None; flat.instructions.len()],
        };
        let groups = out.groups((module, &flat), &index, &needless, options.prune);
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
            if let Some(registers) = &registers {
                let number = next(options.first_check, &out.checks, 0)?;
                let site = site.unwrap_or_else(|| sites.force(&flat, i));
                let around = registers.around(i, inst, number);
                around.insert(inst, site, (&mut out.checks, options.first_check), edits)?;
            }
            if let Some(tensor) = tensor {
                let number = next(options.first_check, &out.checks, 0)?;
                let site = site.unwrap_or_else(|| sites.force(&flat, i));
                let around = tensor.around((&flat, inst, text), number, options);
                around.insert(inst, site, (&mut out.checks, options.first_check), edits)?;
            }
            if let Ok(Some(bulk)) = Bulk::of(&flat, inst, text, bulks) {
                let number = next(options.first_check, &out.checks, 3)?;
                edits.insert(inst.source.span.start, bulk.check(number, known, bulks, options));
                if bulk.has_unchecked_side() {
                    *out.unchecked.entry(Unchecked::Asynchronous).or_default() += 1;
                }
                let site = site.unwrap_or_else(|| sites.force(&flat, i));
                let check = |(size, writes, asynchronous)| Check { site, writes, size, asynchronous };
                out.checks.extend(bulk.sides().map(check));
                order((&flat, inst, text), (known, &calls), options, edits);
                continue;
            }
            if let Some(product) = Product::of(inst, text) {
                let number = next(options.first_check, &out.checks, product.checks())?;
                let check = product.check(number, known, (products, bulks), options);
                edits.insert(inst.source.span.start, check);
                let site = site.unwrap_or_else(|| sites.force(&flat, i));
                let read = Check::of_operation(site, false, 16, Proxy::Async);
                out.checks.extend(std::iter::repeat_n(read, product.checks()));
                order((&flat, inst, text), (known, &calls), options, edits);
                continue;
            }
            if let Ok(Some(fetch)) = Fetch::of(&flat, inst, text) {
                let number = next(options.first_check, &out.checks, 1)?;
                edits.insert(inst.source.span.start, fetch.check(number, known, options));
                let site = site.unwrap_or_else(|| sites.force(&flat, i));
                out.checks.push(Check::own(site, fetch.writes(), fetch.bytes()));
                continue;
            }
            let found = accesses(&flat, inst, text).unwrap_or_else(|why| {
                if tensor.is_none() || !TensorMemory::checks(inst) {
                    *out.unchecked.entry(why).or_default() += 1;
                }
                Vec::new()
            });
            for mut access in found {
                access.group = groups.of_access(i, &access);
                let mut condition = None;
                if let Some(why) = needless[i] {
                    out.pruned.count(why);
                    match why {
                        Why::Apart(extents) if !extents.is_any() => condition = Some(extents),
                        _ => continue,
                    }
                }
                let site = site.unwrap_or_else(|| sites.force(&flat, i));
                let asynchronous = access.asynchronous.then_some(Proxy::Generic);
                let check = Check { site, writes: access.writes, size: access.bytes, asynchronous };
                let number = options.first_check + out.checks.len() as u32;
                // The number says whether a strong access has system scope.
                let is_even = number & runtime::SYSTEM == 0;
                let misses = options.table.is_none()
                    && access.strong.is_some_and(|scope| is_even == (scope == Scope::Sys));
                let number = number + u32::from(misses);
                out.checks.extend(misses.then_some(check));
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
                let inserted = emit::check(&access, (number, copies), known, condition, options);
                edits.insert(inst.source.span.start, inserted);
                out.checks.push(check);
            }
            if let Some(behind) = copies.then(|| waits::behind(inst, known, options)).flatten() {
                edits.insert_behind(inst.source.span.end, behind);
            }
            // The release comes behind the checks: a releasing access is itself older than its release.
            order((&flat, inst, text), (known, &calls), options, edits);
            if let Some(behind) = products.behind(inst, known, options) {
                edits.insert_behind(inst.source.span.end, behind);
            }
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

/// Returns the text of an additional parameter, and the place to insert it.
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

/// Returns the number of the next check of a module, with room for `more` checks.
fn next(first: u32, checks: &[Check], more: usize) -> Result<u32, Error> {
    let number = first + checks.len() as u32;
    if number as usize + more > CHECKS as usize { Err(Error::TooMany(CHECKS)) } else { Ok(number) }
}

/// Returns the name of a register that the pass declares in kernels.
pub(crate) fn register(name: &str) -> String {
    format!("%{PREFIX}{name}")
}
