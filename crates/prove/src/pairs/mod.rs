//! Whether two accesses can race: [`pair`] asks whether two threads can access the same byte without a barrier between,
//! [`order`] whether values that strong operations read order them, `incoherent` whether loads of caches that no order
//! reaches overlap with writes, [`decide`] does so for all pairs of a kernel.

pub mod decide;
pub(crate) mod incoherent;
pub(crate) mod order;
pub mod pair;
