//! Control flow and miscellaneous instructions (PTX §9.7.13, §9.7.20).

use super::Decoded;
use super::mods::Mods;
use crate::ast::ScalarType::{self, *};
use crate::op::Op;

fn is_word(ty: ScalarType) -> bool {
    matches!(ty, U32 | B32 | U64 | B64 | S32 | S64)
}

pub(super) fn bra(m: &mut Mods) -> Decoded {
    Ok(Op::Bra { uniform: m.has("uni") })
}

pub(super) fn brx(m: &mut Mods) -> Decoded {
    m.need("idx")?;
    m.has("uni");
    Ok(Op::BrxIdx)
}

pub(super) fn call(m: &mut Mods) -> Decoded {
    m.has("uni");
    Ok(Op::Call)
}

pub(super) fn ret(m: &mut Mods) -> Decoded {
    m.has("uni");
    Ok(Op::Ret)
}

pub(super) fn exit(_: &mut Mods) -> Decoded {
    Ok(Op::Exit)
}

pub(super) fn trap(_: &mut Mods) -> Decoded {
    Ok(Op::Trap)
}

pub(super) fn brkpt(_: &mut Mods) -> Decoded {
    Ok(Op::Brkpt)
}

pub(super) fn nanosleep(m: &mut Mods) -> Decoded {
    m.ty(|ty| ty == U32)?;
    Ok(Op::Nanosleep)
}

pub(super) fn pmevent(m: &mut Mods) -> Decoded {
    m.has("mask");
    Ok(Op::Pmevent)
}

pub(super) fn setmaxnreg(m: &mut Mods) -> Decoded {
    if !m.has("inc") {
        m.need("dec")?;
    }
    m.need("sync")?;
    m.need("aligned")?;
    m.ty(|ty| ty == U32)?;
    Ok(Op::SetMaxNReg)
}

pub(super) fn alloca(m: &mut Mods) -> Decoded {
    Ok(Op::Alloca { ty: m.ty(is_word)? })
}

pub(super) fn stacksave(m: &mut Mods) -> Decoded {
    Ok(Op::StackSave { ty: m.ty(is_word)? })
}

pub(super) fn stackrestore(m: &mut Mods) -> Decoded {
    Ok(Op::StackRestore { ty: m.ty(is_word)? })
}

pub(super) fn griddepcontrol(m: &mut Mods) -> Decoded {
    if m.has("wait") {
        return Ok(Op::GridDepControl { wait: true });
    }
    m.need("launch_dependents")?;
    Ok(Op::GridDepControl { wait: false })
}
