//! Texture fetches.
//!
//! Detectors receive the texels of a fetch as ordinary weak reads: `docs/assumptions.md`.

use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::program::{NO_ROW, Row, TexInst};
use crate::texture::Texture;
use events::{Access, AccessKind, LaneMask, Observer, Proxy, Space, Strength};
use ptx::ast::ScalarType;

impl Run<'_> {
    /// Returns the handle of a texture or surface in the first of `lanes`, and the lanes with the same
    /// handle.
    pub(super) fn one_handle(&self, row: Row, lanes: LaneMask) -> Option<(u64, LaneMask)> {
        let handle = self.get(row, true, Lanes(lanes).next()?);
        let same = Lanes(lanes).filter(|&lane| self.get(row, true, lane) == handle);
        Some((handle, same.fold(0, |mask, lane| mask | 1 << lane)))
    }
}

impl<O: Observer> Worker<'_, O> {
    #[cold]
    pub(super) fn tex(&mut self, run: &mut Run<'_>, inst: &TexInst, active: LaneMask) -> Result<(), Failed> {
        // Polling through textures is not tracked, so such a loop does not count as waiting.
        self.watch_changed();
        let mut left = active;
        // Lanes that use the same texture are handled at once.
        while let Some((handle, mask)) = run.one_handle(inst.handle, left) {
            left &= !mask;
            let (texture, texels) = self.texture(run, handle, mask)?;
            self.fetch(run, inst, &texture, texels, mask);
        }
        Ok(())
    }

    /// Returns the object in memory at the handle of a texture or surface.
    pub(super) fn image_object<const N: usize>(&mut self, handle: u64) -> Option<[u8; N]> {
        let (p, left, _) = self.region(self.ctx.memory.object(handle))?;
        if left < N as u64 {
            return None;
        }
        let mut bytes = [0; N];
        // SAFETY: the region is mapped by `crate::memory`'s invariant, and holds `N` bytes from there.
        unsafe { std::ptr::copy_nonoverlapping(p, bytes.as_mut_ptr(), N) };
        Some(bytes)
    }

    /// Returns the texture object at a handle, and the host address of its texels, all of which are mapped.
    fn texture(
        &mut self,
        run: &Run<'_>,
        handle: u64,
        lanes: LaneMask,
    ) -> Result<(Texture, *const u8), Failed> {
        let object = self.image_object::<{ Texture::BYTES }>(handle);
        let Some(texture) = object.and_then(|bytes| Texture::decode(&bytes)) else {
            let why = format!("{handle:#x} is no texture object");
            return Err(self.fail(run, lanes, FailureKind::IllegalInstruction { why }));
        };
        match self.region(texture.base) {
            Some((texels, left, true)) if left >= texture.span() => Ok((texture, texels)),
            _ => Err(self.illegal(
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
        let heard = self.s.observer.active();
        let (mut addresses, mut inside) = ([[0; 32]; CORNERS], [0; CORNERS]);
        let squares = match self.s.observer.weak {
            Some(_) => None,
            None => filtered(run, inst, texture, texels, mask),
        };
        if let Some(squares) = &squares
            && heard
        {
            for (k, offsets) in squares.iter().enumerate() {
                addresses[k] = offsets.map(|offset| texture.base + offset);
                inside[k] = mask;
            }
        }
        let (name, site) = ((run.block, run.warp.index), self.event_site(run.pc));
        for lane in Lanes(if squares.is_some() { 0 } else { mask }) {
            let raw = inst.coordinates.map(|row| match row {
                NO_ROW => 0,
                row => run.get(row, false, lane) as u32,
            });
            let mut weak = self.weak();
            let mut read = |offset: Option<u64>| match (offset, &mut weak) {
                (Some(offset), Some(weak)) => {
                    let host = texels.wrapping_add(offset as usize);
                    let bytes = weak.texel(name, (lane, site), (texture.base + offset, host), size as u8);
                    texture.channels_of(bytes)
                }
                // SAFETY: `texture` found all of the texture's span mapped, and the corner lies inside.
                (Some(offset), None) => unsafe { texel(texture, texels.wrapping_add(offset as usize), size) },
                (None, _) => texture.border_channels(),
            };
            let mut note = |k: usize, offset: Option<u64>| {
                if heard && let Some(offset) = offset {
                    addresses[k & (CORNERS - 1)][lane] = texture.base + offset;
                    inside[k & (CORNERS - 1)] |= 1 << lane;
                }
            };
            let value = match texture.point(inst.geometry, inst.integers, raw) {
                Some(offset) => {
                    note(0, offset);
                    read(offset)
                }
                None => {
                    let (square, any);
                    let corners = match texture.square(inst.geometry, inst.integers, raw) {
                        Some(corners) => {
                            square = corners;
                            square.as_slice()
                        }
                        None => {
                            any = texture.corners(inst.geometry, inst.integers, raw);
                            any.as_slice()
                        }
                    };
                    let mut sum = [0f32; 4];
                    let mut value = [0; 4];
                    for (k, corner) in corners.iter().enumerate() {
                        note(k, corner.offset);
                        value = read(corner.offset);
                        for (sum, value) in sum.iter_mut().zip(value) {
                            *sum += corner.weight * f32::from_bits(value);
                        }
                    }
                    // Filtering applies to floats; integers are read without it.
                    let filtered = inst.ty == ScalarType::F32 && corners.len() > 1;
                    if filtered { sum.map(f32::to_bits) } else { value }
                }
            };
            for (row, value) in inst.d.into_iter().zip(value) {
                if row != NO_ROW {
                    run.set(row, lane, value.into());
                }
            }
        }
        self.s.stats.accesses += u64::from(mask.count_ones());
        if !heard {
            return;
        }
        for (addresses, inside) in addresses.iter().zip(inside) {
            if inside == 0 {
                continue;
            }
            let access = Access {
                warp: run.name(self),
                site: self.event_site(run.pc),
                space: Space::Global,
                kind: AccessKind::Read,
                strength: Strength::Weak,
                proxy: Proxy::Texture,
                size: size as u32,
                elements: 1,
                mask: inside,
                addresses,
                stride: None,
                stored: 0,
                values: None,
                written: Default::default(),
            };
            self.s.observer.access(&access);
        }
    }
}

/// Fetches all lanes at once for the common form with filtering; returns the offsets of the texels, or
/// `None`, without effect, for other forms. `texels` is the address of the texture's texels.
fn filtered(
    run: &mut Run<'_>,
    inst: &TexInst,
    texture: &Texture,
    texels: *const u8,
    mask: LaneMask,
) -> Option<[[u64; 32]; 4]> {
    let usual = texture.linear && inst.ty == ScalarType::F32 && (texture.channels, texture.bits) == (1, 32);
    if !usual {
        return None;
    }
    let [x, y] = [0, 1].map(|d| match inst.coordinates[d] {
        NO_ROW => [0; 32],
        row => std::array::from_fn(|lane| run.get(row, false, lane) as u32),
    });
    let squares = texture.squares(inst.geometry, inst.integers, [&x, &y], mask)?;
    let mut sums = [0f32; 32];
    for (offsets, weights) in squares.offsets.iter().zip(&squares.weights) {
        let mut values = [0; 32];
        for lane in Lanes(mask) {
            let p = texels.wrapping_add(offsets[lane] as usize);
            // SAFETY: the caller found all of the texture's span mapped, and the squares lie inside.
            values[lane] = unsafe { p.cast::<u32>().read_unaligned() };
        }
        for lane in 0..32 {
            sums[lane] += weights[lane] * f32::from_bits(values[lane]);
        }
    }
    for (channel, row) in inst.d.into_iter().enumerate().filter(|(_, row)| *row != NO_ROW) {
        for lane in Lanes(mask) {
            let value = if channel == 0 { sums[lane].to_bits() } else { 0 };
            run.set(row, lane, value.into());
        }
    }
    Some(squares.offsets)
}

/// The largest number of texels that a fetch reads.
const CORNERS: usize = 8;

/// Reads a texel's channels.
///
/// # Safety
/// `p` is valid for `size` bytes, which are the texel's.
unsafe fn texel(texture: &Texture, p: *const u8, size: u64) -> [u32; 4] {
    // SAFETY: by contract.
    unsafe {
        if size == 4 {
            return texture.channels_of(p.cast::<u32>().read_unaligned().into());
        }
        texture.channels_of(super::data::peek(p, size as usize))
    }
}
