//! Structures of the driver, as `cuda.h` lays them out on 64-bit machines.

use super::types::{
    ConditionalNodeParams, Dim3, HostNodeParams, KernelNodeParams, LaunchAttribute, MemAllocNodeParams,
    MemcpyNodeParams, MemsetParams, Stream,
};
use std::ffi::{c_int, c_uint, c_void};

/// `CUlaunchConfig`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared: c_uint,
    pub(crate) stream: Stream,
    pub(crate) attributes: *mut LaunchAttribute,
    pub(crate) attribute_count: c_uint,
}

/// One side of `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side2d {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) kind: c_uint,
    pub(crate) host: *mut c_void,
    pub(crate) device: u64,
    pub(crate) array: *mut c_void,
    pub(crate) pitch: usize,
}

/// `CUDA_MEMCPY2D`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memcpy2d {
    pub(crate) src: Side2d,
    pub(crate) dst: Side2d,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// One side of `CUDA_MEMCPY3D` and of `CUDA_MEMCPY3D_PEER`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side3d {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) level: usize,
    pub(crate) kind: c_uint,
    pub(crate) host: *mut c_void,
    pub(crate) device: u64,
    pub(crate) array: *mut c_void,
    /// A context, in a copy between peers.
    pub(crate) context: *mut c_void,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

impl Side3d {
    /// A side of a copy of one slice; `places` are host, device and array.
    pub(crate) fn flat(
        (x, y): (usize, usize),
        kind: c_uint,
        (host, device, array): (*mut c_void, u64, *mut c_void),
        pitch: usize,
    ) -> Side3d {
        let context = std::ptr::null_mut();
        Side3d { x, y, z: 0, level: 0, kind, host, device, array, context, pitch, height: 0 }
    }
}

/// `CUDA_MEMCPY3D`, `CUDA_MEMCPY3D_PEER`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memcpy3d {
    pub(crate) src: Side3d,
    pub(crate) dst: Side3d,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DriverKernelNodeParams {
    pub(crate) function: *mut c_void,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared: c_uint,
    pub(crate) pointers: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
    /// What is launched if there is no function.
    pub(crate) kernel: *mut c_void,
    pub(crate) context: *mut c_void,
}

/// `CUDA_MEMCPY_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct DriverMemcpyNodeParams {
    flags: [c_int; 2],
    context: *mut c_void,
    pub(crate) copy: Memcpy3d,
}

/// `CUmemAllocationProp`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllocationProperties {
    pub(crate) kind: c_int,
    pub(crate) handle_types: c_int,
    pub(crate) location: super::types::MemLocation,
    pub(crate) win32: *mut c_void,
    pub(crate) flags: u64,
}

/// `CUDA_ARRAY_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// `CUarray_format`
    pub(crate) format: c_uint,
    pub(crate) channels: c_uint,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array3dDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    /// `CUarray_format`
    pub(crate) format: c_uint,
    pub(crate) channels: c_uint,
    pub(crate) flags: c_uint,
}

/// `CUDA_RESOURCE_DESC`, as the members of its union overlap.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceDescriptor {
    /// `CUresourcetype`
    pub(crate) kind: c_int,
    /// An array, or a pointer.
    pub(crate) resource: *mut c_void,
    /// `CUarray_format`
    pub(crate) format: c_uint,
    pub(crate) channels: c_uint,
    /// The bytes of linear memory, or the width.
    pub(crate) size: usize,
    pub(crate) height: usize,
    pub(crate) pitch: usize,
    reserved: [c_int; 22],
    pub(crate) flags: c_uint,
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureDescriptor {
    pub(crate) addressing: [c_int; 3],
    pub(crate) filter: c_int,
    /// `CU_TRSF_…`
    pub(crate) flags: c_uint,
    anisotropy: c_uint,
    mipmap_filter: c_int,
    mipmap_levels: [f32; 3],
    pub(crate) border: [f32; 4],
    reserved: [c_int; 12],
}

/// `cudaGraphNodeParams`: the kind of a node, and its parameters.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct GraphNodeParams {
    pub(crate) kind: c_int,
    reserved: [c_int; 3],
    pub(crate) value: GraphNodeValue,
    reserved_end: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union GraphNodeValue {
    words: [i64; 29],
    pub(crate) kernel: KernelNodeParams,
    pub(crate) memcpy: MemcpyNodeParams,
    pub(crate) driver_kernel: DriverKernelNodeParams,
    pub(crate) driver_memcpy: DriverMemcpyNodeParams,
    pub(crate) memset: MemsetParams,
    pub(crate) host: HostNodeParams,
    /// The handle of a child graph or an event, or the address of memory to free.
    pub(crate) handle: *mut c_void,
    pub(crate) alloc: MemAllocNodeParams,
    pub(crate) conditional: ConditionalNodeParams,
}

const _: () = {
    assert!(size_of::<ArrayDescriptor>() == 24);
    assert!(size_of::<Array3dDescriptor>() == 40);
    assert!(size_of::<ResourceDescriptor>() == 144);
    assert!(size_of::<TextureDescriptor>() == 104);
    assert!(size_of::<LaunchConfig>() == 56);
    assert!(size_of::<Memcpy2d>() == 128);
    assert!(size_of::<Memcpy3d>() == 200);
    assert!(size_of::<GraphNodeParams>() == 256);
    assert!(size_of::<DriverKernelNodeParams>() == 72);
    assert!(size_of::<DriverMemcpyNodeParams>() == 216);
    assert!(size_of::<AllocationProperties>() == 32);
};
