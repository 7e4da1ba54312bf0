//! The permutations of shared memory that tensor copies make (PTX §5.5.7).

/// The permutation of 16-byte chunks in shared memory (PTX §5.5.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Swizzle {
    None,
    B32,
    B64,
    B128,
    /// 128 bytes in units of 32 bytes.
    B128By32,
    /// 128 bytes in units of 32 bytes, with halves of 16 bytes exchanged in odd lines.
    B128By32Flip,
    /// 128 bytes in units of 64 bytes.
    B128By64,
    /// 96 bytes; the driver has no number for it.
    B96,
}

impl Swizzle {
    const ALL: [Swizzle; 7] = [
        Swizzle::None,
        Swizzle::B32,
        Swizzle::B64,
        Swizzle::B128,
        Swizzle::B128By32,
        Swizzle::B128By32Flip,
        Swizzle::B128By64,
    ];

    /// Returns the mode of a number of `CUtensorMapSwizzle`.
    pub fn of_driver(number: u32) -> Option<Swizzle> {
        Swizzle::ALL.get(number as usize).copied()
    }

    /// Returns the numbers of mode and atomicity for `tensormap.replace` (PTX table 33).
    pub(super) fn numbers(self) -> (u8, u8) {
        match self {
            Swizzle::None => (0, 0),
            Swizzle::B32 => (1, 0),
            Swizzle::B64 => (2, 0),
            Swizzle::B128 => (3, 0),
            Swizzle::B128By32 => (3, 1),
            Swizzle::B128By32Flip => (3, 2),
            Swizzle::B128By64 => (3, 3),
            Swizzle::B96 => (4, 0),
        }
    }

    /// Returns the mode of such numbers (PTX table 14).
    pub(super) fn of_numbers(mode: u8, atomicity: u8) -> Option<Swizzle> {
        match (mode, atomicity) {
            (0, _) => Some(Swizzle::None),
            (4, 0) => Some(Swizzle::B96),
            _ => Swizzle::ALL.into_iter().find(|swizzle| swizzle.numbers() == (mode, atomicity)),
        }
    }

    /// Returns how many bytes a line of the box may have; `None` if there is no limit.
    pub fn span(self) -> Option<u32> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            Swizzle::B96 => Some(96),
            _ => Some(128),
        }
    }

    /// Returns the place of a byte of shared memory. The line of 128 bytes that an address is in chooses the
    /// permutation of its chunks, so that a pattern begins where the ISA's table says, wherever the box does.
    pub fn place(self, address: u32) -> u32 {
        let line = address >> 7;
        address
            ^ match self {
                Swizzle::None => 0,
                Swizzle::B32 | Swizzle::B96 => (line & 1) << 4,
                Swizzle::B64 => (line & 3) << 4,
                Swizzle::B128 => (line & 7) << 4,
                Swizzle::B128By32 => (line & 3) << 5,
                Swizzle::B128By32Flip => (line & 3) << 5 | (line & 1) << 3,
                Swizzle::B128By64 => (line & 1) << 6,
            }
    }

    /// Returns the number of bytes that stay together.
    pub fn unit(self) -> u32 {
        match self {
            Swizzle::B128By32 => 32,
            Swizzle::B128By32Flip => 8,
            Swizzle::B128By64 => 64,
            _ => 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second line of each table of §5.5.7.
    #[test]
    fn chunks_change_places_by_their_line() {
        let line = |swizzle: Swizzle, n: u32| -> Vec<u32> {
            (0..8).map(|chunk| (swizzle.place(128 * n + 16 * chunk) - 128 * n) / 16).collect()
        };
        assert_eq!(line(Swizzle::B32, 1), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(line(Swizzle::B64, 3), [3, 2, 1, 0, 7, 6, 5, 4]);
        assert_eq!(line(Swizzle::B128, 5), [5, 4, 7, 6, 1, 0, 3, 2]);
        assert_eq!(line(Swizzle::B128By32, 1), [2, 3, 0, 1, 6, 7, 4, 5]);
        assert_eq!(line(Swizzle::B128By64, 1), [4, 5, 6, 7, 0, 1, 2, 3]);
        assert_eq!(line(Swizzle::B32, 2), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
