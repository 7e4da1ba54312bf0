//! Hazards that are no pair of accesses: what their sides say.

use crate::explain::spelled;
use crate::model::{Access, Memory};
use crate::registers::product_part;
use events::finding::Actor;
use events::{Class, Finding};

/// Returns whether a finding of the class concerns no memory.
pub(super) const fn is_without_memory(class: Class) -> bool {
    matches!(class, Class::DivergentBarrier | Class::MaskWithoutCaller | Class::WgmmaRegisters)
}

/// Replaces what sides and memory of such a hazard say.
pub(super) fn amend(f: &Finding, accesses: &mut [Access; 2], memory: &mut Memory) {
    let [first, second] = accesses;
    match f.class {
        Class::DivergentBarrier => {
            for access in [first, second] {
                access.kind = "barrier".into();
                access.what = spelled(&access.instruction);
            }
            let text = format!("none (barrier {} of the block)", f.sides[1].address);
            *memory = Memory { text, ..Memory::default() };
        }
        Class::MaskWithoutCaller => {
            second.kind = "warp-wide".into();
            second.what = spelled(&second.instruction);
            let member = f.sides[1].address;
            first.kind = "mask".into();
            first.what = format!("mask {member:#010x}");
            first.who = match member {
                0 => "no lane".into(),
                _ => "other lanes only".into(),
            };
            *memory = Memory { text: format!("none (mask {member:#010x})"), ..Memory::default() };
        }
        Class::WgmmaRegisters => {
            let part = product_part(f);
            for (access, side) in [&mut *first, &mut *second].into_iter().zip(&f.sides) {
                let kind = if side.kind.writes() { "write" } else { "read" };
                let how = if side.kind.operation().is_some() { "asynchronous " } else { "" };
                access.what = format!("{how}{kind} of the {part}");
            }
            if f.sides[0].who == Actor::Unseen {
                first.what = "no `wgmma.fence`".into();
                first.who = "any earlier instruction of the warp".into();
            }
            *memory = Memory { text: format!("none (a register: {part})"), ..Memory::default() };
        }
        Class::UninitializedRead => {
            first.what = "no write".into();
            first.who = "any thread of the block".into();
        }
        _ => {}
    }
}
