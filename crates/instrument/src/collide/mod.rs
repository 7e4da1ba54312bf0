//! Value checks with delays.
//!
//! Source: Stephenson et al., "SuperCollider: Scalable and Effective Data Race Detection for CUDA", PLDI 2026.
//! After a weak access the thread sleeps and looks again, strongly: if memory has another value than the one it
//! has read or written, somebody else changed it, and nothing can have ordered that change, because this
//! thread has synchronised with nobody in between.
//!
//! * *Clobbered read* (§3.1): a weak load, `ld.global.nc` and `ldu` included.
//! * *Lost update* (§3.2): a weak store.
//! * *Lost update within a warp* (§3.3): lanes of one store instruction with one address, by `match`.
//! * Block shuffling (§3.5.2) is `shuffle`.
//!
//! # Deviations
//!
//! * Generic addresses are filtered for loads, too: a check of local memory is harmless, but not free.
//! * That lanes of a store write to different places is seen, where their addresses rise from lane to lane, without a `match`, which
//!   takes as long as a hundred other instructions.
//! * In a large launch a sample of blocks is looked at ([`crate::sample`]), and of what a thread does again and again ever less.
//! * A delay is drawn once per warp and check, from the clock, so that lanes that arrived together sleep
//!   together.
//! * `cp.async` (§3.4) is checked by `copy` where it copies all that it writes, the source of bulk copies by `bulk`. Other forms are
//!   not; [`Collided::unchecked`] counts them.
//! * For copies and memsets of the host a kernel looks at what they are about to access, [`ranges`].
//!
//! # Guarantee
//!
//! What is reported is a data race by PTX §8.7.1. Races whose threads do not meet within a delay, and changes
//! that put back the same value, are missed.

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
use events::{Engine, SiteId, SiteTable};
use kernels::sites::Sites;
use ptx::ast::{FunctionKind, Item, Module};
use ptx::flat::{Flat, flatten};
use ptx::lines::{FunctionLines, LineTable};
use ptx::position::LineIndex;
use std::collections::BTreeMap;

/// What to check, and how patiently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where the records are, see [`crate::sink`].
    pub sink: u64,
    /// The number of this module's first check: sinks are shared by all modules of a program.
    pub first_check: u32,
    /// Longest delay between a load and its check, nanoseconds; 1 is fixed, all else is random.
    pub read_delay: u32,
    /// The same for stores.
    pub write_delay: u32,
    /// In which blocks to check anything.
    pub blocks: Blocks,
    /// What a thread does again and again is looked at ever less; `None`: always.
    pub pace: Option<Pace>,
    /// Report lanes that write one location at once even if all write the same value.
    pub equal_values: bool,
    /// The key of a permutation of blocks; `None` leaves them as they are.
    pub shuffle: Option<u64>,
    /// Stop a kernel by `trap` where it has seen a race, once for each record: a debugger shows who was there.
    pub trap: bool,
    /// Leave out what [`crate::prune`] says? Otherwise all that the threads of all blocks do is looked at.
    pub prune: bool,
}

/// How a thread's checks become rarer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// So many checks are made at once, in each function. Behind them are random gaps that grow: of `n` accesses about the root of `8 n`
    /// are checked.
    pub eager: u32,
    /// One warp of a block looks, and its gaps double: of `n` accesses about the logarithm is checked. Otherwise what
    /// is in no loop is always looked at.
    pub thrifty: bool,
}

impl Options {
    /// The paper's `#rdelay` and `#wdelay` of 1 ns, in a sample of a large launch's blocks.
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
        }
    }

    /// The paper's setting that finds nearly all that any finds: 5,000 ns and 1 ns; in a sample of blocks.
    pub fn balanced(sink: u64) -> Self {
        let blocks = Blocks { first: 128, one_of: 16 };
        Options {
            read_delay: 5000,
            blocks,
            pace: Some(Pace { eager: 16, thrifty: false }),
            ..Options::fastest(sink)
        }
    }

    /// Delays of up to 200,000 ns after loads and stores, for programs that are over at once: what kernels of other
    /// streams, copies and the host do takes so long to come. No setting of the paper.
    pub fn patient(sink: u64) -> Self {
        Options {
            read_delay: 200_000,
            write_delay: 200_000,
            blocks: Blocks::ALL,
            pace: None,
            ..Options::fastest(sink)
        }
    }

    /// What an engine asks for; `None` if it is another one.
    pub fn of(engine: Engine, sink: u64) -> Option<Self> {
        let Engine::Collide { preset, shuffle, trap, prune, .. } = engine else { return None };
        let preset = Options::preset(preset.name(), sink)?;
        Some(Options { shuffle: shuffle.map(u64::from), trap, prune, ..preset })
    }

    /// What an engine asks for beside another pass; `None` if it asks for nothing.
    pub fn beside(engine: Engine, sink: u64) -> Option<Self> {
        let Engine::Guard { collide: Some(preset), prune, .. } = engine else { return None };
        Some(Options { prune, ..Options::preset(preset.name(), sink)? })
    }

    /// The preset for production.
    pub const SAMPLED: &'static str = "sampled";

    /// `fastest`, `balanced`, `sampled` or `patient`.
    pub fn preset(name: &str, sink: u64) -> Option<Self> {
        match name {
            "fastest" => Some(Options::fastest(sink)),
            "balanced" => Some(Options::balanced(sink)),
            Options::SAMPLED => Some(Options::sampled(sink)),
            "patient" => Some(Options::patient(sink)),
            _ => None,
        }
    }

    /// For production: in few blocks one warp looks, now and then, for up to 2,000 ns.
    pub fn sampled(sink: u64) -> Self {
        let (blocks, pace) = (Blocks { first: 8, one_of: 256 }, Some(Pace { eager: 2, thrifty: true }));
        Options { read_delay: 2000, blocks, pace, ..Options::fastest(sink) }
    }
}

/// What a failed check means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    ClobberedRead,
    LostUpdate,
    LostUpdateInWarp,
}

/// Records are numbered by site, then by kind.
pub const KINDS: u32 = 2;

impl Kind {
    /// Which of its site's records is its own. A site reads or writes.
    pub(crate) fn index(self) -> u32 {
        match self {
            Kind::ClobberedRead | Kind::LostUpdate => 0,
            Kind::LostUpdateInWarp => 1,
        }
    }
}

/// A checked access. Its records are at [`KINDS`] times its number, one for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The instruction, in the table that [`collide`] was given.
    pub site: SiteId,
    pub writes: bool,
    /// Of an element, bytes.
    pub size: u32,
}

/// Why an access is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unchecked {
    /// Elements of 128 bits, or more than 16 bytes at once.
    Wide,
    /// `cp.async` with other operands, copies of tensors, `st.async`, `red.async`.
    Asynchronous,
    /// `wmma.load`, `ldmatrix` and their stores.
    Matrix,
    /// Through textures and surfaces.
    Image,
    /// Of functions that somebody else brings, or whose callers somebody else may bring (engine `guard`).
    Called,
    /// Not understood.
    Unknown,
}

impl Unchecked {
    /// In the plural.
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
    /// Mangled, as in PTX.
    pub name: String,
    pub checked: bool,
    /// Is there a `.loc` in it?
    pub has_line_info: bool,
}

/// An instrumented module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collided {
    pub text: String,
    /// The first is number [`Options::first_check`].
    pub checks: Vec<Check>,
    /// Its entry points, whether they were to be checked or not.
    pub kernels: Vec<Kernel>,
    /// Were the blocks renamed? Modules that know of clusters are left as they are.
    pub shuffled: bool,
    /// How many instructions that access shared or global memory have no check.
    pub unchecked: BTreeMap<Unchecked, u32>,
    /// How many need none.
    pub pruned: Pruned,
    /// Entry points that are ordered with the host by their launches and ends alone, with the number of their parameters.
    pub quiet: BTreeMap<String, u32>,
}

/// What is said of modules whose blocks were to be renamed, and are not.
pub const IN_ORDER: &str = "blocks were left in their order: kernels know of clusters, or read `%ctaid` in a way that is not understood";

/// Instruments a module.
///
/// Strong accesses, atomics, constant and local memory and parameters need no check. All instructions that the
/// virtual GPU would name become sites of `sites`, in its order. Of entry points only those are instrumented whose
/// names are `wanted`; functions that they call all are. Fails if the text is malformed, made for targets
/// before sm_70, or instrumented already.
pub fn collide(
    text: &str,
    options: &Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Collided, Error> {
    let module = suitable(text)?;
    let mut edits = Edits::new(text);
    let mut out = into(&module, text, options, sites, wanted, &Plain::Text(text), &mut edits);
    out.text = edits.finish();
    Ok(out)
}

/// As [`collide`], but for the text, which is made of `edits`. Blocks that are not looked at execute the `plain` text.
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
    // Blocks that run the text as it was would not be renamed.
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
        let flat = flatten(function);
        if function.kind == FunctionKind::Entry && function.body.is_some() {
            let name = function.name.text.to_string();
            let checked = wanted(&name);
            out.kernels.push(Kernel { name, checked, has_line_info: !flat.locs.is_empty() });
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
            // The choice comes first: who is not looked at need not make ready for it.
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
                out.checks.extend([false, true].map(|writes| Check { site, writes, size: 4 }));
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
                out.checks.push(Check { site, writes: false, size: 8 });
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
        out.checks.push(Check {
            site: site.unwrap_or_else(|| sites.force(flat, i)),
            writes: access.writes(),
            size: access.ty.bytes(),
        });
    }
}

/// The module, if it can be instrumented.
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
