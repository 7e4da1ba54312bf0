//! The integration tests of this crate as one program, which links the crate once: kernels executed by the virtual GPU.
//!
//! `cargo test -p simt --test all FILE::` runs those of one file.

#[macro_use]
mod support;

mod basics;
mod byte_matrices;
mod clock;
mod cluster;
mod events;
mod heard;
mod hostile;
mod launch_control;
mod mma_narrow;
mod narrow_conversions;
mod num_matrix;
mod num_mufu;
mod num_properties;
mod num_recorded;
mod queues;
mod recorded;
#[allow(dead_code, reason = "the example `ptx_forms` uses the rest")]
mod recorded_forms;
mod schedules;
mod sync;
mod tcgen05;
mod tensor_memory;
mod tensor_narrow;
mod tensor_rows;
mod uncommon;
mod waiting;
mod warpgroup;
mod warpgroup_recorded;
mod warpgroup_registers;
mod warpgroup_sparse_recorded;
mod weak;
mod weak_paths;
