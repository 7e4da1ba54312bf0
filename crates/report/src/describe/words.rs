//! Names of accesses, memory and findings in reports.

use crate::explain;
use crate::model::{Access, Memory};
use crate::pair::is_one_store;
use crate::registers::{is_unwaited, product_part};
use events::access::Scope;
use events::finding::Actor;
use events::{
    AccessKind, AllocKind, Allocation, AtomicOp, Class, Dim3, Finding, Proxy, Side, Space, Strength, SyncNote,
};

/// `(3, 0, 0)`.
pub(super) fn coordinates(d: Dim3) -> String {
    format!("({}, {}, {})", d.x, d.y, d.z)
}

pub(super) fn kind_name(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic { .. } => "atomic",
        AccessKind::AsyncRead { .. } => "async-read",
        AccessKind::AsyncWrite { .. } => "async-write",
    }
}

pub(super) fn bytes(n: u32) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

/// Describes a call that allocates or frees memory in stream order, which is a write to a detector.
pub(super) fn of_pool(api: &str) -> Option<&'static str> {
    match api {
        _ if api.starts_with("cudaMallocAsync") || api.starts_with("cudaMallocFromPoolAsync") => {
            Some("allocation")
        }
        _ if api.starts_with("cudaFreeAsync") => Some("release"),
        _ => None,
    }
}

/// The name of a thread's exit from its block.
const EXIT: &str = "exit, the last of its block";

/// Instructions that a detector takes for accesses, though they load and store nothing: by their names.
pub(super) fn deed(instruction: &str) -> Option<String> {
    let name = instruction.split([' ', ';']).next().unwrap_or_default();
    let calls = |function: &str| {
        let names = instruction.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        name.starts_with("call") && names.into_iter().any(|word| word == function)
    };
    match name {
        "ret" | "ret.uni" | "exit" => Some(EXIT.into()),
        _ if name.starts_with("tcgen05.dealloc") => Some(format!("`{name}` of the columns")),
        _ if name.starts_with("tcgen05.commit") => Some(format!("arrival of `{name}` at the object")),
        _ if name.starts_with("mbarrier.") => Some(format!("`{name}` of the object")),
        _ if calls("free") => Some("`free()` of the memory".into()),
        _ if calls("malloc") => Some("`malloc()` of the memory".into()),
        _ => None,
    }
}

/// `volatile write of 4 bytes`. `discards` if what it writes is nothing in particular.
pub(super) fn what(side: &Side, discards: bool) -> String {
    let bytes = bytes(side.size);
    let strength = match side.strength {
        Strength::Weak => String::new(),
        Strength::Volatile => "volatile ".into(),
        Strength::Strong { sem, scope } => {
            let sem = match sem {
                events::Sem::Relaxed => "relaxed",
                events::Sem::Acquire => "acquire",
                events::Sem::Release => "release",
                events::Sem::AcqRel => "acq_rel",
                events::Sem::Sc => "seq_cst",
            };
            match side.kind {
                AccessKind::Atomic { .. } => String::new(),
                _ => format!("{sem} {}-scope ", explain::scope_name(scope)),
            }
        }
    };
    let kind = match side.kind {
        AccessKind::Read => "read".into(),
        AccessKind::Write if discards => return "discard of the cache line".into(),
        AccessKind::Write => "write".into(),
        AccessKind::AsyncRead { .. } => "asynchronous read".into(),
        AccessKind::AsyncWrite { .. } => "asynchronous write".into(),
        AccessKind::Atomic { op, .. } => {
            let scope = match side.strength {
                Strength::Strong { scope, .. } => scope,
                _ => Scope::Gpu,
            };
            format!("{}-scope atomic {}", explain::scope_name(scope), op_name(op))
        }
    };
    format!("{strength}{kind} of {bytes}")
}

pub(super) const fn op_name(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::And => "and",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::Exch => "exchange",
        AtomicOp::Cas => "compare-and-swap",
        AtomicOp::Add => "add",
        AtomicOp::Inc => "increment",
        AtomicOp::Dec => "decrement",
        AtomicOp::Min => "min",
        AtomicOp::Max => "max",
    }
}

pub(super) fn space_name(f: &Finding, allocation: Option<&Allocation>) -> &'static str {
    match (f.space, allocation.map(|a| a.kind)) {
        (Space::Shared(_), _) if f.class == Class::ClusterDsmem => "shared::cluster",
        (Space::Shared(_), _) => "shared",
        (Space::Tensor(_), _) => "tensor",
        (Space::Global, Some(AllocKind::Managed)) => "managed",
        (Space::Global, Some(AllocKind::HostMapped)) => "host",
        (Space::Global, _) => "global",
    }
}

/// The memory in a title: where it was allocated is said below.
pub(super) fn brief_memory(memory: &Memory) -> &str {
    memory.text.split(" from ").next().unwrap_or(&memory.text)
}

/// Returns whether the later side reads through a cache that stores of its own kernel do not reach.
fn fetches(f: &Finding) -> bool {
    matches!(f.sides[1].proxy, Proxy::Texture | Proxy::Surface)
}

/// Returns the finding's title: one line without a full stop.
pub(super) fn title(f: &Finding, accesses: &[Access; 2], memory: &str) -> String {
    let [a, b] = accesses;
    let pair =
        if a.kind == b.kind { format!("two {}s", a.kind) } else { format!("{} and {}", a.kind, b.kind) };
    let pool = |call: &Access| ["allocation", "release"].into_iter().find(|what| call.what.starts_with(what));
    for (call, other) in [(a, b), (b, a)] {
        if f.class == Class::MemcpyAsync
            && let Some(what) = pool(call)
        {
            return format!("{} of {memory} that nothing orders with its {what}", other.kind);
        }
    }
    let barrier = |mates: bool| if mates { "`__syncwarp()`" } else { "barrier" };
    for note in &f.notes {
        match *note {
            SyncNote::SetByAnother { mates, .. } | SyncNote::ArrivedByAnother { mates, .. } => {
                return format!(
                    "{pair} of {memory}, handed over by a thread with no {} before it",
                    barrier(mates)
                );
            }
            SyncNote::ReadByAnother { mates, .. } | SyncNote::WaitedByAnother { mates, .. } => {
                return format!(
                    "{pair} of {memory}, taken over by a thread with no {} after it",
                    barrier(mates)
                );
            }
            SyncNote::MetApart { .. } => {
                return format!("{pair} of {memory} by warps that met at different barriers");
            }
            _ => {}
        }
    }
    match f.class {
        Class::MissingBarrier if is_one_store(f) => {
            format!("threads of several warps write one element of {memory}")
        }
        Class::MissingBarrier => format!("{pair} of {memory} without a barrier between them"),
        Class::DivergentWarp => {
            format!("{pair} of {memory} by one warp without `__syncwarp()` between them")
        }
        Class::VolatileWarp => format!("lanes of one warp exchange {memory} by `volatile` accesses alone"),
        Class::DivergentBarrier => "threads of one block meet at different barriers".into(),
        Class::MaskWithoutCaller => {
            "a lane executes a warp-wide instruction whose mask does not name it".into()
        }
        Class::WgmmaRegisters => {
            let part = product_part(f);
            let missing = if is_unwaited(f) { "wait for the matrix product" } else { "`wgmma.fence`" };
            match f.sides[0].who {
                Actor::Unseen => "matrix product without a `wgmma.fence` before it".into(),
                _ => format!("{pair} of a register ({part}) without a {missing} between"),
            }
        }
        Class::TensorMemory => format!("{pair} of {memory} that no wait, commit or fence orders"),
        Class::UninitializedRead => format!("{} of {memory} that no thread of the block has written", b.kind),
        Class::SameInstruction if f.level == events::Level::Hazard => {
            format!("several lanes write equal bytes to one element of {memory} by one instruction")
        }
        Class::SameInstruction => format!("several threads write one element of {memory} at once"),
        Class::AtomicScope => format!("atomics on {memory} whose scopes do not include each other"),
        Class::FenceScope => format!("{pair} of {memory}, and a fence of too narrow a scope between them"),
        Class::LockScope => format!("{pair} of {memory} under a lock of too narrow a scope"),
        Class::MissingFence => format!("{pair} of {memory}, handed over without a fence"),
        Class::MixedSize => {
            let [a, b] = [&f.sides[0], &f.sides[1]].map(|side| {
                let kind = match side.kind {
                    AccessKind::Atomic { .. } => "atomic",
                    kind => kind_name(kind),
                };
                format!("{kind} of {}", bytes(side.size))
            });
            format!("{a} and {b}, both strong, overlap in {memory}")
        }
        Class::WeakVsAtomic => {
            let plain = if a.kind == "atomic" { b } else { a };
            format!("plain {} of {memory} against an atomic", plain.kind)
        }
        Class::LockMissing => format!("{pair} of {memory}, not both under a lock"),
        Class::LockWrong => format!("{pair} of {memory} under different locks"),
        Class::AsyncCopy
            if [a, b].iter().any(|side| {
                side.instruction.starts_with("wgmma") || side.instruction.starts_with("tcgen05.mma")
            }) =>
        {
            format!("{pair} of {memory} while a matrix product may be under way")
        }
        Class::AsyncCopy => format!("{pair} of {memory} while an asynchronous copy may be under way"),
        Class::Proxy if fetches(f) => format!("write of {memory}, then a fetch of it by the same kernel"),
        Class::Proxy => format!("{pair} of {memory} through two proxies without a proxy fence"),
        Class::ClusterDsmem if [a, b].iter().any(|access| access.what == EXIT) => {
            let other = if a.what == EXIT { b } else { a };
            format!("{} of distributed {memory} of a block that may have exited", other.kind)
        }
        Class::ClusterDsmem => {
            format!("{pair} of distributed {memory} without a cluster barrier between them")
        }
        Class::InterBlock => format!("{pair} of {memory} by different blocks that nothing orders"),
        Class::InterKernel if f.notes.iter().any(|n| matches!(n, SyncNote::NotBeforeLaunch { .. })) => {
            format!("{pair} of {memory} by a kernel and one that it launched, which nothing orders")
        }
        Class::InterKernel => format!("{pair} of {memory} by two kernels that nothing orders"),
        Class::HostDevice => format!("{pair} of {memory} by host and device without synchronisation"),
        Class::MemcpyAsync => format!("{pair} of {memory}, one by a copy that nothing orders with the other"),
        Class::MultiGpu => format!("{pair} of {memory} by two GPUs that nothing orders"),
        Class::ClobberedRead => format!("read of {memory}, which changes at the same time"),
        Class::LostUpdate => format!("write of {memory}, which somebody else writes at the same time"),
    }
}
