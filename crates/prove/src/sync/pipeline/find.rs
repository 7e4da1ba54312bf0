//! Finds a kernel's mbarriers, their waits and their arrivals.

use super::iteration::Ways;
use super::{BulkCopies, Class, Form, Pipelines, WARPGROUP};
use crate::kernel::access::{Access, Space};
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::{Attr, Kind, Syms};
use crate::sync::split_barriers::{BarrierFacts, MbarrierUse};
use crate::sync::wait_loops::Waited;
use ptx::op::{MbarrierOp, Op, Sem};

pub(super) const WHICH: &str = "it has mbarriers of which it is not known which they are, not modelled yet";
const ELSE: &str = "it has mbarriers in memory that may be used otherwise, not modelled yet";
const HOW: &str = "it uses mbarriers in other ways than arriving and waiting, not modelled yet";
pub(super) const NESTED: &str = "it has mbarriers in loops of loops, not modelled yet";
pub(super) const PHASE: &str =
    "it waits for phases of mbarriers in another order than one after the other, not modelled yet";
pub(super) const WHO: &str = "it has mbarriers at which others may arrive than are counted, not modelled yet";
const EARLY: &str = "it has mbarriers at which threads may arrive a phase too early, not modelled yet";

/// Size of an mbarrier.
const BYTES: i128 = 8;

/// Limits the mbarriers of a ring.
const MOST_STAGES: i128 = 64;

/// An arrival of one.
const ARRIVE: MbarrierOp = MbarrierOp::Arrive { drop: false, no_complete: false, expect_tx: false };

/// A use of an mbarrier.
pub(super) struct Use<'a> {
    pub(super) inst: usize,
    pub(super) op: MbarrierOp,
    /// Whether it is an arrival that copies of its thread make.
    pub(super) of_copies: bool,
    pub(super) form: Form,
    pub(super) of_loop: Option<usize>,
    pub(super) used: &'a MbarrierUse,
}

/// The mbarriers that an instruction may use, before they are divided into classes.
struct Place<'a> {
    inst: usize,
    op: MbarrierOp,
    of_copies: bool,
    base: Sym,
    at: &'a Poly,
    /// Bounds of the offset.
    lo: i128,
    hi: i128,
    used: &'a MbarrierUse,
}

impl Use<'_> {
    pub(super) fn is_init(&self) -> bool {
        matches!(self.op, MbarrierOp::Init)
    }
}

/// Returns all mbarriers, waits and arrivals of a kernel, or the unsupported use. `waited` are its waiting
/// loops. Named barriers that are not understood order nothing.
pub(crate) fn find(
    asked: &BarrierFacts<'_>,
    branches: &[Option<Attr>],
    waited: &[Waited],
    syms: &mut Syms,
) -> Result<Pipelines, &'static str> {
    let ways = Ways { cfg: asked.cfg, shape: asked.shape, branches };
    let find = Find { asked, ways, waited };
    match find.all(syms, true) {
        Ok(found) => Ok(found),
        Err(_) => find.all(syms, false),
    }
}

pub(super) struct Find<'a> {
    pub(super) asked: &'a BarrierFacts<'a>,
    pub(super) ways: Ways<'a>,
    pub(super) waited: &'a [Waited],
}

impl<'a> Find<'a> {
    /// Returns all mbarriers, and named barriers of some threads if `with_named`.
    fn all(&self, syms: &mut Syms, with_named: bool) -> Result<Pipelines, &'static str> {
        let thread = syms.thread_number.clone().ok_or(WHO)?;
        let (nth, _) = syms.divide(&thread, &Poly::constant(WARPGROUP));
        let warpgroup = nth.scaled(WARPGROUP).ok_or(WHO)?;
        let mut found = Pipelines {
            classes: Vec::new(),
            waits: Vec::new(),
            arrivals: Vec::new(),
            branches: self.ways.branches.to_vec(),
            thread,
            warpgroup,
            copies: BulkCopies::default(),
        };
        let uses = self.uses(syms, &mut found)?;
        self.set_up(syms, &uses, &mut found)?;
        self.number_arrivals(syms, &uses, &mut found)?;
        self.order_waits(syms, &uses, &mut found);
        if with_named {
            self.add_named(syms, &mut found).ok_or(WHO)?;
        }
        self.who_arrives(syms, &mut found)?;
        if !super::knowledge::spread(syms, self.asked, self.ways, &mut found) {
            return Err(EARLY);
        }
        Ok(found)
    }

    /// Collects all uses of mbarriers.
    fn uses(&self, syms: &mut Syms, found: &mut Pipelines) -> Result<Vec<Use<'a>>, &'static str> {
        let trying: Vec<bool> =
            (0..self.asked.cfg.blocks.len()).map(|b| self.waited.iter().any(|w| w.region[b])).collect();
        let all = self.places(syms)?;
        self.apart_from_data(syms, &all)?;
        // Mbarriers that may be the same belong to one class.
        let mut classes: Vec<(Sym, i128, i128)> = Vec::new();
        for place in &all {
            let (mut lo, mut hi) = (place.lo, place.hi);
            classes.retain(|&(base, from, to)| {
                let apart = base != place.base || to + BYTES <= lo || from >= hi + BYTES;
                if !apart {
                    (lo, hi) = (lo.min(from), hi.max(to));
                }
                apart
            });
            classes.push((place.base, lo, hi));
        }
        found.classes = vec![Class { count: Poly::default(), named: false, who: None }; classes.len()];
        let mut uses = Vec::new();
        for Place { inst, op, of_copies, base, at, lo, used, .. } in all {
            let is_of = |&(b, from, to): &(Sym, i128, i128)| b == base && from <= lo && lo <= to;
            let class = classes.iter().position(is_of).ok_or(WHICH)?;
            if matches!(op, MbarrierOp::Init) {
                let form = Form { class, first: 0, stride: 0, ring: 1, shift: 0 };
                uses.push(Use { inst, op, of_copies, form, of_loop: None, used });
                continue;
            }
            let of_loop = self.ways.outermost(self.ways.block(inst), &trying).map_err(|()| NESTED)?;
            let form = self.form(syms, class, at, of_loop).ok_or(WHICH)?;
            uses.push(Use { inst, op, of_copies, form, of_loop, used });
        }
        // All uses of a class have the same address form, or are of one of its mbarriers and outside loops.
        let real = || uses.iter().filter(|u| !u.is_init());
        let of_class = |class: usize| real().map(|u| u.form).filter(move |form| form.class == class);
        let alike = |u: &Use<'_>| {
            let whole = of_class(u.form.class).max_by_key(|form| form.ring);
            let is_one = |whole: &Form| whole.selects(&u.form) && u.of_loop.is_none();
            whole.is_none_or(|whole| whole.is_like(&u.form) || is_one(&whole))
        };
        if !real().all(alike) {
            return Err(WHICH);
        }
        Ok(uses)
    }

    /// Returns the places of all reachable uses, or the unsupported one.
    fn places(&self, syms: &Syms) -> Result<Vec<Place<'a>>, &'static str> {
        let mut all = Vec::new();
        for (inst, code) in self.asked.flat.instructions.iter().enumerate() {
            let (op, sem, of_copies) = match &code.op {
                Ok(Op::Mbarrier { op, sem, .. }) => (*op, *sem, false),
                Ok(Op::CpAsyncMbarrierArrive { noinc: true, .. }) => (ARRIVE, Sem::Release, true),
                _ => continue,
            };
            if self.asked.shape.place[self.ways.block(inst).0 as usize].is_none() {
                continue;
            }
            let used = self.asked.used.get(&inst).ok_or(WHICH)?;
            let one = |n: &Option<Poly>| n.as_ref().is_none_or(|n| n.as_constant() == Some(1));
            let fits = match op {
                MbarrierOp::Init => true,
                MbarrierOp::Arrive { drop: false, no_complete: false, expect_tx } => {
                    sem == Sem::Release && code.guard.is_none() && (expect_tx || one(&used.number))
                }
                MbarrierOp::Wait { .. } => sem == Sem::Acquire && code.guard.is_none(),
                _ => false,
            };
            if !fits {
                return Err(HOW);
            }
            let (base, at) = used.object.as_ref().ok_or(WHICH)?;
            let range = syms.range(at);
            let (Some(lo), Some(mut hi)) = (range.lo, range.hi) else { return Err(WHICH) };
            if matches!(op, MbarrierOp::Init) {
                hi = self.least_bound(syms, used, at, (lo, hi));
            }
            all.push(Place { inst, op, of_copies, base: *base, at, lo, hi, used });
        }
        Ok(all)
    }

    /// Fails if another access touches the mbarriers.
    fn apart_from_data(&self, syms: &Syms, all: &[Place<'_>]) -> Result<(), &'static str> {
        for Place { base, at, lo, hi, .. } in all {
            let own = matches!(&syms.get(*base).kind, Kind::Shared(name) if (self.asked.alone)(name));
            let aligned = at.terms().iter().all(|(_, c)| c % BYTES == 0);
            let apart = |a: &Access| match (a.space, a.base) {
                (Space::Global, _) => true,
                (_, Some(b)) if b != *base => true,
                (_, Some(_)) => {
                    let of = syms.range(&a.offset);
                    of.hi.is_some_and(|h| h + i128::from(a.bytes) <= *lo)
                        || of.lo.is_some_and(|l| l >= hi + BYTES)
                }
                (_, None) => false,
            };
            if !(own && aligned && self.asked.accesses.iter().all(apart)) {
                return Err(ELSE);
            }
        }
        Ok(())
    }

    /// Returns how an address rotates with the iterations of a loop.
    fn form(&self, syms: &Syms, class: usize, at: &Poly, of_loop: Option<usize>) -> Option<Form> {
        if let Some(first) = at.as_constant() {
            return Some(Form { class, first, stride: 0, ring: 1, shift: 0 });
        }
        let turn = Poly::sym(self.asked.turns[of_loop?]?);
        let first = at.constant_term();
        let rest = at.plus_constant(-first);
        let [(m, stride)] = rest.terms() else { return None };
        let [s] = m[..] else { return None };
        let Kind::Remainder { of, by } = &syms.get(s).kind else { return None };
        let (ring, shift) = (by.as_constant()?, of.minus(&turn).as_constant()?);
        let fits = *stride >= BYTES && (2..=MOST_STAGES).contains(&ring) && shift >= 0;
        fits.then_some(Form { class, first, stride: *stride, ring, shift: shift % ring })
    }

    /// Returns the uses of one mbarrier that a thread makes in the same iterations of a loop, in order, and
    /// the index of `one` among them.
    pub(super) fn among<'u>(
        &self,
        one: &Use<'_>,
        uses: &'u [Use<'a>],
        kind: fn(&MbarrierOp) -> bool,
    ) -> Option<(Vec<&'u Use<'a>>, usize)> {
        let l = one.of_loop?;
        let block = |u: &Use<'_>| self.ways.block(u.inst);
        let with = |u: &&Use<'_>| {
            kind(&u.op)
                && u.form == one.form
                && u.of_loop == one.of_loop
                && self.ways.in_each_turn(block(one), block(u), l)
                && self.ways.in_each_turn(block(u), block(one), l)
        };
        let mut all: Vec<&Use<'_>> = uses.iter().filter(with).collect();
        all.sort_by_key(|u| (self.ways.shape.place[block(u).0 as usize], u.inst));
        let ordered = all.windows(2).all(|w| self.ways.is_first(w[0].inst, w[1].inst));
        let nth = all.iter().position(|u| u.inst == one.inst)?;
        ordered.then_some((all, nth))
    }

    /// Returns uses outside loops of the mbarrier at a place, of the same class, on every path to this one.
    pub(super) fn dominating<'u>(
        &'u self,
        one: &'u Use<'_>,
        uses: &'u [Use<'a>],
        kind: fn(&MbarrierOp) -> bool,
        place: i128,
    ) -> impl Iterator<Item = &'u Use<'a>> + 'u {
        let form = Form::fixed(one.form.class, place);
        uses.iter().filter(move |u| {
            kind(&u.op) && u.form == form && u.of_loop.is_none() && self.ways.is_first(u.inst, one.inst)
        })
    }

    /// Returns a loop's iteration; without a loop it is zero.
    pub(super) fn turn(&self, l: Option<usize>) -> Option<Poly> {
        l.map_or(Some(Poly::default()), |l| self.asked.turns[l].map(Poly::sym))
    }
}
