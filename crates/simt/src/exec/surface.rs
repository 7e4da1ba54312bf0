//! Surface accesses.
//!
//! Detectors receive them as ordinary weak accesses of the array's memory: `docs/assumptions.md`.

use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::program::{NO_ROW, Row, SurfaceAccess, SurfaceInst};
use crate::surface::{Place, Surface};
use events::{LaneMask, Observer};
use ptx::op::SurfaceQuery;

impl<O: Observer> Worker<'_, O> {
    #[cold]
    pub(super) fn surface(
        &mut self,
        run: &mut Run<'_>,
        inst: &SurfaceInst,
        active: LaneMask,
    ) -> Result<(), Failed> {
        let bytes = match &inst.access {
            SurfaceAccess::Load(mem) | SurfaceAccess::Store(mem) => {
                u64::from(mem.size) * u64::from(mem.elements)
            }
            SurfaceAccess::Reduce(atom) => atom.size.into(),
        };
        let weak = self.s.observer.weak.is_some();
        let mut left = active;
        // Lanes that use the same surface are handled at once.
        while let Some((handle, mask)) = run.one_handle(inst.handle, left) {
            left &= !mask;
            let surface = self.surface_object(run, handle, mask)?;
            let (mut addresses, mut inside) = ([0; 32], 0);
            for lane in Lanes(mask) {
                let raw = inst.coordinates.map(|row| match row {
                    NO_ROW => 0,
                    row => run.get(row, false, lane) as u32,
                });
                match surface.place(inst.geometry, inst.boundary, raw, bytes) {
                    Place::At(offset) => {
                        addresses[lane] = surface.base + offset;
                        inside |= 1 << lane;
                    }
                    Place::Nowhere => {}
                    Place::Trap => {
                        let write = !matches!(inst.access, SurfaceAccess::Load(_));
                        let why = "its coordinates are outside of the surface";
                        return Err(self.illegal(run, surface.base, 1 << lane, bytes, write, why));
                    }
                }
            }
            if let SurfaceAccess::Load(mem) = &inst.access {
                for lane in Lanes(mask & !inside) {
                    mem.rows.iter().filter(|&&row| row != NO_ROW).for_each(|&row| run.set(row, lane, 0));
                }
            }
            let Some(first) = Lanes(inside).next() else { continue };
            // Inactive lanes receive contiguous addresses, as in `addresses`.
            let origin = addresses[first].wrapping_sub(first as u64 * bytes);
            for lane in Lanes(!inside) {
                addresses[lane] = origin.wrapping_add(lane as u64 * bytes);
            }
            match &inst.access {
                SurfaceAccess::Load(mem) if weak => self.load_weakly(run, mem, &mut addresses, inside)?,
                SurfaceAccess::Load(mem) => self.load_at(run, mem, &mut addresses, inside)?,
                SurfaceAccess::Store(mem) if weak => self.store_weakly(run, mem, &mut addresses, inside)?,
                SurfaceAccess::Store(mem) => self.store_at(run, mem, &mut addresses, inside)?,
                SurfaceAccess::Reduce(atom) => self.atom_at(run, atom, &mut addresses, inside)?,
            }
        }
        Ok(())
    }

    fn surface_object(&mut self, run: &Run<'_>, handle: u64, lanes: LaneMask) -> Result<Surface, Failed> {
        let object = self.image_object::<{ Surface::BYTES }>(handle);
        object.and_then(|bytes| Surface::decode(&bytes)).ok_or_else(|| {
            let why = format!("{handle:#x} is no surface object");
            self.fail(run, lanes, FailureKind::IllegalInstruction { why })
        })
    }

    #[cold]
    pub(super) fn suq(
        &mut self,
        run: &mut Run<'_>,
        d: Row,
        handle: Row,
        query: SurfaceQuery,
        active: LaneMask,
    ) -> Result<(), Failed> {
        for lane in Lanes(active) {
            let surface = self.surface_object(run, run.get(handle, true, lane), 1 << lane)?;
            run.set(d, lane, surface.query(query).into());
        }
        Ok(())
    }
}
