//! `cudaDeviceProp` and `cudaDeviceAttr` of the virtual device.
//!
//! The device resembles a GPU of the compute capability of [`device()`](crate::device::device). Properties on which a
//! program may depend (limits, capabilities) describe the virtual GPU; the rest (clocks, bus ids) is
//! plausible.

use crate::device::device as kind;
pub(crate) use kernels::limits::{
    MAX_BLOCK, MAX_GRID, MAX_THREADS_PER_BLOCK, REGISTERS_PER_PROCESSOR, SHARED_PER_BLOCK,
};

/// `cudaDeviceProp` of CUDA 13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceProperties {
    pub(crate) name: [u8; 256],
    pub(crate) uuid: [u8; 16],
    pub(crate) luid: [u8; 8],
    pub(crate) luid_device_node_mask: u32,
    pub(crate) total_global_mem: usize,
    pub(crate) shared_mem_per_block: usize,
    pub(crate) regs_per_block: i32,
    pub(crate) warp_size: i32,
    pub(crate) mem_pitch: usize,
    pub(crate) max_threads_per_block: i32,
    pub(crate) max_threads_dim: [i32; 3],
    pub(crate) max_grid_size: [i32; 3],
    pub(crate) total_const_mem: usize,
    pub(crate) major: i32,
    pub(crate) minor: i32,
    pub(crate) texture_alignment: usize,
    pub(crate) texture_pitch_alignment: usize,
    pub(crate) multi_processor_count: i32,
    pub(crate) integrated: i32,
    pub(crate) can_map_host_memory: i32,
    pub(crate) max_texture1_d: i32,
    pub(crate) max_texture1_dmipmap: i32,
    pub(crate) max_texture2_d: [i32; 2],
    pub(crate) max_texture2_dmipmap: [i32; 2],
    pub(crate) max_texture2_dlinear: [i32; 3],
    pub(crate) max_texture2_dgather: [i32; 2],
    pub(crate) max_texture3_d: [i32; 3],
    pub(crate) max_texture3_dalt: [i32; 3],
    pub(crate) max_texture_cubemap: i32,
    pub(crate) max_texture1_dlayered: [i32; 2],
    pub(crate) max_texture2_dlayered: [i32; 3],
    pub(crate) max_texture_cubemap_layered: [i32; 2],
    pub(crate) max_surface1_d: i32,
    pub(crate) max_surface2_d: [i32; 2],
    pub(crate) max_surface3_d: [i32; 3],
    pub(crate) max_surface1_dlayered: [i32; 2],
    pub(crate) max_surface2_dlayered: [i32; 3],
    pub(crate) max_surface_cubemap: i32,
    pub(crate) max_surface_cubemap_layered: [i32; 2],
    pub(crate) surface_alignment: usize,
    pub(crate) concurrent_kernels: i32,
    pub(crate) ecc_enabled: i32,
    pub(crate) pci_bus_id: i32,
    pub(crate) pci_device_id: i32,
    pub(crate) pci_domain_id: i32,
    pub(crate) tcc_driver: i32,
    pub(crate) async_engine_count: i32,
    pub(crate) unified_addressing: i32,
    pub(crate) memory_bus_width: i32,
    pub(crate) l2_cache_size: i32,
    pub(crate) persisting_l2_cache_max_size: i32,
    pub(crate) max_threads_per_multi_processor: i32,
    pub(crate) stream_priorities_supported: i32,
    pub(crate) global_l1_cache_supported: i32,
    pub(crate) local_l1_cache_supported: i32,
    pub(crate) shared_mem_per_multiprocessor: usize,
    pub(crate) regs_per_multiprocessor: i32,
    pub(crate) managed_memory: i32,
    pub(crate) is_multi_gpu_board: i32,
    pub(crate) multi_gpu_board_group_id: i32,
    pub(crate) host_native_atomic_supported: i32,
    pub(crate) pageable_memory_access: i32,
    pub(crate) concurrent_managed_access: i32,
    pub(crate) compute_preemption_supported: i32,
    pub(crate) can_use_host_pointer_for_registered_mem: i32,
    pub(crate) cooperative_launch: i32,
    pub(crate) shared_mem_per_block_optin: usize,
    pub(crate) pageable_memory_access_uses_host_page_tables: i32,
    pub(crate) direct_managed_mem_access_from_host: i32,
    pub(crate) max_blocks_per_multi_processor: i32,
    pub(crate) access_policy_max_window_size: i32,
    pub(crate) reserved_shared_mem_per_block: usize,
    pub(crate) host_register_supported: i32,
    pub(crate) sparse_cuda_array_supported: i32,
    pub(crate) host_register_read_only_supported: i32,
    pub(crate) timeline_semaphore_interop_supported: i32,
    pub(crate) memory_pools_supported: i32,
    pub(crate) gpu_direct_rdmasupported: i32,
    pub(crate) gpu_direct_rdmaflush_writes_options: u32,
    pub(crate) gpu_direct_rdmawrites_ordering: i32,
    pub(crate) memory_pool_supported_handle_types: u32,
    pub(crate) deferred_mapping_cuda_array_supported: i32,
    pub(crate) ipc_event_supported: i32,
    pub(crate) cluster_launch: i32,
    pub(crate) unified_function_pointers: i32,
    pub(crate) device_numa_config: i32,
    pub(crate) device_numa_id: i32,
    pub(crate) mps_enabled: i32,
    pub(crate) host_numa_id: i32,
    pub(crate) gpu_pci_device_id: u32,
    pub(crate) gpu_pci_subsystem_id: u32,
    pub(crate) host_numa_multinode_ipc_supported: i32,
    pub(crate) reserved: [i32; 56],
}

const _: () = {
    assert!(size_of::<DeviceProperties>() == 1008);
    assert!(std::mem::offset_of!(DeviceProperties, shared_mem_per_block) == 296);
    assert!(std::mem::offset_of!(DeviceProperties, reserved) == 784);
};

/// The size of one device's memory in bytes.
pub(crate) const MEMORY: u64 = 16 << 30;

impl DeviceProperties {
    pub(crate) fn of(device: u32) -> Self {
        let kind = kind();
        // SAFETY: a structure of integers, for which zero is a value.
        let mut p: DeviceProperties = unsafe { std::mem::zeroed() };
        let name = b"warprace virtual GPU";
        p.name[..name.len()].copy_from_slice(name);
        p.uuid = *b"warprace-vgpu-00";
        p.uuid[15] = b'0' + (device % 10) as u8;
        p.total_global_mem = MEMORY as usize;
        p.shared_mem_per_block = SHARED_PER_BLOCK as usize;
        p.regs_per_block = REGISTERS_PER_PROCESSOR as i32;
        p.warp_size = 32;
        p.mem_pitch = i32::MAX as usize;
        p.max_threads_per_block = MAX_THREADS_PER_BLOCK as i32;
        p.max_threads_dim = MAX_BLOCK.map(|n| n as i32);
        p.max_grid_size = MAX_GRID.map(|n| n as i32);
        p.total_const_mem = 64 << 10;
        p.major = kind.major() as i32;
        p.minor = kind.minor() as i32;
        p.texture_alignment = 512;
        p.texture_pitch_alignment = 32;
        p.multi_processor_count = kind.processors as i32;
        p.can_map_host_memory = 1;
        p.max_texture1_d = 131_072;
        p.max_texture2_d = [131_072, 65_536];
        p.max_texture3_d = [16_384; 3];
        p.max_texture_cubemap = 32_768;
        p.max_texture1_dlayered = [32_768, 2_048];
        p.max_texture2_dlayered = [32_768, 32_768, 2_048];
        p.surface_alignment = 512;
        p.concurrent_kernels = 1;
        p.ecc_enabled = 1;
        p.pci_bus_id = 1 + device as i32;
        p.async_engine_count = 3;
        p.unified_addressing = 1;
        p.memory_bus_width = 5120;
        p.l2_cache_size = 50 << 20;
        p.persisting_l2_cache_max_size = 32 << 20;
        p.max_threads_per_multi_processor = kind.threads_per_processor as i32;
        p.stream_priorities_supported = 1;
        p.global_l1_cache_supported = 1;
        p.local_l1_cache_supported = 1;
        p.shared_mem_per_multiprocessor = kind.shared_per_processor as usize;
        p.regs_per_multiprocessor = REGISTERS_PER_PROCESSOR as i32;
        p.managed_memory = 1;
        p.multi_gpu_board_group_id = device as i32;
        p.concurrent_managed_access = 1;
        p.compute_preemption_supported = 1;
        p.can_use_host_pointer_for_registered_mem = 1;
        p.cooperative_launch = 1;
        p.shared_mem_per_block_optin = kind.shared_per_block_optin as usize;
        p.max_blocks_per_multi_processor = kind.blocks_per_processor as i32;
        p.access_policy_max_window_size = 128 << 20;
        p.reserved_shared_mem_per_block = kind.shared_reserved as usize;
        p.host_register_supported = 1;
        p.memory_pools_supported = 1;
        p.cluster_launch = i32::from(kind.blocks_per_cluster > 1);
        p.unified_function_pointers = 1;
        p.device_numa_id = -1;
        p.host_numa_id = -1;
        p
    }
}

/// Returns whether an attribute is a number of the compute capability.
pub(crate) const fn is_capability(number: i32) -> bool {
    matches!(number, 75 | 76)
}

/// Returns the value for `cudaDeviceGetAttribute`; `None` for a number that is no attribute.
pub(crate) fn attribute(number: i32, device: u32) -> Option<i32> {
    let p = DeviceProperties::of(device);
    Some(match number {
        1 => p.max_threads_per_block,
        2 => p.max_threads_dim[0],
        3 => p.max_threads_dim[1],
        4 => p.max_threads_dim[2],
        5 => p.max_grid_size[0],
        6 => p.max_grid_size[1],
        7 => p.max_grid_size[2],
        8 => p.shared_mem_per_block as i32,
        9 => p.total_const_mem as i32,
        10 => p.warp_size,
        11 => p.mem_pitch as i32,
        12 => p.regs_per_block,
        // Clock rates, in kHz.
        13 => 1_755_000,
        14 => p.texture_alignment as i32,
        15 => 1,
        16 => p.multi_processor_count,
        19 => p.can_map_host_memory,
        30 => p.surface_alignment as i32,
        31 => p.concurrent_kernels,
        32 => p.ecc_enabled,
        33 => p.pci_bus_id,
        34 => p.pci_device_id,
        36 => 2_619_000,
        37 => p.memory_bus_width,
        38 => p.l2_cache_size,
        39 => p.max_threads_per_multi_processor,
        40 => p.async_engine_count,
        41 => p.unified_addressing,
        50 => p.pci_domain_id,
        51 => p.texture_pitch_alignment as i32,
        75 => p.major,
        76 => p.minor,
        78 => p.stream_priorities_supported,
        79 => p.global_l1_cache_supported,
        80 => p.local_l1_cache_supported,
        81 => p.shared_mem_per_multiprocessor as i32,
        82 => p.regs_per_multiprocessor,
        83 => p.managed_memory,
        85 => p.multi_gpu_board_group_id,
        // Ratio of single to double precision throughput.
        87 => 2,
        88 => p.pageable_memory_access,
        89 => p.concurrent_managed_access,
        90 => p.compute_preemption_supported,
        91 => p.can_use_host_pointer_for_registered_mem,
        95 => p.cooperative_launch,
        97 => p.shared_mem_per_block_optin as i32,
        99 => p.host_register_supported,
        106 => p.max_blocks_per_multi_processor,
        108 => p.persisting_l2_cache_max_size,
        109 => p.access_policy_max_window_size,
        111 => p.reserved_shared_mem_per_block as i32,
        115 => p.memory_pools_supported,
        120 => p.cluster_launch,
        131 | 134 => -1,
        // The rest are capabilities that the virtual GPU lacks, and limits of textures.
        17..=147 => 0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_agree_with_properties() {
        let p = DeviceProperties::of(3);
        assert_eq!(attribute(75, 3), Some(p.major));
        assert_eq!(attribute(16, 3), Some(p.multi_processor_count));
        assert_eq!(attribute(97, 3), Some(p.shared_mem_per_block_optin as i32));
        assert_eq!(attribute(-1, 0), None);
        assert_eq!(attribute(5000, 0), None);
    }
}
