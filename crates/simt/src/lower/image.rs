//! Textures and surfaces.

use super::body::{Body, Lowered};
use super::memory::atomic_op;
use crate::program::*;
use events::{Proxy, Scope, Sem, Strength};
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Base};
use ptx::op::{Op, Rmw, Surface};
use smallvec::SmallVec;

/// The address operand of a surface access, which computes its addresses itself.
const NO_ADDRESS: Address =
    Address { row: NO_ROW, wide: true, base: AddressBase::None, offset: 0, target: Target::Global };

impl<'a> Body<'a, '_> {
    pub(super) fn image(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<RareInst> {
        Ok(match (op, args) {
            (Op::Tex { geometry, ty, coordinates }, [d, at]) => {
                RareInst::Tex(Box::new(self.texture(*geometry, *ty, *coordinates, d, at)?))
            }
            (Op::Suld(surface), [d, at]) => {
                let rows = self.value_rows(d, surface.ty, true)?;
                self.surface(surface, at, SurfaceAccess::Load(moved(surface, rows)?))?
            }
            (Op::Sust(surface), [at, value]) => {
                let rows = self.value_rows(value, surface.ty, false)?;
                self.surface(surface, at, SurfaceAccess::Store(moved(surface, rows)?))?
            }
            (Op::Sured { op, surface }, [at, value]) => {
                let b = SmallVec::from_slice(&self.value_rows(value, surface.ty, false)?);
                self.surface(surface, at, SurfaceAccess::Reduce(reduced(*op, surface, b)))?
            }
            (Op::Suq { query }, [d, at]) => {
                let Arg::Address { base: Base::Reg(handle), offset: 0, .. } = at else {
                    return Err("a surface that is no object's handle".to_owned());
                };
                RareInst::Suq { d: self.destination(d)?, handle: self.rows.row(*handle, 0), query: *query }
            }
            _ => return Err("operands missing".to_owned()),
        })
    }

    /// Returns the row of the object's handle and the rows of the coordinates.
    fn image_address(&mut self, at: &Arg<'a>, ty: ScalarType, what: &str) -> Lowered<(Row, [Row; 4])> {
        let Arg::Address { base: Base::Reg(handle), offset: 0, rest } = at else {
            return Err(format!("a {what} that is no object's handle"));
        };
        let coordinates = match rest.as_slice() {
            [Arg::Vector(items)] => items.as_slice(),
            [_] => rest.as_slice(),
            _ => return Err(format!("a {what} with a sampler of its own")),
        };
        let mut rows = [NO_ROW; 4];
        for (row, arg) in rows.iter_mut().zip(coordinates) {
            *row = self.source(arg, ty)?;
        }
        Ok((self.rows.row(*handle, 0), rows))
    }

    fn texture(
        &mut self,
        geometry: ptx::op::TexGeometry,
        ty: ScalarType,
        coordinates: ScalarType,
        d: &Arg<'a>,
        at: &Arg<'a>,
    ) -> Lowered<TexInst> {
        let (handle, rows) = self.image_address(at, coordinates, "texture")?;
        let d = self.value_rows(d, ty, true)?;
        let d = <[Row; 4]>::try_from(d.as_slice()).map_err(|_| "four results expected".to_owned())?;
        let integers = coordinates != ScalarType::F32;
        Ok(TexInst { handle, geometry, ty, integers, coordinates: rows, d })
    }

    fn surface(&mut self, surface: &Surface, at: &Arg<'a>, access: SurfaceAccess) -> Lowered<RareInst> {
        let (handle, coordinates) = self.image_address(at, ScalarType::S32, "surface")?;
        let Surface { geometry, boundary, .. } = *surface;
        Ok(RareInst::Surface(Box::new(SurfaceInst { handle, geometry, boundary, coordinates, access })))
    }
}

fn moved(surface: &Surface, rows: SmallVec<[Row; 4]>) -> Lowered<MemInst> {
    if rows.len() != usize::from(surface.vector) {
        return Err("operands do not match the vector".to_owned());
    }
    let size = surface.ty.bytes() as u8;
    Ok(MemInst {
        address: NO_ADDRESS,
        size,
        elements: surface.vector,
        rows,
        part: size,
        signed: false,
        extend_to: 64,
        strength: Strength::Weak,
        proxy: Proxy::Surface,
        constant: None,
        polls: false,
    })
}

fn reduced(op: Rmw, surface: &Surface, b: SmallVec<[Row; 2]>) -> AtomInst {
    AtomInst {
        address: NO_ADDRESS,
        op,
        kind: atomic_op(op),
        ty: surface.ty,
        size: surface.ty.bytes() as u8,
        elements: 1,
        d: SmallVec::new(),
        returns: false,
        b,
        c: SmallVec::new(),
        sem: Sem::Relaxed,
        scope: Scope::Gpu,
    }
}
