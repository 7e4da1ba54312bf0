//! EVEX instructions on whole vectors in memory, whose lanes a mask may leave out: moves, comparisons, and logic.
//!
//! The C library's string functions are made of these on processors that have them. A lane that is masked out is not accessed. Masks with
//! gaps are not followed.

use super::{Cursor, Instruction, Operand, Prefixes, Registers, Use, finish};

/// The size of a lane, whether the vector is written, and the bytes behind the operand.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    bytes: u64,
    usage: Use,
    immediate: u64,
}

impl Lane {
    pub(super) fn of(map: u8, opcode: u8, p: Prefixes) -> Option<Lane> {
        use Use::{Read, Write};
        let word = if p.w { 8 } else { 4 };
        let small = if p.w { 2 } else { 1 };
        let packed = !p.rep && !p.repne;
        let (bytes, usage, immediate) = match (map, opcode) {
            (1, 0x10 | 0x28) if packed => (word, Read, 0),
            (1, 0x11 | 0x29) if packed => (word, Write, 0),
            (1, 0xe7) if p.operand => (word, Write, 0),
            (1, 0x2b) if packed => (word, Write, 0),
            (1, 0x6f) if p.repne => (small, Read, 0),
            (1, 0x7f) if p.repne => (small, Write, 0),
            (1, 0x6f) if p.rep || p.operand => (word, Read, 0),
            (1, 0x7f) if p.rep || p.operand => (word, Write, 0),
            // Comparisons, minima and maxima, and logic of integers.
            (1, 0x64 | 0x74 | 0xda | 0xde | 0xd8 | 0xdc | 0xf8 | 0xfc) if p.operand => (1, Read, 0),
            (1, 0x65 | 0x75 | 0xea | 0xee | 0xd9 | 0xdd | 0xf9 | 0xfd) if p.operand => (2, Read, 0),
            (1, 0x66 | 0x76 | 0xdb | 0xdf | 0xeb | 0xef | 0xfa | 0xfe) if p.operand => (word, Read, 0),
            (1, 0x51 | 0x54..=0x59 | 0x5c..=0x5f) if packed => (word, Read, 0),
            (2, 0x26) if !p.repne => (small, Read, 0),
            (2, 0x27) if !p.repne => (word, Read, 0),
            (2, 0x29 | 0x37) if p.operand => (8, Read, 0),
            (2, 0x38 | 0x3c) if p.operand => (1, Read, 0),
            (2, 0x3a | 0x3e) if p.operand => (2, Read, 0),
            (2, 0x39 | 0x3b | 0x3d | 0x3f | 0x40) if p.operand => (word, Read, 0),
            // Fused multiply-add of packed numbers.
            (2, 0x96 | 0x97 | 0x98 | 0x9a | 0x9c | 0x9e | 0xa6 | 0xa7 | 0xa8 | 0xaa | 0xac | 0xae) => {
                (word, Read, 0)
            }
            (2, 0xb6 | 0xb7 | 0xb8 | 0xba | 0xbc | 0xbe) => (word, Read, 0),
            (3, 0x1e | 0x1f | 0x25) if p.operand => (word, Read, 1),
            (3, 0x3e | 0x3f) if p.operand => (small, Read, 1),
            _ => return None,
        };
        Some(Lane { bytes, usage, immediate })
    }

    pub(super) fn access(
        self,
        c: &mut Cursor<'_>,
        mut p: Prefixes,
        registers: &Registers,
        mask: u8,
        broadcast: bool,
    ) -> Option<Instruction> {
        let lanes = p.vector / self.bytes;
        let size = if broadcast { self.bytes } else { p.vector };
        p.scale = size as i64;
        let Instruction::Access(operand) = finish(c, p, registers, (size, self.usage), self.immediate)?
        else {
            return None;
        };
        if mask == 0 || broadcast {
            return Some(Instruction::Access(operand));
        }
        let all = if lanes == 64 { u64::MAX } else { (1 << lanes) - 1 };
        let used = registers.masks[usize::from(mask)] & all;
        let (first, count) = (u64::from(used.trailing_zeros()), u64::from(used.count_ones()));
        if used == 0 || used >> first != u64::MAX >> (64 - count) {
            return None;
        }
        let (address, bytes) = (operand.address + first * self.bytes, count * self.bytes);
        Some(Instruction::Access(Operand { address, bytes, ..operand }))
    }
}

/// The mask registers of a signal's frame: zero where the processor has none, or all are as at its start.
pub(super) fn registers(frame: &libc::ucontext_t) -> [u64; 8] {
    /// The fields in which the frame says that it has more than the oldest registers, its features, and the
    /// masks' bit in them.
    const MAGIC_AT: usize = 464;
    const MAGIC: u32 = 0x4650_5853;
    const FEATURES_AT: usize = 512;
    const MASKS: u32 = 5;
    let base = frame.uc_mcontext.fpregs.cast::<u8>().cast_const();
    if base.is_null() {
        return [0; 8];
    }
    // SAFETY: the kernel's frame has these fields, and the part that `cpuid` says where its features have the bit.
    unsafe {
        if base.add(MAGIC_AT).cast::<u32>().read_unaligned() != MAGIC
            || base.add(FEATURES_AT).cast::<u64>().read_unaligned() & 1 << MASKS == 0
        {
            return [0; 8];
        }
        let at = std::arch::x86_64::__cpuid_count(0xd, MASKS).ebx as usize;
        base.add(at).cast::<[u64; 8]>().read_unaligned()
    }
}
