//! Converts launches of the host code to the form of observed launches.

use crate::answer::Prover;
use crate::exec::summarise;
use crate::facts::Facts;
use crate::facts::assume::{Expr, Name, Relation, Test};
use crate::kernel::access::{AccessKind, Space};
use crate::solver::symbols::Kind;
use events::observed::Bytes;
use events::task::{AllocKind, LaunchFacts, LaunchInfo, Parameter};
use events::{Dim3, ObservedLaunch, ObservedMemory};
use host_ir::{Concrete, Memory, Number, Pointer};
use kernels::{Kernel, Linked, VariableSpace};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Memory of unknown size gets this many bytes before and after the place that is pointed to.
const BEFORE: u64 = 32 << 20;
const BEHIND: u64 = 96 << 20;
/// Distance and start of arrays. The addresses are numbers that programs are unlikely to store.
const APART: u64 = 1 << 34;
const FIRST: u64 = 0x1_5a3c_5a3c_0000;
/// The start of the module's variables.
const VARIABLES: u64 = 0x4_5a3c_5a3c_0000;

/// The global memory that a kernel may write; if `known` is false, it may write any.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) known: bool,
    /// The parameters whose memory the kernel may write.
    pub(crate) arguments: BTreeSet<u32>,
    pub(crate) variables: BTreeSet<String>,
}

impl Prover<'_> {
    /// Returns what a kernel may write.
    pub(crate) fn written(&self, name: &str) -> Written {
        let Some(kernel) = self.linked.kernels.iter().position(|k| k.name == name) else {
            return Written::default();
        };
        let noreturn = |name: &str| self.noreturn.contains(name);
        let summary = summarise(&self.linked, kernel, &Facts::default(), &noreturn, &|| false).ok();
        let Some(summary) = summary.filter(|s| s.unmodelled.is_none() && s.writes_are_known) else {
            return Written::default();
        };
        let mut written = Written { known: true, ..Written::default() };
        let writes = summary
            .accesses
            .iter()
            .filter(|a| a.kind != AccessKind::Read && !matches!(a.space, Space::Shared | Space::Distributed));
        for access in writes {
            match access.base.map(|b| &summary.syms.get(b).kind) {
                Some(Kind::Param { index, .. }) => _ = written.arguments.insert(*index),
                Some(Kind::Global(name)) => _ = written.variables.insert(name.clone()),
                _ => written.known = false,
            }
        }
        written
    }
}

/// A launch of the host code, in the form of an observed one.
pub(crate) struct KnownLaunch {
    pub(crate) launch: Arc<ObservedLaunch>,
    /// The parameters with unknown bytes, by index.
    pub(crate) unknown: BTreeSet<u32>,
    /// The assumptions about the memory that is pointed to.
    pub(crate) apart: Vec<String>,
    /// The parameters whose pointers may lead into the memory of others.
    pub(crate) loose: BTreeSet<u32>,
    /// The variables that hold their initial values, because nothing has written to them.
    pub(crate) untouched: BTreeSet<String>,
    /// The signs and bounds of numbers in this launch.
    pub(crate) bounds: Vec<Relation>,
    /// Extents, aliases and signs of numbers, which hold for this launch and for others.
    pub(crate) general: Facts,
    /// The host code was executed, so the contents of memory and variables are known where they are given.
    pub(crate) executed: bool,
    /// The launch is certain, provided that the program behaves as analysed.
    pub(crate) sure: bool,
    /// The base address of each memory object of the host code, by index.
    pub(crate) places: Vec<u64>,
}

/// Returns whether a kernel may have written to memory since its contents were known.
pub(crate) fn is_written(memory: &Memory, written: &BTreeMap<&str, Written>) -> bool {
    memory.launches.iter().any(|(kernel, argument)| {
        written.get(kernel.as_str()).is_none_or(|w| match &memory.variable {
            _ if !w.known => true,
            Some(name) if *argument == Memory::ANYWHERE => w.variables.contains(name),
            _ => *argument != Memory::ANYWHERE && w.arguments.contains(argument),
        })
    })
}

/// Prefixes of variables that host code cannot name and that compilers create as read-only.
const CONSTANTS: [&str; 5] = ["_ZTV", "$str", "_$_str", "__unnamed", "__func__"];

/// Converts a launch; returns `None` if the host passes other arguments than the kernel takes.
pub(crate) fn to_known_launch(
    kernel: &Kernel,
    sizes: &[u64],
    concrete: &Concrete,
    linked: &Linked<'_>,
    written: &BTreeMap<&str, Written>,
) -> Option<KnownLaunch> {
    let mut memory: Vec<ObservedMemory> = Vec::new();
    let mut as_written: BTreeSet<String> = BTreeSet::new();
    let mut starts: Vec<u64> = Vec::new();
    let mut addressed: Vec<(usize, &[Pointer])> = Vec::new();
    let mut variables: Vec<_> = linked.variables.iter().collect();
    variables.sort_by_key(|(name, _)| *name);
    let passed: BTreeSet<usize> = concrete
        .arguments
        .iter()
        .flat_map(|a| &a.pieces)
        .filter_map(|p| match p.number {
            Number::Address(m, _) => Some(m),
            Number::Bits(_) => None,
        })
        .collect();
    for (n, m) in concrete.memory.iter().enumerate() {
        let base = match m.variable.as_deref().and_then(|v| variables.iter().position(|(name, _)| *name == v))
        {
            Some(n) => VARIABLES + n as u64 * APART,
            None => FIRST + n as u64 * APART,
        };
        let (bytes, start) = match m.bytes {
            Some(bytes) => (bytes, base),
            None => (BEFORE + BEHIND, base + BEFORE),
        };
        if bytes >= APART {
            return None;
        }
        starts.push(start);
        let kept = !is_written(m, written);
        // A variable without writes has its initial value.
        let untouched = m.untouched && kept && !passed.contains(&n);
        if let Some(name) = m.variable.as_ref().filter(|_| untouched) {
            as_written.insert(name.clone());
        }
        if m.variable.as_ref().is_some_and(|v| untouched || !linked.variables.contains_key(v)) {
            continue;
        }
        let contents = m.contents.as_ref().filter(|_| kept).map(|c| Bytes(c.to_vec()));
        if contents.is_some() {
            addressed.push((memory.len(), &m.pointers));
        }
        let kind = if m.variable.is_some() { AllocKind::Variable } else { AllocKind::Device };
        memory.push(ObservedMemory { base, bytes, kind, name: m.variable.clone(), contents });
    }
    for (n, pointers) in addressed {
        let Some(contents) = &mut memory[n].contents else { continue };
        for p in pointers {
            let (at, address) = (p.at as usize, starts.get(p.memory)?.wrapping_add_signed(p.offset));
            contents.0.get_mut(at..at + 8)?.copy_from_slice(&address.to_le_bytes());
        }
    }
    if concrete.executed {
        let named: BTreeSet<&str> = concrete.memory.iter().filter_map(|m| m.variable.as_deref()).collect();
        for (n, (name, v)) in variables.iter().enumerate() {
            let other = v.space == VariableSpace::Global
                && !named.contains(name.as_str())
                && !CONSTANTS.iter().any(|c| name.starts_with(c));
            if other {
                let (base, name) = (VARIABLES + n as u64 * APART, Some((*name).clone()));
                let (bytes, kind) = (v.bytes, AllocKind::Variable);
                memory.push(ObservedMemory { base, bytes, kind, name, contents: None });
            }
        }
    }
    memory.sort_by_key(|m| m.base);
    let mut bytes = vec![0u8; kernel.param_bytes as usize];
    let mut unknown = BTreeSet::new();
    let mut parameters = Vec::new();
    let mut arguments = concrete.arguments.iter();
    let mut general = Facts {
        grid: Some(concrete.grid),
        block: Some(concrete.block),
        dynamic_shared: Some(concrete.shared),
        ..Facts::default()
    };
    let mut pointers: Vec<(u32, usize, i128)> = Vec::new();
    let mut bounds = Vec::new();
    let mut loose: BTreeSet<u32> = BTreeSet::new();
    let mut any_unknown = false;
    let alone = concrete.memory.len() < 2;
    for (n, (layout, &size)) in kernel.params.iter().zip(sizes).enumerate() {
        parameters.push(Parameter { offset: layout.offset, bytes: size as u32 });
        let mut known = 0u64;
        let mut covered = 0u64;
        while covered < size {
            let a = arguments.next()?;
            if a.bytes == 0 && a.pieces.is_empty() {
                // Neither the contents nor the size of this argument is known.
                if covered > 0 {
                    return None;
                }
                covered = size;
                break;
            }
            // The parameter may be shorter than the argument.
            let shorter;
            let a = match a.open {
                true => {
                    shorter = a.first(u32::try_from(size).ok()?)?;
                    &shorter
                }
                false => a,
            };
            // A structure may end with padding.
            let padded = covered == 0 && u64::from(a.bytes) <= size && a.pieces.len() > 1;
            for p in &a.pieces {
                let at = layout.offset as usize + covered as usize + p.offset as usize;
                let value = match p.number {
                    Number::Bits(b) => b,
                    Number::Address(m, offset) => (i128::from(*starts.get(m)?) + offset) as u64,
                };
                let whole = covered == 0 && p.offset == 0 && u64::from(p.bytes) == size;
                let is_loose = |m: &Memory| !m.allocated && m.variable.is_none();
                if let Number::Address(m, _) = p.number
                    && concrete.memory.get(m).is_some_and(is_loose)
                {
                    loose.insert(n as u32);
                }
                match p.number {
                    Number::Address(m, offset) if whole && size == 8 => {
                        if let Some(&(first, _, at)) = pointers.iter().find(|(_, other, _)| *other == m) {
                            general.aliases.insert(n as u32, (first, Some(offset - at)));
                        } else {
                            pointers.push((n as u32, m, offset));
                        }
                    }
                    Number::Bits(b) if whole && matches!(size, 4 | 8) => {
                        let number =
                            if size == 4 { i128::from(b as u32 as i32) } else { i128::from(b as i64) };
                        let (test, bound) = match number {
                            1.. => (Test::Ge, 1),
                            0 => (Test::Ge, 0),
                            _ => (Test::Eq, number),
                        };
                        let name = Expr::Name(Name::Param(format!("arg{n}")));
                        general.relations.push(Relation::new(name.clone(), test, Expr::Number(bound)));
                        bounds.push(Relation::new(name.clone(), test, Expr::Number(bound)));
                        bounds.push(Relation::new(name, Test::Le, Expr::Number(number)));
                    }
                    _ => {}
                }
                let value = value.to_le_bytes();
                bytes
                    .get_mut(at..at + (p.bytes as usize).min(8))?
                    .copy_from_slice(&value[..(p.bytes as usize).min(8)]);
                known += u64::from(p.bytes);
            }
            covered = if padded { size } else { covered + u64::from(a.bytes) };
        }
        if covered != size {
            return None;
        }
        if known < size {
            unknown.insert(n as u32);
            any_unknown |= size >= 8;
        }
    }
    if arguments.next().is_some_and(|a| !a.open) {
        return None;
    }
    // An unknown pointer may lead to any other memory that is passed; a single argument has no other memory
    // to lead to.
    loose.extend(unknown.iter().filter(|&&n| sizes[n as usize] >= 8));
    if alone && !any_unknown && linked.variables.is_empty() {
        loose.clear();
    }
    let apart = match !loose.is_empty() {
        true => vec![crate::facts::APART.to_owned()],
        false => Vec::new(),
    };
    let dim = |d: [u32; 3]| Dim3::new(d[0], d[1], d[2]);
    let info = LaunchInfo {
        kernel: kernel.name.clone(),
        grid: dim(concrete.grid),
        block: dim(concrete.block),
        cluster: concrete.cluster.map(dim).or(kernel.cluster).unwrap_or(Dim3::ONE),
        cooperative: concrete.cooperative,
        shared_bytes: kernel.static_shared + concrete.shared,
        uses: kernel.uses,
    };
    let facts = LaunchFacts { dynamic_shared: concrete.shared, bytes, parameters, shared: Vec::new() };
    let launch = Arc::new(ObservedLaunch { info, facts, memory });
    let places = starts;
    let (executed, sure) = (concrete.executed, concrete.sure);
    let untouched = as_written;
    Some(KnownLaunch { launch, unknown, apart, loose, untouched, bounds, general, executed, sure, places })
}
