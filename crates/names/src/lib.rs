//! The texts that name a run's parts, read once and printed once. What cannot be read is an error, never the default.
//!
//! * [`engine`]: what executes kernels; [`lens`]: a definition of a race with its options; [`laws`] and [`checks`]: how what the
//!   model leaves open is judged, and which hazards are looked for.
//! * [`schedule`]: the order of threads, and the plan of a run; [`strategy`]: which schedules are explored.
//! * [`shape`]: the largest shape that the launches of a kernel may have.
//! * [`replay`]: the replay string, which names all of these and repeats a run.
//! * [`filter`]: kernels by name; [`nvtx`]: NVTX ranges by name; [`symbol`]: names of functions and variables as their authors wrote them.
//!
//! The crates that give a name its meaning (`simt`, `detect`, `instrument`) take it from here, so that a program that prints or
//! passes on names links no engine and no detector.

pub mod as_text;
pub mod checks;
pub mod engine;
pub mod filter;
pub mod laws;
pub mod lens;
pub mod nvtx;
pub mod replay;
pub mod schedule;
pub mod shape;
pub mod strategy;
pub mod symbol;

pub use checks::{Checks, UnknownCheck};
pub use engine::{Delays, Engine, Preset, UnknownEngine};
pub use filter::{Filter, FilterError};
pub use laws::{EqualValues, Laws, Volatile};
pub use nvtx::{RangeFilter, RangeFilterError};
pub use replay::{MOST_DEVICES, Named, Replay, ReplayError, SettingError};
pub use schedule::Schedule;
pub use shape::{LaunchShape, UnknownShape};
pub use strategy::{Strategy, UnknownStrategy};
