//! Textures and surfaces of the program: the meaning of their handles, and the contents of their arrays.
//!
//! The driver's array layout is opaque. A saved launch stores arrays as rows and slices, at an address at
//! which the program has no memory.

use crate::call::call;
use crate::hooks::SUCCESS;
use snapshot::{Addressing, Channel, Image, Layout, Object, Surface, Texture};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{c_int, c_uint, c_void};

/// `CUDA_RESOURCE_DESC`, with the fields of the largest kind of resource.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resource {
    kind: c_int,
    /// The handle of an array, or an address.
    pub(crate) what: u64,
    format: c_int,
    channels: c_uint,
    /// The bytes of linear memory, or the texels of a row.
    width: usize,
    height: usize,
    pitch: usize,
    rest: [u64; 11],
    flags: c_uint,
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    addressing: [c_int; 3],
    filter: c_int,
    flags: c_uint,
    anisotropy: c_uint,
    mipmaps: c_int,
    levels: [f32; 3],
    border: [f32; 4],
    reserved: [c_int; 12],
}

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Array {
    width: usize,
    height: usize,
    depth: usize,
    format: c_int,
    channels: c_uint,
    flags: c_uint,
}

/// `CU_RESOURCE_TYPE_ARRAY`, `_LINEAR`, `_PITCH2D`
const ARRAY: c_int = 0;
const LINEAR: c_int = 2;
const PITCHED: c_int = 3;
/// `CU_TRSF_READ_AS_INTEGER`, `_NORMALIZED_COORDINATES`, `_SRGB`
const AS_INTEGER: c_uint = 1;
const NORMALIZED: c_uint = 2;
const SRGB: c_uint = 0x10;
/// `CUDA_ARRAY3D_LAYERED`, `_CUBEMAP`
const LAYERED: c_uint = 5;

/// A texture, or a surface if it has no sampling description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Described {
    pub(crate) resource: Resource,
    pub(crate) sampling: Option<Sampling>,
}

/// The objects of a process by handle; `None` for kinds that are not saved.
pub(crate) type Images = BTreeMap<u64, Option<Described>>;

/// The contents of an array, and the address at which the saved launch has them.
pub(crate) struct Contents {
    pub(crate) base: u64,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the kind and the bits of a channel.
fn format(format: c_int) -> Option<(Channel, u8)> {
    Some(match format {
        0x01 => (Channel::Unsigned, 8),
        0x02 => (Channel::Unsigned, 16),
        0x03 => (Channel::Unsigned, 32),
        0x08 => (Channel::Signed, 8),
        0x09 => (Channel::Signed, 16),
        0x0a => (Channel::Signed, 32),
        0x10 => (Channel::Float, 16),
        0x20 => (Channel::Float, 32),
        _ => return None,
    })
}

/// Returns the layout of an array as rows and slices, and its size in bytes.
fn laid(array: &Array, base: u64) -> Option<(Layout, u64)> {
    let (_, bits) = format(array.format)?;
    let extent = |n: usize| u32::try_from(n).ok();
    let texel = u64::from(array.channels) * u64::from(bits) / 8;
    let row = (array.width as u64).checked_mul(texel)?;
    let slice = row.checked_mul(array.height.max(1) as u64)?;
    let bytes = slice.checked_mul(array.depth.max(1) as u64)?;
    let layout = Layout {
        base,
        row,
        slice,
        width: extent(array.width)?,
        height: extent(array.height)?,
        depth: extent(array.depth)?,
    };
    (bytes > 0).then_some((layout, bytes))
}

/// Returns the object that a handle denotes; `array` is its array and that array's layout, if it has one.
fn meant(handle: u64, described: &Described, array: Option<(&Array, Layout)>) -> Option<Object> {
    let Described { resource, sampling } = described;
    let extent = |n: usize| u32::try_from(n).ok();
    let (code, channels) = match array {
        Some((array, _)) => (array.format, array.channels),
        None => (resource.format, resource.channels),
    };
    let (channel, bits) = format(code)?;
    let channels = u8::try_from(channels).ok()?;
    let texel = u64::from(channels) * u64::from(bits) / 8;
    let layout = match (array, resource.kind) {
        (Some((_, layout)), _) => layout,
        (None, LINEAR) => Layout {
            base: resource.what,
            row: resource.width as u64,
            slice: 0,
            width: u32::try_from((resource.width as u64).checked_div(texel)?).ok()?,
            height: 0,
            depth: 0,
        },
        (None, PITCHED) => Layout {
            base: resource.what,
            row: resource.pitch as u64,
            slice: 0,
            width: extent(resource.width)?,
            height: extent(resource.height)?,
            depth: 0,
        },
        _ => return None,
    };
    let image = match sampling {
        None => Image::Surface(Surface {
            layout,
            element: u32::try_from(texel).ok()?,
            layered: array.is_some_and(|(array, _)| array.flags & LAYERED != 0),
        }),
        Some(sampling) if sampling.flags & SRGB != 0 => return None,
        Some(sampling) => Image::Texture(Texture {
            layout,
            channels,
            bits,
            channel,
            addressing: sampling.addressing.map(|mode| match mode {
                0 => Addressing::Wrap,
                2 => Addressing::Mirror,
                3 => Addressing::Border,
                _ => Addressing::Clamp,
            }),
            linear: sampling.filter == 1 && resource.kind != LINEAR,
            normalized_float: channel != Channel::Float && bits < 32 && sampling.flags & AS_INTEGER == 0,
            normalized_coordinates: sampling.flags & NORMALIZED != 0,
            buffer: resource.kind == LINEAR,
            border: sampling.border,
        }),
    };
    Some(Object { handle, image })
}

/// One side of `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) level: usize,
    pub(crate) kind: c_uint,
    pub(crate) host: u64,
    pub(crate) device: u64,
    pub(crate) array: *mut c_void,
    pub(crate) reserved: *mut c_void,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

/// `CUDA_MEMCPY3D`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Copy3d {
    pub(crate) from: Side,
    pub(crate) to: Side,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

impl Copy3d {
    /// A copy of nothing.
    pub(crate) const EMPTY: Copy3d = {
        let null = std::ptr::null_mut();
        let side = Side {
            x: 0,
            y: 0,
            z: 0,
            level: 0,
            kind: 0,
            host: 0,
            device: 0,
            array: null,
            reserved: null,
            pitch: 0,
            height: 0,
        };
        Copy3d { from: side, to: side, width: 0, height: 0, depth: 0 }
    };
}

impl Described {
    /// Returns the handle of the array, if the object is of one.
    pub(crate) fn array(&self) -> Option<*mut c_void> {
        (self.resource.kind == ARRAY).then_some(self.resource.what as *mut c_void)
    }
}

/// Returns the driver's description of an array.
fn descriptor(handle: u64) -> Option<Array> {
    let mut array = Array::default();
    let code =
        call!(c"cuArray3DGetDescriptor_v2"(&mut array => *mut Array, handle as *mut c_void => *mut c_void));
    (code == SUCCESS).then_some(array)
}

/// Returns the layout of an array as rows and slices from `base` on, and its size in bytes.
pub(crate) fn layout(handle: *mut c_void, base: u64) -> Option<(Layout, u64)> {
    laid(&descriptor(handle as u64)?, base)
}

/// Returns the object that a handle denotes; `layout` is that of its array, if it has one.
pub(crate) fn object(handle: u64, described: &Described, layout: Option<Layout>) -> Option<Object> {
    match described.array() {
        Some(of) => meant(handle, described, Some((&descriptor(of as u64)?, layout?))),
        None => meant(handle, described, None),
    }
}

/// Returns the contents of an array row by row; `None` if the driver does not copy it.
fn contents(handle: u64, array: &Array, layout: Layout, bytes: u64) -> Option<Vec<u8>> {
    // `CU_MEMORYTYPE_HOST`, `_ARRAY`
    const HOST: c_uint = 1;
    const OF_ARRAY: c_uint = 3;
    let mut out = vec![0u8; usize::try_from(bytes).ok()?];
    let side = Copy3d::EMPTY.from;
    let (height, depth) = (array.height.max(1), array.depth.max(1));
    let to = Side { kind: HOST, host: out.as_mut_ptr() as u64, pitch: layout.row as usize, height, ..side };
    let from = Side { kind: OF_ARRAY, array: handle as *mut c_void, ..side };
    let copy = Copy3d { from, to, width: layout.row as usize, height, depth };
    (call!(c"cuMemcpy3D_v2"(&copy => *const Copy3d)) == SUCCESS).then_some(out)
}

/// Returns the objects of a process and the contents of their arrays, up to `most` bytes, placed from
/// `nowhere` on. An object that cannot be read is left out, so a replay fails where the kernel uses it. The
/// error is a sentence fragment.
pub(crate) fn saved(
    images: &Images,
    nowhere: &mut u64,
    most: Option<u64>,
) -> Result<(Vec<Object>, Vec<Contents>), String> {
    let (mut objects, mut all) = (Vec::new(), Vec::new());
    let mut known: BTreeMap<u64, (Array, Layout)> = BTreeMap::new();
    let mut sum = 0u64;
    for (&handle, described) in images {
        let Some(described) = described else { continue };
        if described.resource.kind != ARRAY {
            objects.extend(meant(handle, described, None));
            continue;
        }
        let of = described.resource.what;
        if let Entry::Vacant(place) = known.entry(of) {
            let Some(array) = descriptor(of) else { continue };
            let Some((layout, bytes)) = laid(&array, *nowhere) else { continue };
            sum = sum.saturating_add(bytes);
            if most.is_some_and(|most| sum > most) {
                return Err(format!("its textures have more than {} MiB", most.unwrap_or(0) >> 20));
            }
            let Some(bytes) = contents(of, &array, layout, bytes) else { continue };
            *nowhere = (*nowhere + bytes.len() as u64).next_multiple_of(512);
            all.push(Contents { base: layout.base, bytes });
            place.insert((array, layout));
        }
        if let Some((array, layout)) = known.get(&of) {
            objects.extend(meant(handle, described, Some((array, *layout))));
        }
    }
    Ok((objects, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLING: Sampling = Sampling {
        addressing: [0, 1, 3],
        filter: 1,
        flags: NORMALIZED,
        anisotropy: 0,
        mipmaps: 0,
        levels: [0.0; 3],
        border: [0.0; 4],
        reserved: [0; 12],
    };

    fn resource(kind: c_int) -> Resource {
        let (what, width) = (0x7000, 4096);
        Resource {
            kind,
            what,
            format: 0x01,
            channels: 4,
            width,
            height: 3,
            pitch: 8192,
            rest: [0; 11],
            flags: 0,
        }
    }

    #[test]
    fn the_drivers_structures_have_its_sizes() {
        // The sizes of the driver's header on 64-bit machines.
        assert_eq!((size_of::<Resource>(), size_of::<Sampling>(), size_of::<Array>()), (144, 104, 40));
    }

    #[test]
    fn handles_mean_memory_in_rows() {
        let of = |kind| meant(5, &Described { resource: resource(kind), sampling: Some(SAMPLING) }, None);
        let Some(Object { handle: 5, image: Image::Texture(linear) }) = of(LINEAR) else { panic!() };
        assert_eq!((linear.layout.width, linear.buffer, linear.linear), (1024, true, false));
        let Some(Object { image: Image::Texture(pitched), .. }) = of(PITCHED) else { panic!() };
        let Layout { width, height, row, .. } = pitched.layout;
        assert_eq!(
            (width, height, row, pitched.linear, pitched.normalized_float),
            (4096, 3, 8192, true, true)
        );
        assert_eq!(pitched.addressing, [Addressing::Wrap, Addressing::Clamp, Addressing::Border]);
        assert!(of(1).is_none() && of(ARRAY).is_none());
        let array = Array { width: 10, height: 4, depth: 3, format: 0x20, channels: 2, flags: 1 };
        let (layout, bytes) = laid(&array, 512).unwrap();
        assert_eq!((layout.row, layout.slice, bytes), (80, 320, 960));
        let described = Described { resource: resource(ARRAY), sampling: None };
        let Some(Object { image: Image::Surface(surface), .. }) =
            meant(1, &described, Some((&array, layout)))
        else {
            panic!()
        };
        assert_eq!((surface.element, surface.layered), (8, true));
        let srgb = Sampling { flags: SRGB, ..SAMPLING };
        assert!(meant(1, &Described { resource: resource(PITCHED), sampling: Some(srgb) }, None).is_none());
        assert!(laid(&Array { format: 0x99, ..array }, 512).is_none());
    }
}
