//! Texture fetches.
//!
//! To the detector the texels of a fetch are read by ordinary weak reads: `docs/assumptions.md`.

use super::row::Lanes;
use super::{Failed, Run, Worker};
use crate::failure::FailureKind;
use crate::program::{NO_ROW, TexInst};
use crate::texture::{Corners, Texture};
use events::{Access, AccessKind, LaneMask, Observer, Proxy, Space, Strength};
use ptx::ast::ScalarType;

impl<O: Observer> Worker<'_, O> {
    #[cold]
    pub(super) fn tex(&mut self, run: &mut Run<'_>, inst: &TexInst, active: LaneMask) -> Result<(), Failed> {
        // What is polled through textures is not followed: such a loop is not taken to wait.
        self.watch_changed();
        let mut left = active;
        // As many lanes at once as use the same texture.
        while let Some(first) = Lanes(left).next() {
            let handle = run.get(inst.handle, true, first);
            let mask = Lanes(left)
                .filter(|&lane| run.get(inst.handle, true, lane) == handle)
                .fold(0, |mask, lane| mask | 1 << lane);
            left &= !mask;
            let (texture, texels) = self.texture(run, handle, mask)?;
            self.fetch(run, inst, &texture, texels, mask);
        }
        Ok(())
    }

    /// What is in memory at a texture's or a surface's handle.
    pub(super) fn image_object<const N: usize>(&self, handle: u64) -> Option<[u8; N]> {
        let region = self.ctx.memory.find(handle)?;
        if region.base + region.bytes - handle < N as u64 {
            return None;
        }
        let p = region.host.wrapping_add((handle - region.base) as usize);
        let mut bytes = [0; N];
        // SAFETY: the region is mapped by `crate::memory`'s invariant, and holds so many bytes from there.
        unsafe { std::ptr::copy_nonoverlapping(p, bytes.as_mut_ptr(), N) };
        Some(bytes)
    }

    /// The texture object at a handle, and the engine's address of its texels, all of which are there.
    fn texture(&self, run: &Run<'_>, handle: u64, lanes: LaneMask) -> Result<(Texture, *const u8), Failed> {
        let object = self.image_object::<{ Texture::BYTES }>(handle);
        let Some(texture) = object.and_then(|bytes| Texture::decode(&bytes)) else {
            let why = format!("{handle:#x} is no texture object");
            return Err(self.fail(run, lanes, FailureKind::IllegalInstruction { why }));
        };
        let device = self.ctx.launch.device.min(63);
        let texels = self.ctx.memory.find(texture.base).filter(|region| {
            region.accessible_from >> device & 1 != 0
                && region.base + region.bytes - texture.base >= texture.span()
        });
        match texels {
            Some(region) => Ok((texture, region.host.wrapping_add((texture.base - region.base) as usize))),
            None => Err(self.illegal(
                run,
                texture.base,
                lanes,
                texture.span(),
                false,
                "a texture's memory is not there",
            )),
        }
    }

    fn fetch(
        &mut self,
        run: &mut Run<'_>,
        inst: &TexInst,
        texture: &Texture,
        texels: *const u8,
        mask: LaneMask,
    ) {
        let size = texture.texel().min(16);
        let mut all: [Corners; 32] = Default::default();
        for lane in Lanes(mask) {
            let raw = inst.coordinates.map(|row| match row {
                NO_ROW => 0,
                row => run.get(row, false, lane) as u32,
            });
            let corners = texture.corners(inst.geometry, inst.integers, raw);
            // Filters make floats of floats; integers are read as they are.
            let float = inst.ty == ScalarType::F32;
            let mut sum = [0f32; 4];
            let mut value = [0; 4];
            for corner in &corners {
                value = match corner.offset {
                    Some(offset) => {
                        // SAFETY: `texture` found all of the texture's span mapped, and corners are inside.
                        let bytes =
                            unsafe { super::data::peek(texels.wrapping_add(offset as usize), size as usize) };
                        texture.channels_of(bytes)
                    }
                    None => texture.border_channels(),
                };
                if float && corners.len() > 1 {
                    for (sum, value) in sum.iter_mut().zip(value) {
                        *sum += corner.weight * f32::from_bits(value);
                    }
                }
            }
            if float && corners.len() > 1 {
                value = sum.map(f32::to_bits);
            }
            for (row, value) in inst.d.into_iter().zip(value) {
                if row != NO_ROW {
                    run.set(row, lane, value.into());
                }
            }
            all[lane] = corners;
        }
        self.s.stats.accesses += u64::from(mask.count_ones());
        if !self.s.observer.active() {
            return;
        }
        let corners = Lanes(mask).next().map_or(0, |lane| all[lane].len());
        for k in 0..corners {
            let (mut addresses, mut inside) = ([0; 32], 0);
            for lane in Lanes(mask) {
                if let Some(offset) = all[lane].get(k).and_then(|c| c.offset) {
                    addresses[lane] = texture.base + offset;
                    inside |= 1 << lane;
                }
            }
            if inside == 0 {
                continue;
            }
            let access = Access {
                warp: run.name(self),
                site: self.event_site(run.pc),
                space: Space::Global,
                kind: AccessKind::Read,
                strength: Strength::Weak,
                proxy: Proxy::Generic,
                size: size as u32,
                elements: 1,
                mask: inside,
                addresses: &addresses,
                stored: 0,
                values: None,
            };
            self.s.observer.access(&access);
        }
    }
}
