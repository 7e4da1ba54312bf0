//! Structures that programs pass by pointer or by value, in the layout of CUDA 13's headers.

use std::ffi::{c_int, c_uint, c_void};

pub(crate) type Stream = *mut c_void;
pub(crate) type Event = *mut c_void;
pub(crate) type Graph = *mut c_void;
pub(crate) type GraphExec = *mut c_void;
pub(crate) type GraphNode = *mut c_void;
pub(crate) type Pool = *mut c_void;

/// `dim3` and `uint3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim3 {
    pub(crate) x: c_uint,
    pub(crate) y: c_uint,
    pub(crate) z: c_uint,
}

impl From<Dim3> for events::Dim3 {
    fn from(d: Dim3) -> Self {
        events::Dim3::new(d.x, d.y, d.z)
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pos {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct PitchedPtr {
    pub(crate) ptr: *mut c_void,
    pub(crate) pitch: usize,
    pub(crate) xsize: usize,
    pub(crate) ysize: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memcpy3DParms {
    pub(crate) src_array: *mut c_void,
    pub(crate) src_pos: Pos,
    pub(crate) src_ptr: PitchedPtr,
    pub(crate) dst_array: *mut c_void,
    pub(crate) dst_pos: Pos,
    pub(crate) dst_ptr: PitchedPtr,
    pub(crate) extent: Extent,
    pub(crate) kind: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memcpy3DPeerParms {
    pub(crate) src_array: *mut c_void,
    pub(crate) src_pos: Pos,
    pub(crate) src_ptr: PitchedPtr,
    pub(crate) src_device: c_int,
    pub(crate) dst_array: *mut c_void,
    pub(crate) dst_pos: Pos,
    pub(crate) dst_ptr: PitchedPtr,
    pub(crate) dst_device: c_int,
    pub(crate) extent: Extent,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemsetParams {
    pub(crate) dst: *mut c_void,
    pub(crate) pitch: usize,
    pub(crate) value: c_uint,
    pub(crate) element_size: c_uint,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

pub(crate) type HostFn = Option<unsafe extern "C-unwind" fn(*mut c_void)>;
pub(crate) type StreamCallback = Option<unsafe extern "C-unwind" fn(Stream, c_int, *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostNodeParams {
    pub(crate) function: HostFn,
    pub(crate) data: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelNodeParams {
    pub(crate) func: *mut c_void,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared_bytes: c_uint,
    pub(crate) params: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchAttribute {
    pub(crate) id: c_int,
    pad: c_int,
    pub(crate) value: LaunchAttributeValue,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union LaunchAttributeValue {
    bytes: [u64; 8],
    pub(crate) int: c_int,
    pub(crate) dim: Dim3,
}

/// `cudaGraphEdgeData`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GraphEdgeData {
    pub(crate) from_port: u8,
    pub(crate) to_port: u8,
    pub(crate) kind: u8,
    pub(crate) reserved: [u8; 5],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) dynamic_shared: usize,
    pub(crate) stream: Stream,
    pub(crate) attributes: *mut LaunchAttribute,
    pub(crate) attribute_count: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FuncAttributes {
    pub(crate) shared_size_bytes: usize,
    pub(crate) const_size_bytes: usize,
    pub(crate) local_size_bytes: usize,
    pub(crate) max_threads_per_block: c_int,
    pub(crate) num_regs: c_int,
    pub(crate) ptx_version: c_int,
    pub(crate) binary_version: c_int,
    pub(crate) cache_mode_ca: c_int,
    pub(crate) max_dynamic_shared_size_bytes: c_int,
    pub(crate) preferred_shmem_carveout: c_int,
    pub(crate) cluster_dim_must_be_set: c_int,
    pub(crate) required_cluster_width: c_int,
    pub(crate) required_cluster_height: c_int,
    pub(crate) required_cluster_depth: c_int,
    pub(crate) cluster_scheduling_policy_preference: c_int,
    pub(crate) non_portable_cluster_size_allowed: c_int,
    pub(crate) reserved: [c_int; 16],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointerAttributes {
    pub(crate) kind: c_int,
    pub(crate) device: c_int,
    pub(crate) device_pointer: *mut c_void,
    pub(crate) host_pointer: *mut c_void,
    pub(crate) reserved: [i64; 8],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemLocation {
    pub(crate) kind: c_int,
    pub(crate) id: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemPoolProps {
    pub(crate) alloc_type: c_int,
    pub(crate) handle_types: c_int,
    pub(crate) location: MemLocation,
    pub(crate) win32: *mut c_void,
    pub(crate) max_size: usize,
    pub(crate) usage: u16,
    pub(crate) reserved: [u8; 54],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemAccessDesc {
    pub(crate) location: MemLocation,
    pub(crate) flags: c_int,
}

/// `cudaMemAllocNodeParams`, both versions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemAllocNodeParams {
    pub(crate) pool: MemPoolProps,
    pub(crate) access: *const MemAccessDesc,
    pub(crate) access_count: usize,
    pub(crate) bytes: usize,
    /// Output: the address of the memory.
    pub(crate) pointer: *mut c_void,
}

/// `cudaMemcpyNodeParams`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemcpyNodeParams {
    flags: c_int,
    reserved: [c_int; 3],
    pub(crate) copy: Memcpy3DParms,
}

/// `cudaConditionalNodeParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ConditionalNodeParams {
    pub(crate) handle: u64,
    pub(crate) kind: c_int,
    pub(crate) size: c_uint,
    /// Output: the graphs of the bodies.
    pub(crate) bodies: *const Graph,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphInstantiateParams {
    pub(crate) flags: u64,
    pub(crate) upload_stream: Stream,
    pub(crate) error_node: GraphNode,
    pub(crate) result: c_int,
}

/// `cudaMemcpyKind`
pub(crate) mod copy_kind {
    pub(crate) const HOST_TO_HOST: i32 = 0;
    pub(crate) const HOST_TO_DEVICE: i32 = 1;
    pub(crate) const DEVICE_TO_HOST: i32 = 2;
    pub(crate) const DEVICE_TO_DEVICE: i32 = 3;
    pub(crate) const DEFAULT: i32 = 4;
}

const _: () = {
    assert!(size_of::<Memcpy3DParms>() == 160);
    assert!(size_of::<Memcpy3DPeerParms>() == 168);
    assert!(size_of::<MemsetParams>() == 40);
    assert!(size_of::<KernelNodeParams>() == 56);
    assert!(size_of::<LaunchAttribute>() == 72);
    assert!(size_of::<LaunchConfig>() == 56);
    assert!(size_of::<FuncAttributes>() == 144);
    assert!(size_of::<PointerAttributes>() == 88);
    assert!(size_of::<MemPoolProps>() == 88);
    assert!(size_of::<GraphInstantiateParams>() == 32);
};

/// `cudaChannelFormatDesc`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelFormat {
    pub(crate) bits: [i32; 4],
    pub(crate) kind: i32,
}
