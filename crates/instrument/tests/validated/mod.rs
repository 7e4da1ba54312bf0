//! Validation of instrumented texts: what passes make is accepted, and what a fault makes of it is not.

mod faults;
mod harmless;
mod passes;
mod program;
mod settings;
mod texts;
