//! Functions of the CUDA driver that the program has requested.

use super::Results;

impl Results {
    /// Records that the program requested the address of a driver function, which is unsupported.
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
                "the program asked for functions of the CUDA driver, which are not served, and was told that there are \
                 none of these names: {}",
                names.join(", ")
            )
        })
    }
}
