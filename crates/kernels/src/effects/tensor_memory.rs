//! The effects of instructions of tensor memory (PTX §9.7.17).

use super::{Effects, Extent, Order, Place, TouchKind, weak};
use ptx::flat::Arg;
use ptx::op::Tcgen05;
use smallvec::SmallVec;

/// Returns the effects of an instruction of tensor memory.
pub(super) fn effects(op: &Tcgen05, args: &[Arg<'_>]) -> Effects {
    let cell = |operand, kind| weak(operand, Place::TensorMemory, kind, Extent::Matrix);
    let matrix = |operand| weak(operand, Place::Descriptor, TouchKind::AsyncRead, Extent::Matrix);
    let mut touches = SmallVec::new();
    let mut results = 0;
    match op {
        Tcgen05::Alloc { space, .. } => {
            let word = Extent::Elements { bytes: 4, count: 1 };
            touches.push(weak(0, Place::Memory(*space), TouchKind::Write, word));
        }
        Tcgen05::Load { reduction, .. } => {
            results = 1 + usize::from(reduction.is_some());
            touches.push(cell(results, TouchKind::AsyncRead));
        }
        Tcgen05::Store { .. } => touches.push(cell(0, TouchKind::AsyncWrite)),
        Tcgen05::Copy { .. } => touches.extend([cell(0, TouchKind::AsyncWrite), matrix(1)]),
        Tcgen05::Shift { .. } => {
            touches.extend([cell(0, TouchKind::AsyncRead), cell(0, TouchKind::AsyncWrite)])
        }
        Tcgen05::Product(product) => {
            touches.extend([cell(0, TouchKind::AsyncWrite), matrix(2)]);
            let of_a = matches!(args.get(1), Some(Arg::Address { .. }));
            touches.push(if of_a { cell(1, TouchKind::AsyncRead) } else { matrix(1) });
            let metadata = usize::from(product.sparse);
            if product.sparse {
                touches.push(cell(3, TouchKind::AsyncRead));
            }
            if product.kind.scales() {
                touches.extend([4, 5].map(|scale| cell(scale + metadata, TouchKind::AsyncRead)));
            }
        }
        Tcgen05::Dealloc { .. }
        | Tcgen05::Relinquish { .. }
        | Tcgen05::Wait { .. }
        | Tcgen05::Commit { .. }
        | Tcgen05::Fence { .. } => {}
    }
    Effects { results, touches, staged: true, ..Effects::order(Order::TensorMemory) }
}
