//! Initial values of variables.

use crate::memory::AddressSpace;
use crate::program::window;
use kernels::{Linked, LoadError, Placed, Symbol};
use ptx::ast::{Init, Name, ScalarType};

pub(super) fn write(linked: &Linked<'_>, memory: &AddressSpace) -> Result<(), LoadError> {
    for placed in &linked.placed {
        let name = placed.decl.name.text.as_str();
        let mut bytes = vec![0; placed.bytes as usize];
        if let Some(init) = &placed.decl.init {
            let dims: Vec<u64> = placed.decl.dims.iter().map(|d| d.unwrap_or(0)).collect();
            fill(linked, placed, init, &dims, &mut bytes)?;
        }
        memory
            .write(placed.address, &bytes)
            .map_err(|fault| LoadError::Storage { name: name.to_owned(), why: fault.to_string() })?;
    }
    Ok(())
}

fn fill(
    linked: &Linked<'_>,
    placed: &Placed<'_>,
    init: &Init,
    dims: &[u64],
    out: &mut [u8],
) -> Result<(), LoadError> {
    let ty = placed.decl.ty;
    let element = ty.bytes() as usize;
    match init {
        Init::List(items) => {
            // The stride of an item: all inner dimensions, or one element.
            let inner = dims.get(1..).unwrap_or(&[]);
            let nested = items.iter().any(|i| matches!(i, Init::List(_)));
            let stride = if nested || dims.len() > 1 {
                let vector = if inner.is_empty() { 1 } else { usize::from(placed.decl.vector) };
                inner.iter().product::<u64>() as usize * element * vector
            } else {
                element
            };
            for (item, chunk) in items.iter().zip(out.chunks_mut(stride.max(1))) {
                fill(linked, placed, item, inner, chunk)?;
            }
            Ok(())
        }
        scalar => {
            let bits = value(linked, placed, scalar, ty)?;
            let n = element.min(out.len());
            out[..n].copy_from_slice(&bits.to_le_bytes()[..n]);
            Ok(())
        }
    }
}

fn value(linked: &Linked<'_>, placed: &Placed<'_>, init: &Init, ty: ScalarType) -> Result<u128, LoadError> {
    Ok(match init {
        Init::Int(v) if ty == ScalarType::F32 => u128::from((*v as f32).to_bits()),
        Init::Int(v) if ty == ScalarType::F64 => u128::from((*v as f64).to_bits()),
        Init::Int(v) => *v as u128,
        Init::F32(bits) if ty == ScalarType::F64 => f64::from(f32::from_bits(*bits)).to_bits().into(),
        Init::F32(bits) => u128::from(*bits),
        Init::F64(bits) if ty == ScalarType::F32 => (f64::from_bits(*bits) as f32).to_bits().into(),
        Init::F64(bits) => u128::from(*bits),
        Init::Symbol { name, generic, offset } => {
            u128::from(address(linked, placed, name, *generic)?.wrapping_add(*offset as u64))
        }
        Init::MaskedSymbol { mask, name, generic, offset } => {
            let address = address(linked, placed, name, *generic)?.wrapping_add(*offset as u64);
            u128::from((address & mask).checked_shr(mask.trailing_zeros()).unwrap_or(0))
        }
        Init::List(_) => 0,
        Init::Other(text) => {
            let why = format!("its initial value `{text}` is not understood");
            return Err(LoadError::Storage { name: placed.decl.name.text.to_string(), why });
        }
    })
}

fn address(linked: &Linked<'_>, placed: &Placed<'_>, name: &Name, generic: bool) -> Result<u64, LoadError> {
    match linked.symbols[placed.source].get(&name.text) {
        Some(Symbol::Memory { address }) => Ok(*address),
        Some(Symbol::Function { index }) => Ok(window::FUNCTION | u64::from(*index)),
        Some(Symbol::Shared { offset }) => Ok(u64::from(*offset) | if generic { window::SHARED } else { 0 }),
        Some(Symbol::DynamicShared | Symbol::Undefined) | None => {
            Err(LoadError::Undefined(name.text.to_string()))
        }
    }
}
