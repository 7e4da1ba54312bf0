//! Accesses that are not made by one thread at its instruction: rows of matrices, and copies.

use super::memory::AccessForm;
use super::{Exec, State};
use crate::kernel::access::{AccessKind, Doer, Stored};
use crate::kernel::instructions::{is_box_load, is_box_store, is_bulk_store, is_load};
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range};
use crate::solver::symbols::{Attr, Kind};
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::{Fragment, Layout, Mem, MemSpace, Op, Scope, Sem, Shape, Wgmma};
use simt::num::warpgroup::Major;

/// A matrix in memory.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    /// The number of rows, or of columns in column-major order.
    rows: u32,
    /// The number of contiguous elements in each.
    beside: u32,
    element: u32,
}

impl Matrix {
    /// Returns the matrix of a fragment: A is m × k, B is k × n, and the others are m × n (PTX §9.7.15.4).
    fn of(fragment: Fragment, layout: Layout, shape: Shape, ty: ScalarType) -> Matrix {
        let (height, width) = match fragment {
            Fragment::A => (shape.m, shape.k),
            Fragment::B => (shape.k, shape.n),
            Fragment::C | Fragment::D => (shape.m, shape.n),
        };
        let (rows, beside) = match layout {
            Layout::Row => (height, width),
            Layout::Col => (width, height),
        };
        Matrix { rows: rows.into(), beside: beside.into(), element: ty.bytes() }
    }
}

pub(super) fn weak(space: MemSpace) -> Mem {
    Mem { space, sem: Sem::Weak, scope: Scope::Cta, ty: ScalarType::B32, vector: 1, nc: false }
}

pub(super) fn form(kind: AccessKind, doer: Doer) -> AccessForm {
    let stored = if kind == AccessKind::Read { Stored::Nothing } else { Stored::Unknown };
    AccessForm { kind, stored, read: None, doer }
}

impl Exec<'_> {
    /// Executes copies, and loads and stores of matrices; returns false for other instructions.
    pub(super) fn of_many(&mut self, state: &mut State, op: &Op, args: &[Arg<'_>]) -> bool {
        match *op {
            Op::CpAsync { .. } => self.copy(state, args),
            ref op if is_box_load(op) => self.box_load(state, args),
            ref op if is_load(op) => self.bulk_load(state, args),
            ref op if is_bulk_store(op) => self.bulk_store(state, args),
            ref op if is_box_store(op) => self.box_store(state, args),
            Op::Wgmma(ref product) => self.product(state, product, args),
            Op::Ldmatrix { count, space, .. } => {
                self.rows(state, (count, space), &args[1], AccessKind::Read);
                self.forget(state, &args[0], Attr::THREAD);
            }
            Op::Stmatrix { count, space, .. } => {
                self.rows(state, (count, space), &args[0], AccessKind::Write);
            }
            Op::WmmaLoad { fragment, layout, shape, space, ty } => {
                let matrix = Matrix::of(fragment, layout, shape, ty);
                self.matrix(state, (matrix, space), &args[1], args.get(2), AccessKind::Read);
                self.forget(state, &args[0], Attr::THREAD);
            }
            Op::WmmaStore { layout, shape, space, ty } => {
                let matrix = Matrix::of(Fragment::D, layout, shape, ty);
                self.matrix(state, (matrix, space), &args[0], args.get(2), AccessKind::Write);
            }
            _ => return false,
        }
        true
    }

    /// Executes `cp.async`, which reads global memory and writes shared memory at an unspecified time.
    fn copy(&mut self, state: &mut State, args: &[Arg<'_>]) {
        let [to, from, Arg::Int(bytes), ..] = args else { return };
        let bytes = u32::try_from(*bytes).unwrap_or(u32::MAX);
        let places =
            [(from, MemSpace::Global, AccessKind::Read), (to, MemSpace::SharedCta, AccessKind::Write)];
        for (at, space, kind) in places {
            let address = self.address(state, at);
            self.access_at(state, (bytes, &weak(space)), address, form(kind, Doer::Copy));
        }
    }

    /// Executes a bulk copy to shared memory, which completes at an mbarrier at an unspecified time. Without a constant
    /// number of bytes nothing is recorded, so that [`crate::sync::bulk_copies`] names it.
    fn bulk_load(&mut self, state: &mut State, args: &[Arg<'_>]) {
        let [to, from, bytes, object, ..] = args else { return };
        let number = self.int(state, bytes, 32);
        let size = number.as_constant().and_then(|bytes| u32::try_from(bytes).ok());
        let Some(size) = size.filter(|bytes| *bytes > 0) else { return };
        self.use_object(state, object, Some(number));
        let places =
            [(from, MemSpace::Global, AccessKind::Read), (to, MemSpace::SharedCluster, AccessKind::Write)];
        for (at, space, kind) in places {
            let address = self.address(state, at);
            self.access_at(state, (size, &weak(space)), address, form(kind, Doer::Bulk));
        }
    }

    /// Executes a tensor copy to shared memory. How many bytes its box has, [`super::boxes`] finds; what it reads is in no
    /// array ([`crate::facts::Assumption::TensorsApart`]).
    fn box_load(&mut self, state: &mut State, args: &[Arg<'_>]) {
        let [to, _, object, ..] = args else { return };
        self.use_object(state, object, None);
        let address = self.address(state, to);
        let form = form(AccessKind::Write, Doer::Bulk);
        self.access_at(state, (1, &weak(MemSpace::SharedCluster)), address, form);
    }

    /// Executes a bulk copy out of shared memory, which its thread waits for by its group. One whose number of bytes is
    /// not a constant may touch any of both memories.
    fn bulk_store(&mut self, state: &mut State, args: &[Arg<'_>]) {
        let [to, from, bytes, ..] = args else { return };
        let size = self.int(state, bytes, 32).as_constant();
        let size = size.and_then(|bytes| u32::try_from(bytes).ok()).filter(|bytes| *bytes > 0);
        let places =
            [(from, MemSpace::SharedCta, AccessKind::Read), (to, MemSpace::Global, AccessKind::Write)];
        for (at, space, kind) in places {
            let address = match size {
                Some(_) => self.address(state, at),
                None => self.unknown(Attr::THREAD, 64),
            };
            self.access_at(state, (size.unwrap_or(1), &weak(space)), address, form(kind, Doer::BulkOut));
        }
    }

    /// Executes a product of a warpgroup, which reads its factors in shared memory at an unspecified time.
    fn product(&mut self, state: &mut State, product: &Wgmma, args: &[Arg<'_>]) {
        let [d, a, b, _, rest @ ..] = args else { return };
        let numbers = rest.iter().map(|arg| matches!(arg, Arg::Int(n) if *n != 0)).collect::<Vec<_>>();
        let in_memory = !matches!(a, Arg::Vector(_));
        // Scales of both factors come first; only 16-bit factors may be transposed.
        let (trans_a, trans_b) = match (&numbers[..], in_memory) {
            (&[_, _, a, b], true) => (a, b),
            (&[_, _, b], false) => (false, b),
            _ => (false, false),
        };
        if in_memory {
            self.factor(state, a, (trans_a, 64));
        }
        self.factor(state, b, (trans_b, product.n.into()));
        self.forget(state, d, Attr::THREAD);
    }

    /// Records a product's read of a factor: of all bytes from the first one to the last one of its tile. One whose
    /// descriptor is not followed may be anywhere.
    fn factor(&mut self, state: &mut State, descriptor: &Arg<'_>, (trans, rows): (bool, usize)) {
        let descriptor = self.int(state, descriptor, 64);
        let major = if trans { Major::Mn { bytes: 2 } } else { Major::K { chunks: 2 } };
        let (begin, bytes) = match self.tile(&descriptor, major, rows) {
            Some(tile) => tile,
            None => (self.unknown(Attr::THREAD, 64), 1),
        };
        let form = form(AccessKind::Read, Doer::Product);
        self.access_at(state, (bytes, &weak(MemSpace::SharedCta)), begin, form);
    }

    /// Executes `ldmatrix` and `stmatrix`: each of the first lanes supplies the address of a row of 16 bytes.
    fn rows(&mut self, state: &mut State, (count, space): (u8, MemSpace), at: &Arg<'_>, kind: AccessKind) {
        let guard = self.guard.clone();
        if count < 4
            && let Some(number) = self.syms.thread_number.clone()
        {
            // The thread's group of eight within its warp.
            let (eight, _) = self.syms.divide(&number, &Poly::constant(8));
            let (warp, _) = self.syms.divide(&number, &Poly::constant(32));
            let nth = eight.minus(&warp.scaled(4).unwrap_or_default());
            let gives = Cond::lt(&nth, &Poly::constant(count.into()));
            self.guard = Some(guard.clone().unwrap_or(Cond::True).and(gives));
        }
        let address = self.address(state, at);
        self.access_at(state, (16, &weak(space)), address, form(kind, Doer::Warp { row: None }));
        self.guard = guard;
    }

    /// Executes `wmma.load` and `wmma.store`, which access all rows from one address on, at a constant pitch.
    fn matrix(
        &mut self,
        state: &mut State,
        (matrix, space): (Matrix, MemSpace),
        at: &Arg<'_>,
        stride: Option<&Arg<'_>>,
        kind: AccessKind,
    ) {
        let Matrix { rows, beside, element } = matrix;
        let begin = self.address(state, at);
        let stride = match stride {
            Some(arg) => {
                let stride = self.int(state, arg, 32);
                self.seen_as(&stride, ScalarType::U32)
            }
            None => Poly::constant(beside.into()),
        };
        let nth = self.syms.len() as u32;
        let attr = Attr { loops: self.loops_here(), ..Attr::THREAD };
        let last = Range::of(0, i128::from(rows) - 1);
        let row = self.syms.fresh(Kind::Row { inst: self.inst as u32, nth }, attr, last);
        let apart = stride.scaled(element.into()).and_then(|s| self.syms.product(&s, &Poly::sym(row)));
        let address = match apart {
            Some(apart) => begin.plus(&apart),
            None => self.unknown(attr, 64),
        };
        let form = form(kind, Doer::Warp { row: Some(row) });
        self.access_at(state, (beside * element, &weak(space)), address, form);
    }
}
