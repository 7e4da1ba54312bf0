//! The unit of instrumentation.

/// The PTX texts of an image that together form one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    pub texts: Vec<String>,
    /// Whether they were compiled for linking (`-rdc=true`).
    pub relocatable: bool,
    /// Whether one of them is the device runtime's, of which the toolkit has PTX for another device only: the virtual GPU
    /// runs it, no compiler does.
    pub device_runtime: bool,
}

impl Texts {
    /// Returns the texts that are not the device runtime's.
    pub fn of_program(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str).filter(|text| !fatbin::is_device_runtime(text))
    }
}
