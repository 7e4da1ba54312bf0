//! The integration tests of this crate as one program, which links the crate once: what the detectors report.
//!
//! `cargo test -p detect --test all FILE::` runs those of one file.

mod gwcp_textbook;
mod ptx_children;
mod ptx_ended_blocks;
mod ptx_equal_values;
mod ptx_idioms;
mod ptx_memory;
mod ptx_objects;
mod ptx_observers;
mod ptx_parts;
mod ptx_proved;
mod ptx_put_off;
mod ptx_reference;
mod ptx_short_ways;
mod ptx_tasks;
#[allow(dead_code, reason = "the crate's own tests use the rest")]
mod script;
mod shards;
mod textbook;
