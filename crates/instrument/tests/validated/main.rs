//! Validation of instrumented texts: what passes make is accepted, and what a fault makes of it is not.

#[path = "../../../simt/tests/support/mod.rs"]
#[macro_use]
mod support;
mod faults;
#[path = "../guardian/mod.rs"]
mod guardian;
mod harmless;
mod passes;
mod program;
mod settings;
mod texts;
#[path = "../toolkit/mod.rs"]
mod toolkit;
