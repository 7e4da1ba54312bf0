//! Changes of programs that remove races, and ways to make programs and runs smaller.
//!
//! A race's advice (`report::advice`) has steps. [`steps`] turns a step into changes of a source text, each
//! with the same change of the PTX ([`change::Edit`]), which [`device`] makes without a compiler. [`search`]
//! tries changes by a [`search::Trial`], which the command line implements, and offers those after which
//! nothing is left; [`diff`] prints them. [`reduce`] is delta debugging over anything that has parts.

pub mod change;
pub mod device;
pub mod diff;
pub mod program;
pub mod reduce;
pub mod search;
pub mod steps;
pub mod text;
