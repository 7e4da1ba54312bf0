//! Record tags and the small enumerations' numbers. Numbers are the format: never reuse one.

use events::{AtomicOp, Proxy, Scope, Sem, Strength};

pub(crate) mod tag {
    pub(crate) const ACCESS: u8 = 1;
    pub(crate) const BARRIER_ARRIVE: u8 = 2;
    pub(crate) const BARRIER_COMPLETE: u8 = 3;
    pub(crate) const CLUSTER_WAIT: u8 = 4;
    pub(crate) const WARP_SYNC: u8 = 5;
    pub(crate) const FENCE: u8 = 6;
    pub(crate) const PROXY_FENCE: u8 = 7;
    pub(crate) const RENDEZVOUS: u8 = 8;
    pub(crate) const CONVERGE: u8 = 9;
    pub(crate) const MBARRIER_INIT: u8 = 10;
    pub(crate) const MBARRIER_INVAL: u8 = 11;
    pub(crate) const MBARRIER_ARRIVE: u8 = 12;
    pub(crate) const MBARRIER_COMPLETE_TX: u8 = 13;
    pub(crate) const MBARRIER_WAIT: u8 = 14;
    /// One lane's wait, until version 3.
    pub(crate) const ASYNC_WAITED_ALONE: u8 = 15;
    pub(crate) const ASYNC_ARRIVE: u8 = 16;
    pub(crate) const BLOCK_START: u8 = 17;
    pub(crate) const BLOCK_END: u8 = 18;
    pub(crate) const EXIT: u8 = 19;
    pub(crate) const GRID_DEPENDENCY: u8 = 20;
    /// Since version 4.
    pub(crate) const ASYNC_WAITED: u8 = 21;
    /// Since version 5.
    pub(crate) const MBARRIER_TOUCH: u8 = 22;
    pub(crate) const CLUSTER_EXIT: u8 = 23;
    pub(crate) const HEAP: u8 = 24;
    pub(crate) const MISUSE: u8 = 25;
    pub(crate) const MBARRIER_FENCE: u8 = 26;
    pub(crate) const TENSOR: u8 = 27;
    /// Since version 6.
    pub(crate) const LAUNCH: u8 = 28;
    /// Since version 7.
    pub(crate) const MBARRIER_BYTES: u8 = 29;
    pub(crate) const PRODUCT_COMMITTED: u8 = 30;
    pub(crate) const TASK_START: u8 = 32;
    pub(crate) const TASK_END: u8 = 33;
    pub(crate) const TASK_AFTER: u8 = 34;
    pub(crate) const RANGE: u8 = 35;
    pub(crate) const ALLOC: u8 = 36;
    pub(crate) const FREE: u8 = 37;
    pub(crate) const SITE: u8 = 38;
    /// Since version 2.
    pub(crate) const LAUNCHED: u8 = 39;
    /// The program ended in order; a trace without it was cut short.
    pub(crate) const END: u8 = 63;
}

macro_rules! numbered {
    ($type:ty, $to:ident, $from:ident, $($variant:ident = $n:literal),+ $(,)?) => {
        pub(crate) const fn $to(value: $type) -> u8 {
            match value { $(<$type>::$variant => $n),+ }
        }

        pub(crate) const fn $from(number: u8) -> Option<$type> {
            match number { $($n => Some(<$type>::$variant),)+ _ => None }
        }
    };
}

numbered!(Scope, scope_number, scope, Cta = 0, Cluster = 1, Gpu = 2, Sys = 3);
numbered!(Sem, sem_number, sem, Relaxed = 0, Acquire = 1, Release = 2, AcqRel = 3, Sc = 4);
numbered!(Proxy, proxy_number, proxy, Generic = 0, Async = 1, Tensormap = 2, Texture = 3, Surface = 4);
numbered!(
    AtomicOp,
    atomic_number,
    atomic,
    And = 0,
    Or = 1,
    Xor = 2,
    Exch = 3,
    Cas = 4,
    Add = 5,
    Inc = 6,
    Dec = 7,
    Min = 8,
    Max = 9
);

/// One byte: 0 weak, 1 volatile, else 2 + sem * 4 + scope.
pub(crate) const fn strength_number(strength: Strength) -> u8 {
    match strength {
        Strength::Weak => 0,
        Strength::Volatile => 1,
        Strength::Strong { sem, scope } => 2 + sem_number(sem) * 4 + scope_number(scope),
    }
}

pub(crate) const fn strength(number: u8) -> Option<Strength> {
    match number {
        0 => Some(Strength::Weak),
        1 => Some(Strength::Volatile),
        _ => match (sem((number - 2) / 4), scope((number - 2) % 4)) {
            (Some(sem), Some(scope)) => Some(Strength::Strong { sem, scope }),
            _ => None,
        },
    }
}
