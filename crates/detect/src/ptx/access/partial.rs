//! Atomics of a part of a word, which libraries make of atomics of the word.
//!
//! The hardware has no compare-and-swap of a byte, and libcu++'s `atomic<bool>` swaps the aligned word around it, but loads
//! (and, of two bytes, stores) the part alone. By the letter of §8.7 these overlap only in part and are not morally strong;
//! then no flag of a byte could be right. Assumption 6a takes them as accesses of one location.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Bytes;

/// Returns whether one is a strong load or store of a byte or a half, and the other a strong read (of an
/// atomic, say) of the aligned word around it. Stores of the word and atomics of the part, which are not made
/// so, and `volatile` stay what §8.7 says.
pub(crate) fn of_one_word(a: (Bytes, AccessClass), b: (Bytes, AccessClass)) -> bool {
    is_part(a, b) || is_part(b, a)
}

fn is_part(part: (Bytes, AccessClass), word: (Bytes, AccessClass)) -> bool {
    is_within(part.0, word.0) && by_class(part.1, word.1)
}

/// Returns whether the two classes may be such a pair, wherever the accesses lie.
pub(crate) fn by_class(part: AccessClass, word: AccessClass) -> bool {
    let strong = |class: AccessClass| class.strong() && !class.volatile() && !class.copies();
    word.reads() && !part.atomic() && strong(part) && strong(word)
}

/// Returns whether `part` is a byte or a half of the aligned word `word`.
fn is_within(part: Bytes, word: Bytes) -> bool {
    part.count_ones() <= 2 && part & !word == 0 && is_word(word)
}

fn is_word(bytes: Bytes) -> bool {
    bytes != 0 && bytes >> (bytes.trailing_zeros() & !3) == 0xf
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::access::AccessKind;
    use events::{AtomicOp, Scope, Sem, Strength};

    const CAS: AccessKind = AccessKind::Atomic { op: AtomicOp::Cas, returns: true };

    fn strong(kind: AccessKind) -> AccessClass {
        AccessClass::with(kind, Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu })
    }

    #[test]
    fn a_flag_of_a_byte_and_its_word_are_of_one_location() {
        for part in [0x10, 0x80, 0x30, 0xc0] {
            assert!(of_one_word((part, strong(AccessKind::Read)), (0xf0, strong(CAS))), "{part:#x}");
            assert!(of_one_word((0xf0, strong(AccessKind::Read)), (part, strong(AccessKind::Write))));
        }
    }

    #[test]
    fn others_are_not() {
        let read = strong(AccessKind::Read);
        for (part, word) in
            [(0x0f, 0xff), (0x03, 0x3c), (0x03, 0xf0), (0x07, 0x0f), (0x0f, 0x0f), (0x18, 0xf0)]
        {
            assert!(!of_one_word((part, read), (word, strong(CAS))), "{part:#x} {word:#x}");
        }
        assert!(!of_one_word((0x3, read), (0xf, strong(AccessKind::Write))), "a word that is only stored");
        assert!(!of_one_word((0x3, strong(CAS)), (0xf, strong(CAS))), "a packed atomic");
        let volatile = AccessClass::with(AccessKind::Read, Strength::Volatile);
        assert!(!of_one_word((0x3, volatile), (0xf, strong(CAS))));
        assert!(!of_one_word((0x3, AccessClass::READ), (0xf, strong(CAS))));
    }
}
