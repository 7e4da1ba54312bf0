//! Names of steps.

use super::located::{Found, Key};
use super::model::What;
use super::walk::{Tables, Thread};
use events::{Access, AccessKind, BarrierId, BlockId, Scope, Sem, Space, Strength};

/// Returns a name such as `thread (3, 0, 0) of block (1, 0, 0)`.
pub(super) fn who(tables: &Tables, thread: Thread) -> String {
    match tables.ledger.launch(thread.task) {
        Some((grid, block, _)) => {
            let (b, t) = (grid.coordinates(thread.block.0.into()), block.coordinates(thread.thread.0.into()));
            format!("thread ({}, {}, {}) of block ({}, {}, {})", t.x, t.y, t.z, b.x, b.y, b.z)
        }
        None => match tables.ledger.task(thread.task) {
            Some(task) if !task.call.api.is_empty() => format!("`{}`", task.call.api),
            _ => "the host".to_owned(),
        },
    }
}

pub(super) fn text_of(found: &Found, (space, address): Key) -> String {
    match space {
        Space::Shared(BlockId(block)) => format!("byte {address} of block {block}'s shared memory"),
        Space::Tensor(BlockId(block)) => {
            format!("lane {}, column {} of block {block}'s tensor memory", address >> 16, address & 0xffff)
        }
        Space::Global => match found.tables.ledger.holder(address) {
            Some(a) => {
                let what = match &a.name {
                    Some(name) => format!("`{}`", names::symbol::variable(name)),
                    None if a.call.api.is_empty() => "an allocation".into(),
                    None => format!("global memory from `{}`", a.call.api),
                };
                format!("byte {} of {} of {what}", address - a.base, a.bytes)
            }
            None => format!("global memory at {address:#x}"),
        },
    }
}

/// Returns a barrier between threads of one block.
pub(super) fn near(text: String) -> What {
    What::Barrier { text, cluster: false }
}

/// Returns a barrier between threads of one block or several.
pub(super) fn anywhere(text: &str) -> What {
    What::Barrier { text: text.into(), cluster: true }
}

pub(super) const fn is_cluster(id: BarrierId) -> bool {
    matches!(id, BarrierId::Cluster(_))
}

pub(super) fn barrier_name(id: BarrierId) -> String {
    match id {
        BarrierId::Cta(0) => "the block's barrier".into(),
        BarrierId::Cta(n) => format!("the block's barrier {n}"),
        BarrierId::Cluster(_) => "the cluster's barrier".into(),
    }
}

pub(super) const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "block",
        Scope::Cluster => "cluster",
        Scope::Gpu => "device",
        Scope::Sys => "system",
    }
}

pub(super) const fn sem_name(sem: Sem) -> &'static str {
    match sem {
        Sem::Relaxed => "relaxed",
        Sem::Acquire => "acquire",
        Sem::Release => "release",
        Sem::AcqRel => "acq_rel",
        Sem::Sc => "sc",
    }
}

/// Returns a description such as `relaxed block-scope write`.
pub(super) fn how(access: &Access<'_>) -> String {
    let kind = match access.kind {
        AccessKind::Read => "read".to_owned(),
        AccessKind::Write => "write".to_owned(),
        AccessKind::Atomic { op, .. } => format!("atomic {op:?}").to_lowercase(),
        AccessKind::AsyncRead { .. } => "asynchronous read".to_owned(),
        AccessKind::AsyncWrite { .. } => "asynchronous write".to_owned(),
    };
    match access.strength {
        Strength::Weak => kind,
        Strength::Volatile => format!("volatile {kind}"),
        Strength::Strong { sem: Sem::Relaxed, scope } if matches!(access.kind, AccessKind::Atomic { .. }) => {
            format!("{kind}, {} scope", scope_name(scope))
        }
        Strength::Strong { sem, scope } => format!("{} {kind}, {} scope", sem_name(sem), scope_name(scope)),
    }
}
