//! The units of `scord` and `iguard`: bytes that one metadata entry stands for, and two scopes.

use events::Scope;

/// Bytes of memory that one entry describes (ScoRD, Table VII).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    Bytes4,
    Bytes8,
    Bytes16,
}

impl Granularity {
    pub const fn shift(self) -> u32 {
        match self {
            Granularity::Bytes4 => 2,
            Granularity::Bytes8 => 3,
            Granularity::Bytes16 => 4,
        }
    }

    pub const fn from_bytes(bytes: u32) -> Option<Self> {
        match bytes {
            4 => Some(Granularity::Bytes4),
            8 => Some(Granularity::Bytes8),
            16 => Some(Granularity::Bytes16),
            _ => None,
        }
    }
}

/// The papers know block and device scope: a cluster counts as a block, the system as the device.
pub fn is_block(scope: Scope) -> bool {
    matches!(scope, Scope::Cta | Scope::Cluster)
}

/// A counter or identifier as wide as the hardware's.
pub const fn cut(value: u32, bits: u32) -> u32 {
    if bits >= 32 { value } else { value & ((1 << bits) - 1) }
}
