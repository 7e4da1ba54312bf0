//! Launches on the virtual GPU, under the detector of the PTX memory model: how an alarm becomes a race.
//!
//! [`candidates`] generates launches that may show a race, `images` their textures and surfaces, the [`mod@bench`] runs them, `rerun` repeats a launch that a run
//! recorded, and `replay_line` is the text that repeats a launch.

pub mod bench;
pub mod candidates;
mod contents;
mod images;
mod replay_line;
mod rerun;

pub use bench::{Argument, Bench, Contents, Outcome, Value, Witness};
pub use images::Image;
pub use replay_line::Malformed;
pub(crate) use replay_line::{law, replay};
