//! Video instructions (PTX §9.7.19), which operate on bytes and halves of registers that selectors on the
//! operands choose.

use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::Operand;
use crate::ast::ScalarType::{self, S32, U32};
use crate::op::{Cmp, Op, Video, VideoMad, VideoOp, VideoPart, VideoSecond, VideoSimd};

fn ty(m: &mut Mods) -> Result<ScalarType, DecodeError> {
    m.ty(|ty| matches!(ty, U32 | S32))
}

fn cmp(m: &mut Mods) -> Result<Cmp, DecodeError> {
    let cmp = m.pick(|name| {
        Some(match name {
            "eq" => Cmp::Eq,
            "ne" => Cmp::Ne,
            "lt" => Cmp::Lt,
            "le" => Cmp::Le,
            "gt" => Cmp::Gt,
            "ge" => Cmp::Ge,
            _ => return None,
        })
    });
    cmp.ok_or_else(|| m.missing("a comparison"))
}

/// Decodes the operation that an opcode names (without the number of elements), and its result's type if the
/// instruction has one.
fn operation(m: &mut Mods, name: &str) -> Result<(VideoOp, ScalarType), DecodeError> {
    let op = match name {
        "vadd" => VideoOp::Add,
        "vsub" => VideoOp::Sub,
        "vabsdiff" => VideoOp::AbsDiff,
        "vmin" => VideoOp::Min,
        "vmax" => VideoOp::Max,
        "vavrg" => VideoOp::Average,
        // The result of a comparison is unsigned.
        "vset" => return Ok((VideoOp::Set(cmp(m)?), U32)),
        shift => {
            let wrap = m.pick(|name| match name {
                "clamp" => Some(false),
                "wrap" => Some(true),
                _ => None,
            });
            let Some(wrap) = wrap else { return Err(m.missing("`.clamp` or `.wrap`")) };
            if shift == "vshl" { VideoOp::Shl { wrap } } else { VideoOp::Shr { wrap } }
        }
    };
    Ok((op, ty(m)?))
}

/// Returns the selector of operand `k`, if it has one.
fn selector<'a>(m: &Mods<'a>, k: usize) -> Option<&'a str> {
    match m.operand(k) {
        Some(Operand::Selected(_, selector) | Operand::Negated(_, Some(selector))) => Some(selector),
        _ => None,
    }
}

fn is_negated(m: &Mods, k: usize) -> bool {
    matches!(m.operand(k), Some(Operand::Negated(..)))
}

fn bad_selector(m: &Mods, selector: &str) -> DecodeError {
    m.error(format!("`{}` does not take the selector `.{selector}`", m.spelled()))
}

fn part(m: &Mods, k: usize) -> Result<VideoPart, DecodeError> {
    let Some(selector) = selector(m, k) else { return Ok(VideoPart::Word) };
    match *selector.as_bytes() {
        [b'h', n @ b'0'..=b'1'] => Ok(VideoPart::Half(n - b'0')),
        [b'b', n @ b'0'..=b'3'] => Ok(VideoPart::Byte(n - b'0')),
        _ => Err(bad_selector(m, selector)),
    }
}

fn forbid_negation(m: &Mods) -> Result<(), DecodeError> {
    match (0..4).any(|k| is_negated(m, k)) {
        true => Err(m.error(format!("`{}` does not negate its operands", m.spelled()))),
        false => Ok(()),
    }
}

pub(super) fn scalar(m: &mut Mods) -> Decoded {
    forbid_negation(m)?;
    let (op, ty_d) = operation(m, m.opcode())?;
    let (a, b) = (ty(m)?, ty(m)?);
    if matches!(op, VideoOp::Shl { .. } | VideoOp::Shr { .. }) && b != U32 {
        return Err(m.error("a video shift's amount is `.u32`"));
    }
    let sat = !matches!(op, VideoOp::Set(_)) && m.has("sat");
    let second = m.pick(|name| match name {
        "add" => Some(VideoSecond::Add),
        "min" => Some(VideoSecond::Min),
        "max" => Some(VideoSecond::Max),
        _ => None,
    });
    let (d_part, a_part, b_part) = (part(m, 0)?, part(m, 1)?, part(m, 2)?);
    if selector(m, 3).is_some() {
        return Err(m.error("a video instruction's third source is a whole word"));
    }
    if second.is_some() && d_part != VideoPart::Word {
        return Err(m.error(format!("`{}` either merges or combines its result", m.spelled())));
    }
    Ok(Op::Video(Video { op, ty: ty_d, a, b, sat, second, d_part, a_part, b_part }))
}

pub(super) fn vmad(m: &mut Mods) -> Decoded {
    ty(m)?;
    let (a, b) = (ty(m)?, ty(m)?);
    let (plus_one, sat) = (m.has("po"), m.has("sat"));
    let shift = m.pick(|name| match name {
        "shr7" => Some(7),
        "shr15" => Some(15),
        _ => None,
    });
    let (a_part, b_part) = (part(m, 1)?, part(m, 2)?);
    if selector(m, 0).is_some() || selector(m, 3).is_some() {
        return Err(m.error("`vmad` selects from its factors only"));
    }
    let negate_product = is_negated(m, 1) != is_negated(m, 2);
    let negate_c = is_negated(m, 3);
    if negate_product && negate_c || is_negated(m, 0) {
        return Err(m.error("`vmad` negates the product or the addend"));
    }
    if plus_one && (1..4).any(|k| is_negated(m, k)) {
        return Err(m.error("`vmad.po` does not negate its operands"));
    }
    let shift = shift.unwrap_or(0);
    Ok(Op::VideoMad(VideoMad { a, b, a_part, b_part, negate_product, negate_c, plus_one, sat, shift }))
}

/// Decodes the elements of `a` and `b`, concatenated, that operand `k` selects: a nibble per element, the
/// least significant first.
fn elements(m: &Mods, k: usize, lanes: u8, default: u16) -> Result<u16, DecodeError> {
    let Some(selector) = selector(m, k) else { return Ok(default) };
    let (letter, digits) = selector.as_bytes().split_at(1);
    let fits = letter[0] == if lanes == 2 { b'h' } else { b'b' }
        && digits.len() == usize::from(lanes)
        && digits.iter().all(|&d| d.wrapping_sub(b'0') < 2 * lanes);
    if !fits {
        return Err(bad_selector(m, selector));
    }
    // The text names the most significant element first.
    Ok(digits.iter().fold(0, |row, &d| row << 4 | u16::from(d - b'0')))
}

/// Decodes the destination's elements, which the text names in descending order.
fn mask(m: &Mods, lanes: u8) -> Result<u8, DecodeError> {
    let Some(selector) = selector(m, 0) else { return Ok((1 << lanes) - 1) };
    let (letter, digits) = selector.as_bytes().split_at(1);
    let fits = letter[0] == if lanes == 2 { b'h' } else { b'b' }
        && digits.iter().all(|&d| d.wrapping_sub(b'0') < lanes)
        && digits.is_sorted_by(|x, y| x > y);
    if !fits {
        return Err(bad_selector(m, selector));
    }
    Ok(digits.iter().fold(0, |mask, &d| mask | 1 << (d - b'0')))
}

pub(super) fn simd(m: &mut Mods) -> Decoded {
    forbid_negation(m)?;
    let (name, lanes) = match m.opcode().strip_suffix('2') {
        Some(name) => (name, 2),
        None => (m.opcode().trim_end_matches('4'), 4),
    };
    let (op, ty_d) = operation(m, name)?;
    let (a, b) = (ty(m)?, ty(m)?);
    let sat = !matches!(op, VideoOp::Set(_)) && m.has("sat");
    let accumulate = m.has("add");
    if sat && accumulate {
        return Err(m.error(format!("`{}` either saturates or accumulates", m.spelled())));
    }
    let defaults = if lanes == 2 { (0x10, 0x32) } else { (0x3210, 0x7654) };
    let mask = mask(m, lanes)?;
    let (a_select, b_select) = (elements(m, 1, lanes, defaults.0)?, elements(m, 2, lanes, defaults.1)?);
    if selector(m, 3).is_some() {
        return Err(m.error("a video instruction's third source is a whole word"));
    }
    Ok(Op::VideoSimd(VideoSimd { op, lanes, ty: ty_d, a, b, sat, accumulate, mask, a_select, b_select }))
}
