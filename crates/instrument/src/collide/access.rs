//! The accesses that can be checked, and the attributes that their checks need.

use super::Unchecked;
use kernels::effects::{Place, TouchKind, effects, uses_descriptors};
use ptx::ast::{Operand, ScalarType, Span};
use ptx::flat::{Arg, Base, Flat, FlatInstruction, RegId};
use ptx::op::{MemSpace, Op, Sem};

/// A weak load or store of shared, global or generic memory.
pub(super) struct Access<'t> {
    writes: bool,
    pub(super) space: MemSpace,
    pub(super) ty: ScalarType,
    /// The spelling in the instruction: `.global`, or nothing for generic addresses.
    pub(super) space_text: String,
    /// The address: the text of the base (`%rd1` or a variable), and an offset.
    pub(super) base: Text<'t>,
    pub(super) offset: i64,
    /// The register of the guard, and whether it is negated.
    pub(super) guard: Option<(String, bool)>,
    /// The loaded or stored elements; `None` for `_`.
    pub(super) elements: Vec<Option<Element<'t>>>,
}

#[derive(Clone, Copy)]
pub(crate) enum Text<'t> {
    Register(&'t str),
    /// A register with a 32-bit address in shared memory.
    NarrowRegister(&'t str),
    Variable(&'t str),
    Absolute,
}

impl Text<'_> {
    /// Returns text that sets the 64-bit register `to` to the address at an offset. Narrow addresses wrap at
    /// 32 bits: compilers may subtract a constant in the register and add it back in the offset.
    pub(crate) fn address(self, offset: i64, to: &str) -> String {
        match self {
            Text::Register(name) => format!("\tadd.s64 {to}, {name}, {offset};\n"),
            Text::NarrowRegister(name) => format!(
                "\tcvt.u64.u32 {to}, {name};\n\tadd.s64 {to}, {to}, {offset};\n\tand.b64 {to}, {to}, 4294967295;\n"
            ),
            Text::Variable(name) => format!("\tmov.u64 {to}, {name};\n\tadd.s64 {to}, {to}, {offset};\n"),
            Text::Absolute => format!("\tmov.u64 {to}, {offset};\n"),
        }
    }
}

/// One loaded or stored element.
#[derive(Clone, Copy)]
pub(super) struct Element<'t> {
    pub(super) text: &'t str,
    /// The bits of its register; `None` for a constant.
    pub(super) bits: Option<u32>,
}

impl<'t> Access<'t> {
    /// Returns the access of an instruction; `None` if the instruction has no access that may race, or is not
    /// a weak access.
    pub(super) fn of(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &'t str,
    ) -> Result<Option<Access<'t>>, Unchecked> {
        let Ok(op) = &inst.op else { return Err(Unchecked::Unknown) };
        let (mem, writes) = match op {
            Op::Ld(mem) | Op::Ldu(mem) => (mem, false),
            Op::St(mem) => (mem, true),
            _ => return unchecked(op, &inst.args),
        };
        let private =
            matches!(mem.space, MemSpace::Local | MemSpace::Const | MemSpace::Param | MemSpace::ParamFunc);
        if private || mem.sem != Sem::Weak {
            return Ok(None);
        }
        if mem.ty.bytes() > 8 || mem.vector > 4 || u32::from(mem.vector) * mem.ty.bytes() > 16 {
            return Err(Unchecked::Wide);
        }
        let (address, value) = if writes { (0, 1) } else { (1, 0) };
        let (base_text, offset) = self::address(flat, inst, text, address)?;
        let slice = |span: Span| text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let bits = |id: RegId| flat.registers[id.0 as usize].ty.bits();
        let spelled_values = match inst.source.operands.get(value) {
            Some(Operand::Vector(items, _)) => items.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => return Err(Unchecked::Unknown),
        };
        let values = match inst.args.get(value) {
            Some(Arg::Vector(items)) => items.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => return Err(Unchecked::Unknown),
        };
        let mut elements = Vec::with_capacity(values.len());
        for (arg, operand) in values.iter().zip(spelled_values) {
            let element = match (arg, operand) {
                (Arg::Reg(id), Operand::Name(name))
                    if flat.registers[id.0 as usize].vector == 1 && matches!(bits(*id), 16 | 32 | 64) =>
                {
                    Some(Element { text: slice(name.span), bits: Some(bits(*id)) })
                }
                (Arg::Sink, _) => None,
                (Arg::Int(_), Operand::Int(_, span))
                | (Arg::F32(_), Operand::F32(_, span))
                | (Arg::F64(_), Operand::F64(_, span))
                    if writes =>
                {
                    Some(Element { text: slice(*span), bits: None })
                }
                _ => return Err(Unchecked::Unknown),
            };
            elements.push(element);
        }
        if elements.len() != usize::from(mem.vector) {
            return Err(Unchecked::Unknown);
        }
        let modifiers = &inst.source.modifiers;
        let space_text = modifiers
            .iter()
            .find(|m| m.text == "global" || m.text.starts_with("shared"))
            .map_or(String::new(), |m| format!(".{}", m.text));
        Ok(Some(Access {
            writes,
            space: mem.space,
            ty: mem.ty,
            space_text,
            base: base_text,
            offset,
            guard: guard(inst),
            elements,
        }))
    }

    pub(super) fn writes(&self) -> bool {
        self.writes
    }
}

/// Returns the register of an instruction's guard, and whether it is negated.
pub(crate) fn guard(inst: &FlatInstruction<'_>) -> Option<(String, bool)> {
    inst.source.guard.as_ref().map(|g| (g.register.text.to_string(), g.negated))
}

/// Returns the base and the offset of an address operand.
pub(crate) fn address<'t>(
    flat: &Flat<'_>,
    inst: &FlatInstruction<'_>,
    text: &'t str,
    operand: usize,
) -> Result<(Text<'t>, i64), Unchecked> {
    let (Some(Arg::Address { base, offset, .. }), Some(Operand::Address { base: spelled, .. })) =
        (inst.args.get(operand), inst.source.operands.get(operand))
    else {
        return Err(Unchecked::Unknown);
    };
    let name = match spelled {
        ptx::ast::AddressBase::Name(name) => {
            text.get(name.span.start as usize..name.span.end as usize).unwrap_or_default()
        }
        ptx::ast::AddressBase::Absolute => "",
    };
    let base = match base {
        Base::Reg(id) if flat.registers[id.0 as usize].ty.bits() == 64 => Text::Register(name),
        Base::Reg(_) => Text::NarrowRegister(name),
        Base::Variable(_) | Base::Symbol(_) => Text::Variable(name),
        Base::Absolute => Text::Absolute,
        Base::Unresolved => return Err(Unchecked::Unknown),
    };
    Ok((base, *offset))
}

/// Returns why an access of another kind is not checked, if it can race at all.
fn unchecked(op: &Op, args: &[Arg<'_>]) -> Result<Option<Access<'static>>, Unchecked> {
    if matches!(op, Op::Unknown | Op::Multimem) {
        return Err(Unchecked::Unknown);
    }
    if uses_descriptors(op) {
        return Err(Unchecked::Asynchronous);
    }
    let matrix =
        matches!(op, Op::WmmaLoad { .. } | Op::WmmaStore { .. } | Op::Ldmatrix { .. } | Op::Stmatrix { .. });
    let Some(touch) = effects(op, args).touches.first().copied() else { return Ok(None) };
    match (touch.place, touch.kind) {
        (Place::Texture | Place::Surface | Place::Multimem, _) => Err(Unchecked::Image),
        (_, TouchKind::AsyncRead | TouchKind::AsyncWrite | TouchKind::AsyncAtomic(_)) => {
            Err(Unchecked::Asynchronous)
        }
        _ if matrix => Err(Unchecked::Matrix),
        // Atomics are strong.
        _ => Ok(None),
    }
}
