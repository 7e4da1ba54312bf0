//! The class of an access, in two bytes.

use events::AsyncOpId;
use events::access::AccessKind;
use events::{Access, AtomicOp, Proxy, Scope, Sem, Strength};

/// Kind, strength and proxy of an access, packed: bits 0-1 kind, 2-4 scope (0 is weak), 5 asynchronous,
/// 6 other proxy than generic, 7 volatile, 8-10 semantics, 11-14 atomic operation (bit 11 of asynchronous ones: its thread
/// has waited for it; of weak reads that are neither: a [fetch](AccessClass::fetches)), 15 result unused.
///
/// The low byte is all that ordering and moral strength depend on, see [`AccessClass::rank`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AccessClass(u16);

const READ: u16 = 0;
const WRITE: u16 = 1;
const ATOMIC: u16 = 2;
const ASYNC: u16 = 1 << 5;
const PROXY: u16 = 1 << 6;
const VOLATILE: u16 = 1 << 7;
const WAITED: u16 = 1 << 11;
const FETCH: u16 = 1 << 11;
/// In the place of a scope.
const OBJECT: u16 = 5 << 2;
/// Bits of weak writes, in the place of semantics.
const ALLOCATED: u16 = 1 << 8;
/// Marks weak asynchronous reads, in the place of semantics, as reads of a tensor map.
const MAP: u16 = 1 << 8;

const SEMS: [Sem; 5] = [Sem::Relaxed, Sem::Acquire, Sem::Release, Sem::AcqRel, Sem::Sc];
const OPS: [AtomicOp; 10] = [
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exch,
    AtomicOp::Cas,
    AtomicOp::Add,
    AtomicOp::Inc,
    AtomicOp::Dec,
    AtomicOp::Min,
    AtomicOp::Max,
];

fn scope_bits(scope: Scope) -> u16 {
    match scope {
        Scope::Cta => 1,
        Scope::Cluster => 2,
        Scope::Gpu => 3,
        Scope::Sys => 4,
    }
}

impl AccessClass {
    /// A weak read.
    pub(crate) const READ: AccessClass = AccessClass(READ);

    /// An operation on an mbarrier object: atomic towards others of its kind, and towards nothing else.
    pub(crate) const ON_MBARRIER: AccessClass = AccessClass(WRITE | OBJECT);

    /// Device-side `malloc`: a weak write of the memory. Lanes of the warp that calls it get the address by registers, and are taken
    /// to be behind it.
    pub(crate) const MALLOC: AccessClass = AccessClass(WRITE | ALLOCATED);

    /// A weak write.
    pub(crate) const WRITE: AccessClass = AccessClass(WRITE);

    /// `volatile_strong` is PTX's letter: relaxed at system scope.
    #[inline]
    pub(crate) fn of(access: &Access<'_>, volatile_strong: bool) -> Self {
        // Most are such.
        if matches!((&access.strength, &access.proxy), (Strength::Weak, Proxy::Generic)) {
            match &access.kind {
                AccessKind::Read => return AccessClass(READ),
                AccessKind::Write => return AccessClass(WRITE),
                _ => {}
            }
        }
        let AccessClass(mut bits) = AccessClass::packed(&access.kind, access.strength);
        bits |= match access.proxy {
            Proxy::Generic => 0,
            // Stores and reductions of surfaces are as any thread's.
            Proxy::Texture | Proxy::Surface if bits == READ => FETCH,
            Proxy::Texture | Proxy::Surface => 0,
            Proxy::Tensormap if bits == READ | ASYNC => PROXY | MAP,
            Proxy::Async | Proxy::Tensormap => PROXY,
        };
        if !volatile_strong && access.strength == Strength::Volatile {
            bits &= !(7 << 2);
        }
        AccessClass(bits)
    }

    /// Through the generic proxy, and with strong `volatile`.
    pub(crate) fn with(kind: AccessKind, strength: Strength) -> Self {
        AccessClass::packed(&kind, strength)
    }

    #[inline]
    fn packed(kind: &AccessKind, strength: Strength) -> Self {
        let mut bits = match *kind {
            AccessKind::Read => READ,
            AccessKind::Write => WRITE,
            AccessKind::Atomic { op, returns } => {
                let op = OPS.iter().position(|&o| o == op).unwrap_or(0) as u16;
                ATOMIC | op << 11 | u16::from(!returns) << 15
            }
            AccessKind::AsyncRead { .. } => READ | ASYNC,
            AccessKind::AsyncWrite { .. } => WRITE | ASYNC,
        };
        match strength {
            Strength::Weak => {}
            Strength::Volatile => bits |= VOLATILE | scope_bits(Scope::Sys) << 2,
            Strength::Strong { sem, scope } => {
                let sem = SEMS.iter().position(|&s| s == sem).unwrap_or(0) as u16;
                bits |= scope_bits(scope) << 2 | sem << 8;
            }
        }
        AccessClass(bits)
    }

    /// Kind, scope, asynchrony and proxy: equal ranks are alike in every rule.
    #[inline]
    pub(crate) fn rank(self) -> u16 {
        self.0 & 0x7f
    }

    #[inline]
    pub(crate) fn writes(self) -> bool {
        self.0 & 3 != READ
    }

    #[inline]
    pub(crate) fn reads(self) -> bool {
        self.0 & 3 != WRITE
    }

    pub(crate) fn atomic(self) -> bool {
        self.0 & 3 == ATOMIC
    }

    /// Returns whether the operation returns a value to its thread. `red` does not.
    pub(crate) fn returns(self) -> bool {
        self.reads() && self.0 >> 15 == 0
    }

    /// The scope of a strong operation; `None` for weak ones.
    pub(crate) fn scope(self) -> Option<Scope> {
        match self.0 >> 2 & 7 {
            1 => Some(Scope::Cta),
            2 => Some(Scope::Cluster),
            3 => Some(Scope::Gpu),
            4 => Some(Scope::Sys),
            _ => None,
        }
    }

    /// Returns whether it is strong, and its scope includes every thread of the launch.
    #[inline]
    pub(crate) fn is_wide(self) -> bool {
        matches!(self.0 >> 2 & 7, 3 | 4)
    }

    #[inline]
    pub(crate) fn strong(self) -> bool {
        self.0 >> 2 & 7 != 0
    }

    /// Returns whether this is a weak access of a thread by the generic proxy.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.0 & (7 << 2 | ASYNC | PROXY) == 0
    }

    pub(crate) fn volatile(self) -> bool {
        self.0 & VOLATILE != 0
    }

    /// Asynchronous, and not [waited for](AccessClass::waited): its tick is the number of its operation.
    pub(crate) fn asynchronous(self) -> bool {
        self.0 & (ASYNC | WAITED) == ASYNC
    }

    /// A copy's, waited for or not.
    pub(crate) fn copies(self) -> bool {
        self.0 & ASYNC != 0
    }

    /// The same access of an operation for which its own thread has waited: a thread that knows of the wait knows
    /// of the access. By all rules it is one that the thread made then.
    pub(crate) fn waited(self) -> Self {
        AccessClass(self.0 | WAITED)
    }

    /// Returns whether this is a weak read through a cache that stores of the same kernel do not reach: a texture fetch, a surface
    /// load, `ld.global.nc` or `ld.const`. It conflicts with every earlier write of its launch, ordered or not. Towards later
    /// writes it is an ordinary weak read.
    #[inline]
    pub(crate) fn fetches(self) -> bool {
        self.0 & (3 | ASYNC | FETCH) == FETCH
    }

    /// See [`AccessClass::ON_MBARRIER`].
    #[inline]
    pub(crate) fn on_mbarrier(self) -> bool {
        self.0 & 7 << 2 == OBJECT
    }

    /// See [`AccessClass::MALLOC`].
    #[inline]
    pub(crate) fn allocates(self) -> bool {
        self.0 & (3 | 7 << 2 | ASYNC | ALLOCATED) == WRITE | ALLOCATED
    }

    /// The same by an asynchronous operation.
    pub(crate) fn of_copy(self) -> Self {
        AccessClass(self.0 | ASYNC)
    }

    /// Returns whether the access is made through another proxy than the generic one.
    pub(crate) fn other_proxy(self) -> bool {
        self.0 & PROXY != 0
    }

    /// Returns whether this is the read of a tensor map, through its own proxy.
    pub(crate) fn reads_map(self) -> bool {
        self.0 & (3 | 7 << 2 | ASYNC | PROXY | MAP) == READ | ASYNC | PROXY | MAP
    }

    pub(crate) fn sem(self) -> Sem {
        SEMS.get(usize::from(self.0 >> 8 & 7)).copied().unwrap_or(Sem::Relaxed)
    }

    pub(crate) fn strength(self) -> Strength {
        match self.scope() {
            _ if self.volatile() => Strength::Volatile,
            Some(scope) => Strength::Strong { sem: self.sem(), scope },
            None => Strength::Weak,
        }
    }

    pub(crate) fn proxy(self) -> Proxy {
        match (self.other_proxy(), self.fetches()) {
            (true, _) if self.reads_map() => Proxy::Tensormap,
            (true, _) => Proxy::Async,
            (false, true) => Proxy::Texture,
            (false, false) => Proxy::Generic,
        }
    }

    /// As reported; `op` is the operation of an asynchronous one, if that is still known.
    pub(crate) fn kind(self, op: u64) -> AccessKind {
        match (self.0 & 3, self.copies()) {
            (READ, true) => AccessKind::AsyncRead { op: AsyncOpId(op) },
            (READ, false) => AccessKind::Read,
            (ATOMIC, _) => {
                let op = OPS.get(usize::from(self.0 >> 11 & 15)).copied().unwrap_or(AtomicOp::Add);
                AccessKind::Atomic { op, returns: self.returns() }
            }
            (_, true) => AccessKind::AsyncWrite { op: AsyncOpId(op) },
            (_, false) => AccessKind::Write,
        }
    }
}

#[cfg(test)]
mod tests;
