//! The units of `scord` and `iguard`: bytes that one metadata entry stands for, and two scopes.

use events::Scope;

/// The papers know block and device scope: a cluster counts as a block, the system as the device.
pub fn is_block(scope: Scope) -> bool {
    matches!(scope, Scope::Cta | Scope::Cluster)
}

/// A counter or identifier as wide as the hardware's.
pub const fn cut(value: u32, bits: u32) -> u32 {
    if bits >= 32 { value } else { value & ((1 << bits) - 1) }
}
