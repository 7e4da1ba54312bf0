//! The resources of devices by compute capability (CUDA C++ Programming Guide, technical specifications), and how many blocks of
//! a kernel they allow.

use crate::Kernel;

/// Bytes of shared memory of a block without opting in for more.
pub const SHARED_PER_BLOCK: u32 = 48 << 10;
/// Bytes of a block's shared memory that the system reserves, if the kernel asks for their place.
pub const SHARED_RESERVED: u32 = 1 << 10;
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
pub const REGISTERS_PER_PROCESSOR: u32 = 65536;

/// What differs between devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// The compute capability: ten times the major number plus the minor.
    pub sm: u32,
    /// Multiprocessors of a usual device of this compute capability.
    pub processors: u32,
    pub threads_per_processor: u32,
    pub blocks_per_processor: u32,
    /// Bytes of shared memory.
    pub shared_per_processor: u32,
    /// Bytes of shared memory of a block that opts in.
    pub shared_per_block_optin: u32,
    /// Bytes of each block's shared memory that the system reserves.
    pub shared_reserved: u32,
    /// The largest number of blocks in a cluster; 1 without clusters. Up to eight are portable.
    pub blocks_per_cluster: u32,
}

impl Device {
    /// A device; `shared` is in KiB.
    const fn new(sm: u32, processors: u32, threads: u32, blocks: u32, shared: u32, cluster: u32) -> Device {
        let reserved = if sm < 80 { 0 } else { 1 };
        Device {
            sm,
            processors,
            threads_per_processor: threads,
            blocks_per_processor: blocks,
            shared_per_processor: shared << 10,
            shared_per_block_optin: (shared - reserved) << 10,
            shared_reserved: reserved << 10,
            blocks_per_cluster: cluster,
        }
    }

    /// The device of compute capability 9.0.
    pub const DEFAULT: &Device = &DEVICES[5];

    /// Returns the device of a compute capability such as 90.
    pub fn of(sm: u32) -> Option<&'static Device> {
        DEVICES.iter().find(|device| device.sm == sm)
    }

    pub const fn major(&self) -> u32 {
        self.sm / 10
    }

    pub const fn minor(&self) -> u32 {
        self.sm % 10
    }
}

/// All devices, the oldest first.
pub const DEVICES: [Device; 11] = [
    Device::new(75, 40, 1024, 16, 64, 1),
    Device::new(80, 108, 2048, 32, 164, 1),
    Device::new(86, 84, 1536, 16, 100, 1),
    Device::new(87, 16, 1536, 16, 164, 1),
    Device::new(89, 142, 1536, 24, 100, 1),
    Device::new(90, 132, 2048, 32, 228, 16),
    Device::new(100, 148, 2048, 32, 228, 16),
    Device::new(103, 148, 2048, 32, 228, 16),
    Device::new(110, 20, 1536, 24, 228, 16),
    Device::new(120, 170, 1536, 24, 100, 8),
    Device::new(121, 48, 1536, 24, 100, 8),
];

const _: () = assert!(Device::DEFAULT.sm == 90);

/// Returns how many blocks of `threads` threads fit on one multiprocessor; 0 if not even one does.
///
/// `registers` are 32-bit registers per thread, `dynamic_shared` bytes per block.
pub fn resident_blocks(
    device: &Device,
    kernel: &Kernel,
    registers: u32,
    threads: u32,
    dynamic_shared: u32,
) -> u32 {
    if threads == 0 || threads > MAX_THREADS_PER_BLOCK {
        return 0;
    }
    let warps = threads.div_ceil(32);
    let by_threads = device.threads_per_processor / 32 / warps;
    // Registers are allocated to warps in units of 256.
    let per_warp = (registers.clamp(16, 255) * 32).next_multiple_of(256);
    let by_registers = REGISTERS_PER_PROCESSOR / (per_warp * warps);
    let shared = kernel.static_shared.saturating_add(dynamic_shared);
    if shared > device.shared_per_block_optin {
        return 0;
    }
    let by_shared =
        device.shared_per_processor / (shared + device.shared_reserved).next_multiple_of(128).max(128);
    device.blocks_per_processor.min(by_threads).min(by_registers).min(by_shared)
}
