//! The buffers of one worker's `printf`, reused from call to call.

use super::{Before, Format, Text};

#[derive(Debug, Default)]
pub(crate) struct Printer {
    pub(crate) said: Text,
    pub(crate) format: Known,
    /// The arguments of one thread.
    pub(crate) arguments: Vec<u8>,
    pub(crate) before: Before,
}

/// The format of the last call, with its text.
#[derive(Debug, Default)]
pub(crate) struct Known {
    text: Vec<u8>,
    format: Format,
}

impl Known {
    pub(crate) fn set(&mut self, text: Vec<u8>) {
        if self.text != text {
            self.format = Format::of(&text);
            self.text = text;
        }
    }
}

impl std::ops::Deref for Known {
    type Target = Format;

    fn deref(&self) -> &Format {
        &self.format
    }
}
