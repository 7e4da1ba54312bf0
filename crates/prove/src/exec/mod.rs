//! Symbolic execution of a kernel by one arbitrary thread.
//!
//! Registers hold unbounded integers that stand for the machine's. Addition, subtraction and multiplication
//! agree for both. Wherever the difference is observable (a widening conversion, a comparison, a right
//! shift), it is proved or assumed (and reported) that there is none, or the remainder is taken.
//!
//! Blocks are executed once, in reverse postorder. Where paths join, differing values become a symbol with a
//! case for each path. A loop's body is executed a few times to learn how its registers change: registers
//! that grow by a constant amount are linear in the iteration count, others become symbols. Everything that
//! is not modelled becomes an unconstrained symbol, which is safe.
//!
//! **Size:** the state of the execution, a field for each kind of fact that a summary has.

mod arith;
mod block_barriers;
mod boxes;
mod boxes_out;
mod cluster;
mod compare;
mod descriptor;
mod division;
mod elements;
mod grid;
mod integer;
mod inverse;
mod join;
mod launch_arguments;
mod launch_facts;
mod loops;
mod matrix;
mod memory;
mod periodic;
mod state;
mod summary;
mod warps;

pub use cluster::Cluster;
pub(crate) use elements::Loads;
pub(crate) use integer::{param_index, param_name};
pub(crate) use state::{Edges, State, Val};
pub(crate) use summary::ElementFact;
pub use summary::{Element, Paths, Summary};
pub use warps::{Lanes, Together};

use crate::facts::assume::{Meaningless, Part};
use crate::facts::{Assumed, Facts};
use crate::kernel::access::Access;
use crate::kernel::instructions;
use crate::kernel::shape::{Shape, Unstructured};
use crate::solver::cond::{Cond, push};
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::{Attr, Syms};
use crate::sync::async_copies::Groups;
use crate::sync::named_barriers::BarUse;
use crate::sync::products::Place;
use crate::sync::proxies::Proxies;
use crate::sync::split_barriers::MbarrierUse;
use kernels::Linked;
use ptx::cfg::{BlockId, Cfg};
use ptx::flat::{Arg, Flat, VarRole};
use ptx::op::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Limits the executed instructions, for pathological kernels.
const MOST_STEPS: u64 = 400_000;

/// Number of instructions between two checks of the time.
const STEPS_BETWEEN_LOOKS: u64 = 64;

/// Limits the total number of conditions in paths and guards, which take some hundreds of megabytes.
const MOST_CONDITIONS: usize = 2_000_000;

pub(crate) struct Exec<'a> {
    pub(crate) linked: &'a Linked<'a>,
    pub(crate) flat: &'a Flat<'a>,
    pub(crate) source: usize,
    pub(crate) cfg: Cfg,
    pub(crate) shape: Shape,
    pub(crate) syms: Syms,
    pub(crate) facts: &'a Facts,
    pub(crate) stop: &'a dyn Fn() -> bool,
    pub(crate) assumed: Assumed,
    pub(crate) accesses: Vec<Access>,
    pub(crate) bases: FxHashMap<usize, Option<Sym>>,
    pub(crate) recording: bool,
    pub(crate) loads: Loads,
    /// The lanes of warp barriers, by instruction; and the sizes of tiles, by mask.
    pub(crate) warp_syncs: FxHashMap<usize, Lanes>,
    pub(crate) tiles: FxHashMap<Sym, u32>,
    /// Uses of mbarriers and of named barriers, by instruction.
    pub(crate) mbarriers: FxHashMap<usize, MbarrierUse>,
    pub(crate) bars: FxHashMap<usize, BarUse>,
    pub(crate) clusters: cluster::Clusters,
    /// The attribute of the conditional branch at the end of each block.
    pub(crate) branches: Vec<Option<Attr>>,
    /// The conditions of the branches that leave each block.
    pub(crate) decided: Vec<Vec<Cond>>,
    pub(crate) turns: Vec<Option<Sym>>,
    pub(crate) heads: FxHashMap<Sym, (usize, Poly)>,
    pub(crate) given: Vec<Cond>,
    pub(crate) names: Vec<String>,
    /// Sizes of the variables in shared memory whose accesses are within them.
    pub(crate) extents: FxHashMap<String, u32>,
    /// Alignments of the variables in shared memory.
    pub(crate) alignments: FxHashMap<String, u32>,
    /// Parameters that point to arrays of different or non-decreasing elements, and the elements that were read.
    pub(crate) element_facts: Vec<ElementFact>,
    pub(crate) elements: Vec<Element>,
    pub(crate) paths: Paths,
    /// The amounts that atomics add to a cooperative launch's memory, by instruction.
    pub(crate) added: FxHashMap<usize, Poly>,
    /// Symbols with one of two values, selected by a condition.
    pub(crate) splits: division::Splits,
    /// Parts of the observed launch's parameters that were read.
    pub(crate) read: BTreeSet<Part>,
    /// Values that strong operations have read.
    pub(crate) polled: FxHashSet<Sym>,
    pub(crate) constants: FxHashSet<Option<Sym>>,
    pub(crate) steps: u64,
    pub(crate) conditions: usize,
    pub(crate) here: BlockId,
    pub(crate) inst: usize,
    pub(crate) guard: Option<Cond>,
    /// Conditions on the path to the instruction, without its own guard.
    pub(crate) known: Vec<Cond>,
}

/// The unsupported part of a kernel, as a message. Such a kernel has no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotUnderstood(pub String);

impl From<Unstructured> for NotUnderstood {
    fn from(why: Unstructured) -> Self {
        NotUnderstood(why.to_string())
    }
}

impl From<Meaningless> for NotUnderstood {
    fn from(why: Meaningless) -> Self {
        NotUnderstood(why.to_string())
    }
}

/// Summarises a kernel, unless `stop` ends the analysis.
pub fn summarise(
    linked: &Linked<'_>,
    kernel: usize,
    facts: &Facts,
    noreturn: &dyn Fn(&str) -> bool,
    stop: &dyn Fn() -> bool,
) -> Result<Summary, NotUnderstood> {
    let once = |loads| summarise_once(linked, kernel, facts, noreturn, stop, loads);
    let summary = once(Loads::default())?;
    // If mbarriers order two threads, one may read a location at which the other later reads another value.
    match (&summary.pipelines, Loads::again(&summary)) {
        (Some(_), _) => once(Loads::of_own()),
        (None, Some(loads)) => once(loads).or(Ok(summary)),
        (None, None) => Ok(summary),
    }
}

/// Summarises a kernel where no two loads need have read the same value: each thread has its own for every load.
pub(crate) fn summarise_own(
    linked: &Linked<'_>,
    kernel: usize,
    facts: &Facts,
    noreturn: &dyn Fn(&str) -> bool,
    stop: &dyn Fn() -> bool,
) -> Result<Summary, NotUnderstood> {
    summarise_once(linked, kernel, facts, noreturn, stop, Loads::of_own())
}

fn summarise_once(
    linked: &Linked<'_>,
    kernel: usize,
    facts: &Facts,
    noreturn: &dyn Fn(&str) -> bool,
    stop: &dyn Fn() -> bool,
    loads: Loads,
) -> Result<Summary, NotUnderstood> {
    let kernel = &linked.kernels[kernel];
    let function = &linked.functions[kernel.function];
    let inlined = crate::kernel::inline::inlined(linked, kernel);
    let flat = inlined.as_ref().map_or(&function.flat, |i| &i.flat);
    let (mut unmodelled, mut writes_are_known) = (None, true);
    let (mut fetches, mut tensors, mut writes, mut tensors_written) = (false, false, false, false);
    for inst in &flat.instructions {
        let op = inst.op.as_ref().ok();
        fetches |= matches!(op, Some(Op::Tex { .. }));
        tensors |= op.is_some_and(instructions::is_box_load);
        tensors_written |= op.is_some_and(instructions::is_box_store);
        writes |= op.is_some_and(|op| instructions::writes_global(op, &inst.args));
        if let Some(what) = instructions::not_understood(op, inst, noreturn) {
            let Some(op) = op.filter(|op| instructions::goes_on(op)) else { return Err(NotUnderstood(what)) };
            writes_are_known &= !instructions::writes_global(op, &inst.args);
            unmodelled.get_or_insert(what);
        }
    }
    let mut cfg = Cfg::new(flat, noreturn);
    crate::sync::wait_loops::drop_retries(flat, &mut cfg);
    let shape = Shape::new(&cfg)?;
    let names = (0..kernel.params.len()).map(|i| format!("arg{i}")).collect();
    let variables = kernel.shared_variables.iter().filter(|_| facts.within && !facts.exact);
    let mut extents: FxHashMap<String, u32> = FxHashMap::default();
    for (name, bytes) in variables.filter_map(|v| Some((v.name.clone(), v.bytes?))) {
        let extent = extents.entry(name).or_default();
        *extent = bytes.max(*extent);
    }
    let mut alignments: FxHashMap<String, u32> = FxHashMap::default();
    for v in flat.variables.iter().filter(|v| v.role == VarRole::Shared) {
        let declared = v.decl.align.unwrap_or(1);
        let align = alignments.entry(v.decl.name.text.to_string()).or_insert(declared);
        *align = declared.min(*align);
    }
    let mut exec = Exec {
        linked,
        flat,
        source: function.source,
        branches: vec![None; cfg.blocks.len()],
        decided: vec![Vec::new(); cfg.blocks.len()],
        turns: vec![None; shape.loops.len()],
        cfg,
        shape,
        syms: Syms::default(),
        facts,
        stop,
        assumed: Assumed::new(),
        accesses: Vec::new(),
        bases: FxHashMap::default(),
        recording: true,
        loads,
        warp_syncs: FxHashMap::default(),
        tiles: FxHashMap::default(),
        mbarriers: FxHashMap::default(),
        bars: FxHashMap::default(),
        clusters: cluster::Clusters::new(flat, facts.cluster().or(kernel.cluster)),
        heads: FxHashMap::default(),
        given: Vec::new(),
        names,
        extents,
        alignments,
        element_facts: Vec::new(),
        elements: Vec::new(),
        paths: Paths::default(),
        added: FxHashMap::default(),
        splits: division::Splits::default(),
        read: BTreeSet::new(),
        polled: FxHashSet::default(),
        constants: FxHashSet::default(),
        steps: 0,
        conditions: 0,
        here: BlockId(0),
        inst: 0,
        guard: None,
        known: Vec::new(),
    };
    exec.coordinates(kernel);
    exec.relations()?;
    if !exec.cfg.blocks.is_empty() {
        exec.region(None, BlockId(0), State::default())?;
    }
    exec.keep_elements(writes_are_known)?;
    exec.boxes(kernel, &mut unmodelled);
    exec.boxes_out(kernel, &mut unmodelled);
    let (barriers, other_barriers, pipelines) = exec.barriers(kernel, &mut unmodelled);
    let grids = exec.grid_barriers(&barriers);
    let cluster = exec.clustered(&barriers, &mut unmodelled);
    let groups = Groups::of(flat);
    let place = Place { flat, cfg: &exec.cfg, shape: &exec.shape };
    if let Err(why) = crate::sync::products::check(place, groups.products()) {
        unmodelled.get_or_insert(why.to_owned());
    }
    let proxies = Proxies::of(place, &exec.accesses);
    let number = exec.syms.thread_number.clone();
    let number = number.map(|number| exec.syms.divide(&number, &Poly::constant(32)).0);
    let lanes = exec.lanes_together(&barriers);
    let mut bases = exec.bases;
    if let Some(inlined) = &inlined {
        let of_kernel = |(inst, base): (usize, Option<Sym>)| Some((inlined.own[inst]?, base));
        bases = bases.into_iter().filter_map(of_kernel).collect();
    }
    Ok(Summary {
        syms: exec.syms,
        accesses: exec.accesses,
        elements: exec.elements,
        fences: instructions::fences(flat),
        paths: exec.paths,
        read: exec.read,
        polled: exec.polled,
        constants: exec.constants,
        barriers,
        other_barriers,
        pipelines,
        grids,
        cluster,
        lanes,
        warp_number: number,
        groups,
        proxies,
        shape: exec.shape,
        cfg: exec.cfg,
        assumed: exec.assumed,
        given: exec.given,
        turns: exec.turns,
        heads: exec.heads,
        names: exec.names,
        bases,
        inlined: inlined.is_some(),
        unmodelled,
        writes_are_known,
        textures: fetches && writes,
        tensors: tensors && writes,
        tensors_written,
        loose: if facts.strict { facts.loose.clone() } else { Default::default() },
    })
}

impl Exec<'_> {
    /// Executes the blocks of a loop, or all blocks; returns the states on the edges that leave it or lead to its head.
    pub(crate) fn region(
        &mut self,
        inside: Option<usize>,
        entry: BlockId,
        state: State,
    ) -> Result<Edges, NotUnderstood> {
        let mut edges: Edges = Edges::default();
        let mut leaving: Edges = Edges::default();
        let order: Vec<BlockId> = self
            .shape
            .order
            .iter()
            .copied()
            .filter(|&b| inside.is_none_or(|l| self.shape.contains(l, b)))
            .collect();
        let mut done = vec![false; self.cfg.blocks.len()];
        let mut first = Some(state);
        for b in order {
            if std::mem::replace(&mut done[b.0 as usize], true) {
                continue;
            }
            let arriving = if b == entry && first.is_some() {
                first.take()
            } else {
                let mut incoming: Vec<State> = Vec::new();
                for p in self.cfg.block(b).predecessors.clone() {
                    incoming.extend(edges.remove(&(p, b)));
                }
                self.join(b, incoming)
            };
            let child = self.shape.around(b).find(|&l| self.shape.loops[l].parent == inside);
            let head_of = child.filter(|&l| self.shape.loops[l].header == b && Some(l) != inside);
            let out: Edges = match (arriving, head_of) {
                (None, Some(l)) => {
                    self.mark(l, &mut done);
                    continue;
                }
                (None, None) => continue,
                (Some(state), Some(l)) => {
                    self.mark(l, &mut done);
                    self.turn_around(l, state)?
                }
                (Some(state), None) => self.block(b, state)?,
            };
            for ((from, to), state) in out {
                if self.recording {
                    self.conditions += state.path.len();
                    self.paths.edges.insert((from, to), state.path.clone());
                }
                let stays =
                    inside.is_none_or(|l| self.shape.contains(l, to) && to != self.shape.loops[l].header);
                if stays {
                    edges.insert((from, to), state)
                } else {
                    leaving.insert((from, to), state)
                };
            }
        }
        Ok(leaving)
    }

    /// Records that some threads leave a block here and others do not.
    fn decides(&mut self, b: BlockId, guard: &Cond) {
        self.branches[b.0 as usize] = Some(self.syms.cond_attr(guard));
        if self.recording {
            self.decided[b.0 as usize].push(guard.clone());
        }
    }

    fn mark(&self, l: usize, done: &mut [bool]) {
        for (b, inside) in self.shape.loops[l].body.iter().enumerate() {
            done[b] |= *inside;
        }
    }

    fn block(&mut self, b: BlockId, mut state: State) -> Result<Edges, NotUnderstood> {
        let block = self.cfg.block(b).clone();
        self.here = b;
        if self.recording {
            self.conditions += state.path.len();
            self.paths.blocks.insert(b, state.path.clone());
        }
        let mut out = Edges::default();
        for i in block.start..block.end {
            self.steps += 1;
            if self.steps > MOST_STEPS || self.conditions > MOST_CONDITIONS {
                return Err(NotUnderstood("it is too large".into()));
            }
            if self.steps.is_multiple_of(STEPS_BETWEEN_LOOKS) && (self.stop)() {
                return Err(NotUnderstood("its time is used up".into()));
            }
            let inst = &self.flat.instructions[i as usize];
            self.inst = i as usize;
            let guard = match inst.guard {
                None => Cond::True,
                Some(g) => {
                    let c = self.pred(&state, &Arg::Reg(g.register));
                    let c = if g.negated { c.not() } else { c };
                    self.syms.simplified(c)
                }
            };
            let op = inst
                .op
                .as_ref()
                .map_err(|_| NotUnderstood("an instruction that cannot be decoded".into()))?;
            match op {
                Op::Bra { .. } => {
                    let target = inst.args.iter().find_map(|a| match a {
                        Arg::Label(l) => Some(self.flat.labels[l.0 as usize].target),
                        _ => None,
                    });
                    let to = target.filter(|&t| (t as usize) < self.flat.instructions.len());
                    let to = to.map(|target| self.cfg.block_of(target));
                    // A retried wait has no edge to itself.
                    let retried = to == Some(b) && !block.successors.contains(&b);
                    if !matches!(guard, Cond::True | Cond::False) && !retried {
                        self.decides(b, &guard);
                    }
                    if let Some(to) = to.filter(|_| guard != Cond::False && !retried) {
                        let mut taken = state.clone();
                        push(&mut taken.path, &guard);
                        out.insert((b, to), taken);
                    }
                    push(&mut state.path, &guard.not());
                    if guard == Cond::True {
                        return Ok(out);
                    }
                }
                Op::Ret | Op::Exit | Op::Trap => {
                    if !matches!(guard, Cond::True | Cond::False) {
                        self.decides(b, &guard);
                    }
                    if self.recording && guard != Cond::True {
                        let mut ending = state.path.clone();
                        push(&mut ending, &guard);
                        self.conditions += ending.len();
                        self.paths.ends.push((b, ending));
                    }
                    if guard == Cond::True {
                        return Ok(out);
                    }
                    push(&mut state.path, &guard.not());
                }
                _ if guard == Cond::False => {}
                _ => {
                    self.guard = Some(guard);
                    if self.known.len() != state.path.len() || i == block.start {
                        self.known.clone_from(&state.path);
                    }
                    self.instruction(&mut state, op, &inst.args);
                    if matches!(op, Op::Call) && block.successors.is_empty() {
                        return Ok(out);
                    }
                }
            }
        }
        // Control falls through.
        if (block.end as usize) < self.flat.instructions.len() {
            let next = self.cfg.block_of(block.end);
            if block.successors.contains(&next) {
                match out.remove(&(b, next)) {
                    // Both edges lead there.
                    Some(mut taken) => {
                        taken.path.retain(|c| state.path.contains(c));
                        out.insert((b, next), taken);
                    }
                    None => {
                        out.insert((b, next), state);
                    }
                }
            }
        }
        Ok(out)
    }

    pub(crate) fn attr(&self, v: &Val) -> Attr {
        match v {
            Val::Int(p) => self.syms.attr(p),
            Val::Pred(c) => self.syms.cond_attr(c),
            Val::Any(a) => *a,
        }
    }

    /// Returns the loops around the executed block.
    pub(crate) fn loops_here(&self) -> u64 {
        self.shape.around(self.here).fold(0, |mask, l| mask | 1 << l)
    }

    pub(crate) fn path_and_guard(&self, state: &State) -> Vec<Cond> {
        let mut all = state.path.clone();
        if let Some(g) = &self.guard {
            push(&mut all, g);
        }
        all
    }
}
