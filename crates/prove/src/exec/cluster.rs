//! Memory of other blocks of a cluster.
//!
//! `mapa` (PTX §9.7.9.24) maps the address of a variable in shared memory to that of the same variable in the
//! block with a given rank. Here the result is the address plus a symbol for the rank ([`Kind::Far`]), which
//! an access removes again. If the kernel uses `mapa` at all, an address for which this is unknown makes the
//! kernel unknown.

use super::{Exec, State, Val};
use crate::kernel::access::Space;
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range};
use crate::solver::symbols::{Attr, Axis, Kind, Level};
use events::Dim3;
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Flat};
use ptx::op::{MemSpace, Op};
use ptx::sreg::SpecialReg;

/// Upper bound on the blocks of a cluster if their number is unknown: far more than any device has.
const MOST_BLOCKS: i128 = 1 << 16;

/// A thread's position among clusters.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The block's rank in its cluster.
    pub rank: Poly,
    /// Values that are equal for blocks of one cluster.
    pub place: Vec<Poly>,
    /// Barriers that all threads of a cluster pass together, by instruction.
    pub barriers: Vec<usize>,
}

/// The known facts about a kernel's clusters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clusters {
    /// The extents of a cluster.
    extents: Option<Dim3>,
    /// Whether the kernel computes addresses in other blocks.
    mapped: bool,
    /// Whether such an address is not tracked.
    lost: bool,
}

impl Clusters {
    pub(super) fn new(flat: &Flat<'_>, extents: Option<Dim3>) -> Clusters {
        let mapped = flat.instructions.iter().any(|i| matches!(i.op, Ok(Op::Mapa { .. })));
        Clusters { extents, mapped, lost: false }
    }

    /// Returns whether an axis may have several blocks because a cluster has them.
    pub(super) fn several(&self, axis: Axis) -> bool {
        match self.extents {
            Some(d) => [d.x, d.y, d.z][axis as usize] > 1,
            None => self.mapped && axis == Axis::X,
        }
    }
}

impl Exec<'_> {
    /// Returns a cluster's extent along an axis, the block's index in it and the cluster's index.
    fn along(&mut self, axis: Axis, extents: Dim3) -> (Poly, Poly, Poly) {
        let n = Poly::constant(i128::from([extents.x, extents.y, extents.z][axis as usize]));
        let index = self.known(Kind::Ctaid(axis));
        let (cluster, inside) = self.syms.divide(&index, &n);
        (n, inside, cluster)
    }

    /// Returns the block's rank in its cluster, counted along x first.
    fn rank(&mut self) -> Poly {
        if let Some(extents) = self.clusters.extents {
            let mut rank = Poly::default();
            for axis in [Axis::Z, Axis::Y, Axis::X] {
                let (n, inside, _) = self.along(axis, extents);
                rank = rank.times(&n).unwrap_or_default().plus(&inside);
            }
            return rank;
        }
        let size = self.cluster_size();
        let attr = Attr { level: Level::Block, loops: 0 };
        let (rank, new) = self.syms.intern(Kind::ClusterRank, attr, Range::of(0, MOST_BLOCKS - 1));
        if new {
            self.syms.get_mut(rank).facts = vec![Cond::lt(&Poly::sym(rank), &size)];
        }
        Poly::sym(rank)
    }

    fn cluster_size(&mut self) -> Poly {
        if let Some(d) = self.clusters.extents {
            return Poly::constant([d.x, d.y, d.z].into_iter().map(i128::from).product());
        }
        Poly::sym(self.syms.intern(Kind::ClusterSize, Attr::GRID, Range::of(1, MOST_BLOCKS)).0)
    }

    /// Returns special registers about clusters, and unknown values for all others.
    pub(super) fn special_of_cluster(&mut self, s: SpecialReg) -> Val {
        use SpecialReg as S;
        let (axis, which) = match s {
            S::ClusterCtarank => return Val::Int(self.rank()),
            S::ClusterNctarank => return Val::Int(self.cluster_size()),
            S::ClusterNctaidX => (Axis::X, 0),
            S::ClusterNctaidY => (Axis::Y, 0),
            S::ClusterNctaidZ => (Axis::Z, 0),
            S::ClusterCtaidX => (Axis::X, 1),
            S::ClusterCtaidY => (Axis::Y, 1),
            S::ClusterCtaidZ => (Axis::Z, 1),
            S::ClusteridX => (Axis::X, 2),
            S::ClusteridY => (Axis::Y, 2),
            S::ClusteridZ => (Axis::Z, 2),
            _ => return Val::Any(Attr { level: Level::Thread, loops: self.loops_here() }),
        };
        match self.clusters.extents {
            Some(extents) => {
                let (n, inside, cluster) = self.along(axis, extents);
                Val::Int([n, inside, cluster][which].clone())
            }
            None => Val::Any(Attr { level: Level::Block, loops: 0 }),
        }
    }

    /// Executes `mapa`.
    pub(super) fn mapped(&mut self, state: &State, args: &[Arg<'_>]) -> Option<Val> {
        let address = self.int(state, &args[1], 64);
        let rank = self.int(state, &args[2], 32);
        let rank = self.seen_as(&rank, ScalarType::U32);
        let base = self.base(&address).map(|s| self.syms.get(s).kind.clone());
        if !matches!(base, Some(Kind::Shared(_))) || self.is_far(&address) {
            self.clusters.lost |= self.recording;
            return None;
        }
        let attr = self.syms.attr(&rank);
        let (far, _) = self.syms.intern(Kind::Far(rank), attr, Range::of(0, 1 << 56));
        Some(Val::Int(address.plus(&Poly::sym(far))))
    }

    /// Executes `getctarank` (PTX §9.7.9.25).
    pub(super) fn rank_of(&mut self, state: &State, args: &[Arg<'_>]) -> Option<Val> {
        let address = self.int(state, &args[1], 64);
        let base = self.base(&address).map(|s| self.syms.get(s).kind.clone());
        if !matches!(base, Some(Kind::Shared(_))) {
            return Some(Val::Any(Attr { level: Level::Thread, loops: self.loops_here() }));
        }
        match self.far(&address) {
            Some((_, rank)) => Some(Val::Int(rank)),
            None if self.is_far(&address) => {
                Some(Val::Any(Attr { level: Level::Thread, loops: self.loops_here() }))
            }
            None => Some(Val::Int(self.rank())),
        }
    }

    fn is_far(&self, address: &Poly) -> bool {
        address.syms().any(|s| matches!(self.syms.get(s).kind, Kind::Far(_)))
    }

    /// Splits an address in another block's memory into the corresponding own address and the block's rank.
    fn far(&self, address: &Poly) -> Option<(Poly, Poly)> {
        let mut found = None;
        for (m, c) in address.terms() {
            for s in m.iter() {
                if let Kind::Far(rank) = &self.syms.get(*s).kind
                    && (m.len() != 1 || *c != 1 || found.replace((*s, rank.clone())).is_some())
                {
                    return None;
                }
            }
        }
        let (s, rank) = found?;
        Some((address.minus(&Poly::sym(s)), rank))
    }

    /// Returns an access's address in a block's own memory, and the rank of another block.
    pub(super) fn distributed(&mut self, space: MemSpace, address: &Poly) -> (Poly, Option<Poly>) {
        if !self.is_far(address) {
            return (address.clone(), None);
        }
        let shared = |base| matches!(base, Some(Kind::Shared(_)));
        let found = self.far(address).filter(|(own, _)| {
            matches!(space, MemSpace::Generic | MemSpace::SharedCluster)
                && shared(self.base(own).map(|s| self.syms.get(s).kind.clone()))
        });
        match found {
            Some((own, rank)) => (own, Some(rank)),
            None => {
                self.clusters.lost |= self.recording;
                (address.clone(), None)
            }
        }
    }

    /// Returns the facts about clusters after the execution, if the kernel computes addresses in other
    /// blocks. Unsupported uses are written to `unmodelled`.
    pub(super) fn clustered(
        &mut self,
        barriers: &[usize],
        unmodelled: &mut Option<String>,
    ) -> Option<Cluster> {
        if !self.clusters.mapped {
            return None;
        }
        let unknown = self.accesses.iter().any(|a| a.space == Space::Unknown);
        if self.clusters.lost || unknown {
            unmodelled.get_or_insert(
                "it has memory of other blocks of a cluster at addresses that are not followed, not modelled yet"
                    .into(),
            );
        }
        if self.accesses.iter().any(|a| a.doer.is_late()) {
            unmodelled.get_or_insert(
                "it has asynchronous copies beside memory of other blocks of a cluster, not modelled yet"
                    .into(),
            );
        }
        let place = match self.clusters.extents {
            Some(extents) => Axis::ALL.map(|axis| self.along(axis, extents).2).to_vec(),
            None => Vec::new(),
        };
        let of_cluster = |&i: &usize| matches!(self.flat.instructions[i].op, Ok(Op::ClusterArrive { .. }));
        let found: Vec<usize> = barriers.iter().copied().filter(of_cluster).collect();
        let accesses = self.accesses.iter().map(|a| a.inst).collect();
        let barriers =
            crate::sync::barriers::of_clusters(found, &self.cfg, &self.shape, &self.branches, &accesses);
        Some(Cluster { rank: self.rank(), place, barriers })
    }
}
