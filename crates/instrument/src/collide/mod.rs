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
//! * A delay is drawn once per warp and check, from the clock, so that lanes that arrived together sleep
//!   together.
//! * `cp.async` and bulk copies (§3.4) are not checked; [`Collided::unchecked`] counts them.
//!
//! # Guarantee
//!
//! What is reported is a data race by PTX §8.7.1. Races whose threads do not meet within a delay, and changes
//! that put back the same value, are missed.

mod access;
mod emit;
mod report;
mod shuffle;

use crate::edit::Edits;
use crate::{Error, PREFIX};
use access::Access;
use ptx::ast::{Function, FunctionKind, Item, Module};
use ptx::flat::flatten;
use ptx::position::LineIndex;
use std::collections::BTreeMap;

/// What to check, and how patiently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where the records are, see [`crate::sink`].
    pub sink: u64,
    /// The number of this module's first site: sinks are shared by all modules of a program.
    pub first_site: u32,
    /// Longest delay between a load and its check, nanoseconds; 1 is fixed, all else is random.
    pub read_delay: u32,
    /// The same for stores.
    pub write_delay: u32,
    /// Check one of so many executions, a power of two; 1 checks all.
    pub one_of: u32,
    /// Report lanes that write one location at once even if all write the same value.
    pub equal_values: bool,
    /// The key of a permutation of blocks; `None` leaves them as they are.
    pub shuffle: Option<u64>,
}

impl Options {
    /// The paper's `#rdelay` and `#wdelay` of 1 ns.
    pub fn fastest(sink: u64) -> Self {
        Options {
            sink,
            first_site: 0,
            read_delay: 1,
            write_delay: 1,
            one_of: 1,
            equal_values: true,
            shuffle: None,
        }
    }

    /// The paper's setting that finds nearly all that any finds: 5,000 ns and 1 ns.
    pub fn balanced(sink: u64) -> Self {
        Options { read_delay: 5000, ..Options::fastest(sink) }
    }

    /// A sixty-fourth of the executions, patiently.
    pub fn sampled(sink: u64) -> Self {
        Options { one_of: 64, ..Options::balanced(sink) }
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

/// A checked access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Mangled, as in PTX.
    pub function: String,
    /// Line of the original text, from 1.
    pub ptx_line: u32,
    /// The instruction, as written.
    pub text: String,
    pub writes: bool,
}

/// Why an access is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unchecked {
    /// Elements of 128 bits, or more than 16 bytes at once.
    Wide,
    /// `cp.async`, `cp.async.bulk`, `st.async`, `red.async`.
    Asynchronous,
    /// `wmma.load`, `ldmatrix` and their stores.
    Matrix,
    /// Through textures and surfaces.
    Image,
    /// Not understood.
    Unknown,
}

/// An instrumented module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collided {
    pub text: String,
    /// The first is [`Options::first_site`].
    pub sites: Vec<Site>,
    /// Were the blocks renamed? Modules that know of clusters are left as they are.
    pub shuffled: bool,
    /// How many instructions that access shared or global memory have no check.
    pub unchecked: BTreeMap<Unchecked, u32>,
}

/// Instruments a module.
///
/// Strong accesses, atomics, constant and local memory and parameters need no check. Fails if the text is
/// malformed, made for targets before sm_70, or instrumented already.
pub fn collide(text: &str, options: &Options) -> Result<Collided, Error> {
    let parsed = ptx::parse(text);
    if let Some(error) = parsed.errors.first() {
        return Err(Error::Malformed { line: error.line, message: error.message.clone() });
    }
    suitable(&parsed.module)?;
    let index = LineIndex::new(text);
    let mut edits = Edits::new(text);
    let mut out =
        Collided { text: String::new(), sites: Vec::new(), shuffled: false, unchecked: BTreeMap::new() };
    let shuffled = options.shuffle.filter(|_| shuffle::possible(&parsed.module));
    let mut first = true;
    for item in &parsed.module.items {
        let Item::Function(function) = item else { continue };
        if std::mem::take(&mut first) {
            edits.insert(function.span.start, report::function(options.sink));
        }
        if let Some(key) = shuffled {
            shuffle::blocks(function, text, key, &mut edits);
        }
        accesses(function, text, &index, options, &mut edits, &mut out);
    }
    out.shuffled = shuffled.is_some();
    out.text = edits.finish();
    Ok(out)
}

fn accesses(
    function: &Function,
    text: &str,
    index: &LineIndex<'_>,
    options: &Options,
    edits: &mut Edits<'_>,
    out: &mut Collided,
) {
    let flat = flatten(function);
    for inst in &flat.instructions {
        let access = match Access::of(&flat, inst, text) {
            Ok(Some(access)) => access,
            Ok(None) => continue,
            Err(why) => {
                *out.unchecked.entry(why).or_default() += 1;
                continue;
            }
        };
        let span = inst.source.span;
        let site = options.first_site + out.sites.len() as u32;
        let (before, after) = emit::check(&access, site, options);
        edits.insert(span.start, before);
        edits.insert(span.end, after);
        out.sites.push(Site {
            function: function.name.text.to_string(),
            ptx_line: index.line(inst.source.opcode.span.start),
            text: access.text().to_owned(),
            writes: access.writes(),
        });
    }
}

fn suitable(module: &Module) -> Result<(), Error> {
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
    ours.map_or(Ok(()), |name| Err(Error::Twice(name)))
}
