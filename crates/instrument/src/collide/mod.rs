//! Value checks with delays.
//!
//! Source: Stephenson et al., "SuperCollider: Scalable and Effective Data Race Detection for CUDA",
//! PLDI 2026. After a weak access the thread sleeps and reads the location again, strongly. If the value
//! differs from the one it has read or written, another thread has changed it, and nothing can have ordered
//! that change, because this thread has not synchronised in between.
//!
//! * *Clobbered read* (§3.1): a weak load, `ld.global.nc` and `ldu` included.
//! * *Lost update* (§3.2): a weak store.
//! * *Lost update within a warp* (§3.3): lanes of one store instruction with one address, found by `match`.
//! * Block shuffling (§3.5.2) is `shuffle`.
//!
//! # Deviations
//!
//! * Generic addresses are filtered for loads, too: a check of local memory is harmless, but not free.
//! * Stores whose addresses increase from lane to lane are recognised as distinct without a `match`, which
//!   takes as long as a hundred other instructions.
//! * In a large launch a sample of blocks is checked ([`crate::sample`]), and repeated accesses of a thread
//!   are checked at decreasing rates.
//! * A delay is drawn once per warp and check, from the clock, so that converged lanes sleep together.
//! * `copy` checks `cp.async` (§3.4) if it copies all that it writes, `bulk` the source of bulk copies. Other
//!   forms are not checked; [`Collided::unchecked`] counts them.
//! * A separate kernel checks the ranges of copies and memsets that the host starts, [`ranges`].
//!
//! # Guarantee
//!
//! Every report is a data race by PTX §8.7.1. Races whose threads do not meet within a delay, and changes
//! that restore the same value, are missed.

pub(crate) mod access;
mod bulk;
mod copy;
mod emit;
mod quiet;
pub mod ranges;
mod report;
mod shuffle;

use crate::edit::Edits;
use crate::prune::{Pruned, Why, prune};
use crate::sample::{Blocks, Plain, in_loops, twice};
use crate::{Error, PREFIX};
use access::Access;
use bulk::Bulk;
use copy::Copy;
use events::{Proxy, SiteId, SiteTable};
use kernels::sites::Sites;
use names::Engine;
use ptx::ast::{FunctionKind, Item, Module};
use ptx::flat::{Flat, flatten};
use ptx::lines::{FunctionLines, LineTable};
use ptx::position::LineIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The accesses to check, and the delays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The address of the records, see [`crate::sink`].
    pub sink: u64,
    /// The number of this module's first check: all modules of a program share a sink.
    pub first_check: u32,
    /// The longest delay between a load and its check in nanoseconds; 1 is fixed, larger delays are random.
    pub read_delay: u32,
    /// The longest delay between a store and its check in nanoseconds; 1 is fixed, larger delays are random.
    pub write_delay: u32,
    /// The blocks that are checked.
    pub blocks: Blocks,
    /// The rate at which repeated accesses of a thread are checked; `None` for always.
    pub pace: Option<Pace>,
    /// Whether lanes that write one location at once are reported even if all write the same value.
    pub equal_values: bool,
    /// The key of a permutation of blocks; `None` for their original order.
    pub shuffle: Option<u64>,
    /// Whether a kernel is stopped by `trap` when it has detected a race, once for each record, so that a
    /// debugger shows the thread.
    pub trap: bool,
    /// Whether accesses that [`crate::prune`] names are skipped, and blocks and repeated accesses sampled.
    /// Otherwise all accesses in all blocks are checked.
    pub prune: bool,
    /// The names that kernels reach; other functions stay unchanged. `None` if every function may be called.
    pub reached: Option<Arc<BTreeSet<String>>>,
}

/// The rate at which a thread's checks become rarer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The number of immediate checks in each function. Random gaps that grow follow: of `n` accesses about
    /// the square root of `8 n` are checked.
    pub eager: u32,
    /// Whether one warp of a block checks, with gaps that double: of `n` accesses about the logarithm is
    /// checked. Otherwise accesses outside loops are always checked.
    pub thrifty: bool,
}

impl Options {
    /// Returns the paper's `#rdelay` and `#wdelay` of 1 ns, with a sample of a large launch's blocks.
    pub fn fastest(sink: u64) -> Self {
        Options {
            sink,
            first_check: 0,
            read_delay: 1,
            write_delay: 1,
            blocks: Blocks { first: 128, one_of: 8 },
            pace: Some(Pace { eager: 32, thrifty: false }),
            equal_values: true,
            shuffle: None,
            trap: false,
            prune: true,
            reached: None,
        }
    }

    /// Returns the paper's setting that finds nearly all races of any setting, 5,000 ns and 1 ns, with a
    /// sample of blocks.
    pub fn balanced(sink: u64) -> Self {
        let blocks = Blocks { first: 128, one_of: 16 };
        Options {
            read_delay: 5000,
            blocks,
            pace: Some(Pace { eager: 16, thrifty: false }),
            ..Options::fastest(sink)
        }
    }

    /// Returns delays of up to 200,000 ns after loads and stores, for programs with short running times:
    /// actions of other streams' kernels, of copies and of the host take that long to occur. The paper has no
    /// such setting.
    pub fn patient(sink: u64) -> Self {
        Options {
            read_delay: 200_000,
            write_delay: 200_000,
            blocks: Blocks::ALL,
            pace: None,
            ..Options::fastest(sink)
        }
    }

    /// Returns the options of an engine; `None` for other engines.
    pub fn of(engine: Engine, sink: u64) -> Option<Self> {
        let Engine::Collide { preset, delays, shuffle, trap, prune, .. } = engine else { return None };
        let preset = Options::preset(preset.name(), sink)?;
        let read_delay = delays.read.unwrap_or(preset.read_delay);
        let write_delay = delays.write.unwrap_or(preset.write_delay);
        Some(Options { read_delay, write_delay, shuffle: shuffle.map(u64::from), trap, prune, ..preset })
    }

    /// Returns the options of an engine that runs `collide` beside another pass; `None` if it does not.
    pub fn beside(engine: Engine, sink: u64) -> Option<Self> {
        let Engine::Guard { collide: Some(preset), prune, .. } = engine else { return None };
        Some(Options { prune, ..Options::preset(preset.name(), sink)? })
    }

    /// The name of the preset for production.
    pub const SAMPLED: &'static str = "sampled";

    /// Returns the options of a preset: `fastest`, `balanced`, `sampled` or `patient`.
    pub fn preset(name: &str, sink: u64) -> Option<Self> {
        match name {
            "fastest" => Some(Options::fastest(sink)),
            "balanced" => Some(Options::balanced(sink)),
            Options::SAMPLED => Some(Options::sampled(sink)),
            "patient" => Some(Options::patient(sink)),
            _ => None,
        }
    }

    /// Returns the options for production: in few blocks one warp checks occasionally, for up to 2,000 ns.
    pub fn sampled(sink: u64) -> Self {
        let (blocks, pace) = (Blocks { first: 8, one_of: 256 }, Some(Pace { eager: 2, thrifty: true }));
        Options { read_delay: 2000, blocks, pace, ..Options::fastest(sink) }
    }
}

/// The meaning of a failed check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    ClobberedRead,
    LostUpdate,
    LostUpdateInWarp,
}

/// The number of records of a site. Records are numbered by site, then by kind.
pub const KINDS: u32 = 2;

impl Kind {
    /// Returns the index of the kind's record among those of its site. A site either reads or writes, so
    /// `ClobberedRead` and `LostUpdate` share index 0.
    pub(crate) fn index(self) -> u32 {
        match self {
            Kind::ClobberedRead | Kind::LostUpdate => 0,
            Kind::LostUpdateInWarp => 1,
        }
    }
}

/// A checked access. Its records begin at [`KINDS`] times its number, one for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The instruction's site in the table passed to [`collide`].
    pub site: SiteId,
    pub writes: bool,
    /// The bytes of an element.
    pub size: u32,
    /// The proxy of the asynchronous operation that makes the access; `None` for an access of the thread itself.
    pub asynchronous: Option<Proxy>,
}

impl Check {
    /// Returns the check of a thread's own access.
    pub(crate) const fn own(site: SiteId, writes: bool, size: u32) -> Check {
        Check { site, writes, size, asynchronous: None }
    }

    /// Returns the check of an asynchronous operation's access.
    pub(crate) const fn of_operation(site: SiteId, writes: bool, size: u32, proxy: Proxy) -> Check {
        Check { site, writes, size, asynchronous: Some(proxy) }
    }
}

/// The reason why an access is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unchecked {
    /// Elements of 128 bits, or more than 16 bytes at once.
    Wide,
    /// `cp.async` with other operands, copies of tensors, `st.async`, `red.async`.
    Asynchronous,
    /// `wmma.load`, `ldmatrix` and the corresponding stores.
    Matrix,
    /// An access through a texture or surface.
    Image,
    /// A call of a function of another module, or of one that another module may call (engine `guard`).
    Called,
    /// An instruction with unknown effects.
    Unknown,
}

impl Unchecked {
    /// Returns the name in the plural.
    pub const fn name(self) -> &'static str {
        match self {
            Unchecked::Wide => "wide accesses",
            Unchecked::Asynchronous => "asynchronous accesses",
            Unchecked::Matrix => "accesses of matrices",
            Unchecked::Image => "accesses through textures and surfaces",
            Unchecked::Called => "calls of functions",
            Unchecked::Unknown => "accesses that are not understood",
        }
    }
}

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The mangled name, as in PTX.
    pub name: String,
    pub checked: bool,
    /// Whether it contains a `.loc`.
    pub has_line_info: bool,
}

/// An instrumented module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collided {
    pub text: String,
    /// The checks; the first has the number [`Options::first_check`].
    pub checks: Vec<Check>,
    /// Its entry points, including those that were not to be instrumented.
    pub kernels: Vec<Kernel>,
    /// Whether blocks were shuffled. Modules that use clusters are not.
    pub shuffled: bool,
    /// The number of instructions with unchecked accesses to shared or global memory, by reason.
    pub unchecked: BTreeMap<Unchecked, u32>,
    /// The number of accesses that need no check.
    pub pruned: Pruned,
    /// Entry points that synchronise with the host only by their start and end, with the number of their
    /// parameters.
    pub quiet: BTreeMap<String, u32>,
}

/// The message for modules whose blocks were to be shuffled and are not.
pub const IN_ORDER: &str = "blocks were left in their order: kernels know of clusters, or read `%ctaid` in a way that is not understood";

/// Instruments a module.
///
/// Strong accesses, atomics, constant and local memory and parameters need no check. All instructions that
/// the virtual GPU would name become sites of `sites`, in its order. Only entry points whose names are
/// `wanted` are instrumented, but all functions that they may call. Fails if the text is malformed, made for
/// targets before sm_70, or instrumented already.
pub fn collide(
    text: &str,
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Collided, Error> {
    Ok(text_of(&(suitable(text)?, text), options, sites, wanted))
}

/// Instruments a text of an image.
pub(crate) fn text_of(
    (module, text): &(Module, &str),
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
) -> Collided {
    let mut edits = Edits::new(text);
    let mut out = into(module, text, options, sites, wanted, &Plain::Text(text), &mut edits);
    out.text = edits.finish();
    out
}

/// Instruments a module like [`collide`], with the insertions in `edits` instead of a text. Unchecked blocks
/// execute the `plain` text.
pub(crate) fn into(
    module: &Module,
    text: &str,
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
    plain: &Plain<'_, '_>,
    edits: &mut Edits<'_>,
) -> Collided {
    let index = LineIndex::new(text);
    let lines = LineTable::new(module);
    let mut out = Collided {
        text: String::new(),
        checks: Vec::new(),
        kernels: Vec::new(),
        shuffled: false,
        unchecked: BTreeMap::new(),
        pruned: Pruned::default(),
        quiet: quiet::quiet(module),
    };
    let shuffled = options.shuffle.filter(|_| shuffle::possible(module));
    let options = &match options.prune {
        true => options.clone(),
        false => Options { blocks: Blocks::ALL, pace: None, ..options.clone() },
    };
    // Blocks that execute the original text cannot be shuffled.
    let blocks = if shuffled.is_some() { Blocks::ALL } else { options.blocks };
    let mut first = true;
    for item in &module.items {
        let Item::Function(function) = item else { continue };
        if std::mem::take(&mut first) {
            edits.insert(function.span.start, report::function(options.sink, shuffled, options.trap));
        }
        if let Some(key) = shuffled {
            shuffle::blocks(function, text, key, edits);
        }
        let name = function.name.text.as_str();
        if options.reached.as_ref().is_some_and(|reached| !reached.contains(name)) {
            continue;
        }
        let flat = flatten(function);
        if function.kind == FunctionKind::Entry && function.body.is_some() {
            let checked = wanted(name);
            out.kernels.push(Kernel { name: name.to_owned(), checked, has_line_info: !flat.locs.is_empty() });
            if !checked {
                continue;
            }
        }
        let lines = FunctionLines::new(&lines, &flat);
        let (ways, callers) = (kernels::roles::ways(&flat), Vec::new());
        let sites = Sites { table: &mut *sites, text, index: &index, lines, ways, callers };
        let needless = match options.prune {
            true => prune(module, &flat),
            false => vec![None; flat.instructions.len()],
        };
        let before = out.checks.len();
        let repeated = match options.pace {
            Some(Pace { thrifty: true, .. }) => vec![true; flat.instructions.len()],
            _ => in_loops(&flat),
        };
        accesses(&flat, &needless, &repeated, sites, options, edits, &mut out);
        if let Some(body) = &function.body
            && out.checks.len() > before
        {
            // The choice comes first: unchecked blocks need no initialisation.
            twice(function, module, text, plain, blocks, edits);
            edits.insert(body.span.start + 1, emit::beginning(options));
        }
    }
    out.shuffled = shuffled.is_some();
    out
}

fn accesses<'t>(
    flat: &Flat<'t>,
    needless: &[Option<Why>],
    repeated: &[bool],
    mut sites: Sites<'t, '_>,
    options: &Options,
    edits: &mut Edits<'_>,
    out: &mut Collided,
) {
    for (i, inst) in flat.instructions.iter().enumerate() {
        let site = sites.of(flat, i);
        match Copy::of(flat, inst, sites.text) {
            Ok(Some(copy)) => {
                let number = options.first_check + out.checks.len() as u32;
                edits.insert(inst.source.span.start, copy.check(number, options, repeated[i]));
                let site = site.unwrap_or_else(|| sites.force(flat, i));
                let check = |writes| Check::of_operation(site, writes, 4, Proxy::Generic);
                out.checks.extend([false, true].map(check));
                continue;
            }
            Ok(None) => {}
            Err(why) => {
                *out.unchecked.entry(why).or_default() += 1;
                continue;
            }
        }
        match Bulk::of(flat, inst, sites.text) {
            Ok(Some(bulk)) => {
                let number = options.first_check + out.checks.len() as u32;
                edits.insert(inst.source.span.start, bulk.check(number, options, repeated[i]));
                let site = site.unwrap_or_else(|| sites.force(flat, i));
                out.checks.push(Check::of_operation(site, false, 8, Proxy::Async));
                continue;
            }
            Ok(None) => {}
            Err(why) => {
                *out.unchecked.entry(why).or_default() += 1;
                continue;
            }
        }
        let access = match Access::of(flat, inst, sites.text) {
            Ok(Some(access)) => access,
            Ok(None) => continue,
            Err(why) => {
                *out.unchecked.entry(why).or_default() += 1;
                continue;
            }
        };
        let condition = match needless.get(i).copied().flatten() {
            Some(why) => {
                out.pruned.count(why);
                match why {
                    Why::Apart(extents) if !extents.is_any() => Some(extents),
                    Why::Apart(_) | Why::Private | Why::Repeated => continue,
                }
            }
            None => None,
        };
        let span = inst.source.span;
        let number = options.first_check + out.checks.len() as u32;
        let (before, after) = emit::check(&access, number, options, repeated[i], condition);
        edits.insert(span.start, before);
        edits.insert_behind(span.end, after);
        let site = site.unwrap_or_else(|| sites.force(flat, i));
        out.checks.push(Check::own(site, access.writes(), access.ty.bytes()));
    }
}

/// Returns the parsed module, if it can be instrumented.
pub(crate) fn suitable(text: &str) -> Result<Module, Error> {
    let ptx::Parse { module, errors } = ptx::parse(text);
    if let Some(error) = errors.first() {
        return Err(Error::Malformed { line: error.line, message: error.message.clone() });
    }
    let (major, minor) = module.version;
    if (major, minor) < (6, 3) {
        return Err(Error::OldVersion(major, minor));
    }
    for target in &module.target {
        let number = target.strip_prefix("sm_").map(|n| n.trim_end_matches(char::is_alphabetic));
        if number.is_some_and(|n| n.parse().is_ok_and(|n: u32| n < 70)) {
            return Err(Error::OldTarget(target.clone()));
        }
    }
    if module.address_size != 64 && module.items.iter().any(|i| matches!(i, Item::Function(_))) {
        return Err(Error::NarrowAddresses);
    }
    let ours = module.items.iter().find_map(|item| match item {
        Item::Function(f) if f.kind == FunctionKind::Func && f.name.text.starts_with(PREFIX) => {
            Some(f.name.text.to_string())
        }
        _ => None,
    });
    ours.map_or(Ok(module), |name| Err(Error::Twice(name)))
}
