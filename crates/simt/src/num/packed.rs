//! Packed types: one operation on each part of a register.

/// Applies `f` to both 16-bit halves.
#[inline(always)]
pub fn x2_16(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let lo = f(a as u16, b as u16);
    let hi = f((a >> 16) as u16, (b >> 16) as u16);
    u32::from(hi) << 16 | u32::from(lo)
}

/// Applies `f` to both 16-bit halves of three operands.
#[inline(always)]
pub fn x2_16_3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let lo = f(a as u16, b as u16, c as u16);
    let hi = f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
    u32::from(hi) << 16 | u32::from(lo)
}

/// Applies `f` to both 32-bit halves (`f32x2`).
#[inline(always)]
pub fn x2_32(a: u64, b: u64, c: u64, f: impl Fn(u32, u32, u32) -> u32) -> u64 {
    let lo = f(a as u32, b as u32, c as u32);
    let hi = f((a >> 32) as u32, (b >> 32) as u32, (c >> 32) as u32);
    u64::from(hi) << 32 | u64::from(lo)
}

/// Applies `f` to the four bytes.
#[inline(always)]
pub fn x4_8(a: u32, b: u32, f: impl Fn(u8, u8) -> u8) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes([f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])])
}
