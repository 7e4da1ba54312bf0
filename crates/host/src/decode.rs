//! Decodes the memory access of an x86-64 instruction: address, size, and whether it reads or writes.
//!
//! Only instructions that compilers emit for loads and stores matter. For any other the
//! answer is `None`, and the access is left out of the check rather than guessed.

mod masked;

/// General registers in encoding order (rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8…r15), rip, and the mask registers k0 to k7.
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    pub general: [u64; 16],
    pub rip: u64,
    pub masks: [u64; 8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    pub address: u64,
    pub bytes: u64,
    pub reads: bool,
    pub writes: bool,
}

/// A string instruction (`movs`, `stos`), perhaps repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringOp {
    /// Bytes of an element.
    pub size: u64,
    pub copies: bool,
    pub repeated: bool,
    pub length: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    Access(Operand),
    String(StringOp),
}

/// How an operand is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
    Both,
}

struct Cursor<'a> {
    code: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.code.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn signed(&mut self, bytes: usize) -> Option<i64> {
        let slice = self.code.get(self.at..self.at + bytes)?;
        self.at += bytes;
        Some(match bytes {
            1 => i64::from(slice[0] as i8),
            _ => i64::from(i32::from_le_bytes(slice.try_into().ok()?)),
        })
    }
}

/// Prefixes, legacy or from VEX and EVEX.
#[derive(Clone, Copy, Default)]
struct Prefixes {
    operand: bool,
    rep: bool,
    repne: bool,
    w: bool,
    r: bool,
    x: bool,
    b: bool,
    /// Vector bytes of a VEX or EVEX instruction; 0 for others.
    vector: u64,
    evex: bool,
    /// Short displacements of an EVEX instruction are multiplied by this.
    scale: i64,
}

impl Prefixes {
    /// Operand size of integer instructions.
    fn size(self) -> u64 {
        match (self.w, self.operand) {
            (true, _) => 8,
            (_, true) => 2,
            _ => 4,
        }
    }

    /// Vector size, or `scalar` sizes chosen by the repeat prefixes.
    fn packed_or_scalar(self) -> u64 {
        match (self.rep, self.repne) {
            (true, _) => 4,
            (_, true) => 8,
            _ => self.full(),
        }
    }

    fn full(self) -> u64 {
        if self.vector > 0 { self.vector } else { 16 }
    }

    /// Integer vector instructions: MMX without a prefix.
    fn integer_vector(self) -> u64 {
        if self.vector > 0 || self.operand || self.rep { self.full() } else { 8 }
    }
}

/// Decodes one instruction at `registers.rip`, whose bytes are `code` (15 are enough).
pub fn decode(code: &[u8], registers: &Registers) -> Option<Instruction> {
    let mut c = Cursor { code, at: 0 };
    let mut p = Prefixes::default();
    let mut opcode = c.byte()?;
    loop {
        match opcode {
            0x66 => p.operand = true,
            0xf2 => p.repne = true,
            0xf3 => p.rep = true,
            // Lock; segments that are flat in 64-bit mode, or branch hints.
            0xf0 | 0x2e | 0x36 | 0x3e | 0x26 => {}
            _ => break,
        }
        opcode = c.byte()?;
    }
    if opcode & 0xf0 == 0x40 {
        (p.w, p.r, p.x, p.b) = (opcode & 8 != 0, opcode & 4 != 0, opcode & 2 != 0, opcode & 1 != 0);
        opcode = c.byte()?;
    }
    let (bytes, usage) = match opcode {
        0x0f => {
            let second = c.byte()?;
            match second {
                0x38 => {
                    let third = c.byte()?;
                    map_38(third, p)?
                }
                0x3a => {
                    let third = c.byte()?;
                    return finish(&mut c, p, registers, map_3a(third, p)?, 1);
                }
                _ => return two_byte(&mut c, p, registers, second),
            }
        }
        0xc4 | 0xc5 | 0x62 => return vex(&mut c, p, registers, opcode),
        0xa4 | 0xa5 | 0xaa | 0xab => {
            let size = if opcode & 1 == 0 { 1 } else { p.size() };
            let copies = opcode < 0xa6;
            let repeated = p.rep || p.repne;
            return Some(Instruction::String(StringOp { size, copies, repeated, length: c.at as u64 }));
        }
        _ => return one_byte(&mut c, p, registers, opcode),
    };
    finish(&mut c, p, registers, (bytes, usage), 0)
}

fn one_byte(c: &mut Cursor<'_>, p: Prefixes, registers: &Registers, opcode: u8) -> Option<Instruction> {
    use Use::{Both, Read, Write};
    let size = p.size();
    let wide = |opcode: u8| if opcode & 1 == 0 { 1 } else { size };
    let group = || c.code.get(c.at).map(|modrm| modrm >> 3 & 7);
    let (operand, immediate) = match opcode {
        // add, or, adc, sbb, and, sub, xor, cmp
        0x00..=0x3f if opcode & 7 < 4 => {
            let compare = opcode >> 3 == 7;
            let usage = if opcode & 7 >= 2 || compare { Read } else { Both };
            ((wide(opcode), usage), 0)
        }
        0x63 => ((4, Read), 0),
        0x69 => ((size, Read), size.min(4)),
        0x6b => ((size, Read), 1),
        0x80 | 0x81 | 0x83 => {
            let usage = if group()? == 7 { Read } else { Both };
            ((wide(opcode), usage), if opcode == 0x81 { size.min(4) } else { 1 })
        }
        0x84 | 0x85 => ((wide(opcode), Read), 0),
        0x86 | 0x87 => ((wide(opcode), Both), 0),
        0x88 | 0x89 => ((wide(opcode), Write), 0),
        0x8a | 0x8b => ((wide(opcode), Read), 0),
        0x8f => ((8, Write), 0),
        0xc0 | 0xc1 => ((wide(opcode), Both), 1),
        0xc6 => ((1, Write), 1),
        0xc7 => ((size, Write), size.min(4)),
        0xd0..=0xd3 => ((wide(opcode), Both), 0),
        0xd8 => ((4, Read), 0),
        0xdc => ((8, Read), 0),
        0xd9 => match group()? {
            0 => ((4, Read), 0),
            2 | 3 => ((4, Write), 0),
            _ => return None,
        },
        0xdb => match group()? {
            0 => ((4, Read), 0),
            1..=3 => ((4, Write), 0),
            5 => ((10, Read), 0),
            7 => ((10, Write), 0),
            _ => return None,
        },
        0xdd => match group()? {
            0 => ((8, Read), 0),
            1..=3 => ((8, Write), 0),
            _ => return None,
        },
        0xdf => match group()? {
            0 => ((2, Read), 0),
            5 => ((8, Read), 0),
            7 => ((8, Write), 0),
            _ => return None,
        },
        0xf6 | 0xf7 => match group()? {
            0 | 1 => ((wide(opcode), Read), if opcode == 0xf6 { 1 } else { size.min(4) }),
            2 | 3 => ((wide(opcode), Both), 0),
            _ => ((wide(opcode), Read), 0),
        },
        0xfe | 0xff => match group()? {
            0 | 1 => ((wide(opcode), Both), 0),
            2 | 4 | 6 if opcode == 0xff => ((8, Read), 0),
            _ => return None,
        },
        _ => return None,
    };
    finish(c, p, registers, operand, immediate)
}

fn two_byte(c: &mut Cursor<'_>, p: Prefixes, registers: &Registers, opcode: u8) -> Option<Instruction> {
    use Use::{Both, Read, Write};
    let size = p.size();
    let wide = |opcode: u8| if opcode & 1 == 0 { 1 } else { size };
    let mut immediate = 0;
    let operand = match opcode {
        0x10 => (p.packed_or_scalar(), Read),
        0x11 => (p.packed_or_scalar(), Write),
        0x12 if p.rep => (p.full(), Read),
        0x12 | 0x16 => (if p.rep { p.full() } else { 8 }, Read),
        0x13 | 0x17 => (8, Write),
        0x14 | 0x15 | 0x28 => (p.full(), Read),
        0x29 | 0x2b => (p.full(), Write),
        0x2a => (if p.rep || p.repne { if p.w { 8 } else { 4 } } else { 8 }, Read),
        0x2c | 0x2d => (if p.repne || (!p.rep && p.operand) { 8 } else { 4 }, Read),
        0x2e | 0x2f => (if p.operand { 8 } else { 4 }, Read),
        0x40..=0x4f => (size, Read),
        0x5a if !p.rep && !p.repne && !p.operand => (p.full() / 2, Read),
        0x51 | 0x58..=0x5f => (p.packed_or_scalar(), Read),
        0x52..=0x57 => (if p.rep { 4 } else { p.full() }, Read),
        0x60..=0x6d | 0x74..=0x76 => (p.integer_vector(), Read),
        0x6e => (if p.w { 8 } else { 4 }, Read),
        0x6f => (p.integer_vector(), Read),
        0x70 => {
            immediate = 1;
            (p.integer_vector(), Read)
        }
        0x7e if p.rep => (8, Read),
        0x7e => (if p.w { 8 } else { 4 }, Write),
        0x7f => (p.integer_vector(), Write),
        0x90..=0x9f => (1, Write),
        0xaf | 0xbc | 0xbd | 0xb8 => (size, Read),
        0xb0 | 0xb1 | 0xc0 | 0xc1 => (wide(opcode), Both),
        0xb6 | 0xbe => (1, Read),
        0xb7 | 0xbf => (2, Read),
        0xc2 | 0xc6 => {
            immediate = 1;
            (if opcode == 0xc2 { p.packed_or_scalar() } else { p.full() }, Read)
        }
        0xc3 => (size, Write),
        0xc7 if c.code.get(c.at)? >> 3 & 7 == 1 => (if p.w { 16 } else { 8 }, Both),
        0xd6 => (8, Write),
        0xe6 => (if p.rep { p.full() / 2 } else { p.full() }, Read),
        0xe7 => (p.integer_vector(), Write),
        0xf0 if p.repne => (p.full(), Read),
        0xd1..=0xfe => (p.integer_vector(), Read),
        _ => return None,
    };
    finish(c, p, registers, operand, immediate)
}

fn map_38(opcode: u8, p: Prefixes) -> Option<(u64, Use)> {
    use Use::{Read, Write};
    Some(match opcode {
        0xf0 if p.repne => (1, Read),
        0xf1 if p.repne => (p.size(), Read),
        0xf0 => (p.size(), Read),
        0xf1 => (p.size(), Write),
        // Broadcasts and sign extensions read a part of a vector.
        0x18 | 0x58 => (4, Read),
        0x19 | 0x59 => (8, Read),
        0x1a | 0x5a => (16, Read),
        0x78 => (1, Read),
        0x79 => (2, Read),
        0x20 | 0x23 | 0x25 | 0x30 | 0x33 | 0x35 => (p.full() / 2, Read),
        0x21 | 0x24 | 0x31 | 0x34 => (p.full() / 4, Read),
        0x22 | 0x32 => (p.full() / 8, Read),
        // Fused multiply-add: even ones packed, odd ones scalar.
        0x96..=0x9f | 0xa6..=0xaf | 0xb6..=0xbf => {
            let scalar = opcode & 1 == 1 && opcode & 0xf >= 9;
            let bytes = if !scalar {
                p.full()
            } else if p.w {
                8
            } else {
                4
            };
            (bytes, Read)
        }
        0x00..=0x0b | 0x1c..=0x1e | 0x28..=0x2a | 0x37..=0x41 => (p.full(), Read),
        0xf2 | 0xf3 | 0xf5..=0xf7 => (if p.w { 8 } else { 4 }, Read),
        _ => return None,
    })
}

fn map_3a(opcode: u8, p: Prefixes) -> Option<(u64, Use)> {
    use Use::{Read, Write};
    let word = if p.w { 8 } else { 4 };
    Some(match opcode {
        0x14 => (1, Write),
        0x15 => (2, Write),
        0x16 => (word, Write),
        0x17 => (4, Write),
        0x19 | 0x39 => (16, Write),
        0x18 | 0x38 => (16, Read),
        0x20 => (1, Read),
        0x21 => (4, Read),
        0x22 => (word, Read),
        0x0a => (4, Read),
        0x0b => (8, Read),
        0x08 | 0x09 | 0x0c..=0x0f | 0x40..=0x42 | 0x46 | 0x4a..=0x4c | 0x02 | 0x04..=0x06 => (p.full(), Read),
        _ => return None,
    })
}

fn vex(c: &mut Cursor<'_>, mut p: Prefixes, registers: &Registers, lead: u8) -> Option<Instruction> {
    let (mut mask, mut broadcast) = (0, false);
    let (map, last) = match lead {
        0xc5 => {
            let one = c.byte()?;
            p.r = one & 0x80 == 0;
            (1, one)
        }
        0xc4 => {
            let (one, two) = (c.byte()?, c.byte()?);
            (p.r, p.x, p.b) = (one & 0x80 == 0, one & 0x40 == 0, one & 0x20 == 0);
            p.w = two & 0x80 != 0;
            (one & 0x1f, two)
        }
        _ => {
            let (one, two, three) = (c.byte()?, c.byte()?, c.byte()?);
            (p.r, p.x, p.b) = (one & 0x80 == 0, one & 0x40 == 0, one & 0x20 == 0);
            p.w = two & 0x80 != 0;
            p.evex = true;
            (mask, broadcast) = (three & 7, three & 0x10 != 0);
            p.vector = match three >> 5 & 3 {
                0 => 16,
                1 => 32,
                2 => 64,
                _ => return None,
            };
            (one & 7, two)
        }
    };
    if lead != 0x62 {
        p.vector = if last & 4 != 0 { 32 } else { 16 };
    }
    match last & 3 {
        1 => p.operand = true,
        2 => p.rep = true,
        3 => p.repne = true,
        _ => {}
    }
    let opcode = c.byte()?;
    if p.evex {
        // Displacements are scaled by the operand in ways that differ by instruction: only those of whole vectors are followed.
        let lane = masked::Lane::of(map, opcode, p)?;
        return lane.access(c, p, registers, mask, broadcast);
    }
    match map {
        1 => two_byte(c, p, registers, opcode),
        2 => finish(c, p, registers, map_38(opcode, p)?, 0),
        3 => finish(c, p, registers, map_3a(opcode, p)?, 1),
        _ => None,
    }
}

/// Computes the memory operand's address from ModRM, SIB and displacement.
fn finish(
    c: &mut Cursor<'_>,
    p: Prefixes,
    registers: &Registers,
    (bytes, usage): (u64, Use),
    immediate: u64,
) -> Option<Instruction> {
    let modrm = c.byte()?;
    let (mode, rm) = (modrm >> 6, modrm & 7);
    if mode == 3 {
        return None;
    }
    let general =
        |number: u8, extension: bool| registers.general[(number | u8::from(extension) << 3) as usize];
    let mut relative = false;
    let mut address = 0u64;
    if rm == 4 {
        let sib = c.byte()?;
        let (scale, index, base) = (sib >> 6, sib >> 3 & 7, sib & 7);
        if index != 4 || p.x {
            address = general(index, p.x) << scale;
        }
        if base == 5 && mode == 0 {
            address = address.wrapping_add(c.signed(4)? as u64);
        } else {
            address = address.wrapping_add(general(base, p.b));
        }
    } else if rm == 5 && mode == 0 {
        relative = true;
        address = c.signed(4)? as u64;
    } else {
        address = general(rm, p.b);
    }
    let displacement = match mode {
        1 => {
            let short = c.signed(1)?;
            if p.evex { short * p.scale } else { short }
        }
        2 => c.signed(4)?,
        _ => 0,
    };
    address = address.wrapping_add(displacement as u64);
    if relative {
        address = address.wrapping_add(registers.rip).wrapping_add(c.at as u64 + immediate);
    }
    Some(Instruction::Access(Operand {
        address,
        bytes,
        reads: usage != Use::Write,
        writes: usage != Use::Read,
    }))
}

const PAGE: u64 = 4096;

/// The registers of a signal's frame.
pub fn registers(frame: &libc::ucontext_t) -> Registers {
    use libc::{
        REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RAX, REG_RBP, REG_RBX,
        REG_RCX, REG_RDI, REG_RDX, REG_RIP, REG_RSI, REG_RSP,
    };
    let of = |register: std::ffi::c_int| frame.uc_mcontext.gregs[register as usize] as u64;
    Registers {
        general: [
            REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10,
            REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
        ]
        .map(of),
        rip: of(REG_RIP),
        masks: masked::registers(frame),
    }
}

/// The instruction about to run: its page was just fetched.
pub fn instruction(rip: u64, registers: &Registers) -> Option<Instruction> {
    // Code may end at a page border: take what is left of the page, and more only if the
    // instruction needs it, which then is mapped.
    let left = (PAGE - rip % PAGE).min(15) as usize;
    // SAFETY: the instruction at `rip` was just fetched from this page.
    let code = unsafe { std::slice::from_raw_parts(rip as *const u8, left) };
    decode(code, registers).or_else(|| {
        if left == 15 {
            return None;
        }
        // SAFETY: the instruction goes on in the next page, which was fetched, too.
        decode(unsafe { std::slice::from_raw_parts(rip as *const u8, 15) }, registers)
    })
}

#[cfg(test)]
mod tests;
