//! Functions of the CUDA driver that the program has requested.

use super::Results;

impl Results {
    /// The program asked for the address of a function of the driver that CUDA 13.0 does not have.
    pub(crate) fn driver_function(&mut self, name: &str) {
        let before = self.asked_of_driver();
        if !self.driver_functions.insert(name.to_owned()) {
            return;
        }
        self.result.limits.retain(|limit| Some(limit) != before.as_ref());
        self.result.limits.extend(self.asked_of_driver());
        self.dirty = true;
    }

    fn asked_of_driver(&self) -> Option<String> {
        let names: Vec<String> = self.driver_functions.iter().map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| {
            format!(
                "the program asked for functions of the CUDA driver that CUDA 13.0 does not have, and was answered that \
                 there are none of these names: {}",
                names.join(", ")
            )
        })
    }
}
