//! Launches: whether they are checked, and their place in the order of launches.

use super::State;
use super::modules::{Function, ImageId};
use crate::hooks::{Code, UNKNOWN};
use crate::order::{Order, Stream};
use crate::{capture, driver, streams, watch};
use instrument::guard::WIDENED;
use instrument::guard::launches::{BYTES, Launched, Launches};
use names::Engine;
use protocol::Obstacle;
use std::ffi::c_void;

/// The properties of a launch that the state needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) function: usize,
    pub(crate) blocks: u64,
    pub(crate) threads: u64,
    /// The call, for a launch that begins at once and belongs to no graph.
    pub(crate) call: Option<capture::Call>,
}

impl State {
    /// Prepares a launch: makes sure that the kernel can write to the sink and to the table. Fails with the
    /// code that the program receives.
    pub(crate) fn launch(
        &mut self,
        launch: Launch,
        name: impl FnOnce() -> Option<String>,
    ) -> Result<(), Code> {
        self.report.result.uses_cuda = true;
        if let Some(sink) = &mut self.checks.sink
            && let Err(code) = sink.register()
        {
            let what = format!("the driver does not let kernels write to memory of the host (error {code})");
            self.report.result.obstacle.get_or_insert(Obstacle::Unsupported { what });
            self.write(false);
            return Err(code);
        }
        match self.tables.begin() {
            Ok(()) => {}
            // The launch parameter reports to such launches that there is no table.
            Err(what) if driver::devices() > 1 => {
                self.report.unseen.insert(format!("launches on one of the GPUs were not checked: {what}"));
            }
            Err(what) => {
                self.report.result.obstacle.get_or_insert(Obstacle::Unsupported { what });
                self.write(false);
                return Err(UNKNOWN);
            }
        }
        if self.tables.may_meet()
            && let Some(mark) = self.checks.sink.as_ref().and_then(|sink| sink.word(WIDENED))
        {
            self.order.compares(mark);
        }
        let function = self.modules.functions.entry(launch.function).or_insert_with(|| Function {
            name: name().unwrap_or_else(|| "a kernel without a name".into()),
            image: None,
            launched: None,
        });
        let Function { name, image, .. } = function.clone();
        let unchecked = self.unchecked(&name, image);
        if let Some(why) = &unchecked {
            match self.modules.origin_of(launch.function).map(str::to_owned) {
                Some(library) => self.count_library(&library, &name),
                None if !self.report.left_out.contains_key(&name) => {
                    self.report.left_out.insert(name.clone(), why.clone());
                }
                None => {}
            }
        }
        let options = &self.options;
        let chosen = surroundings::in_ranges(&options.nvtx_include, &options.nvtx_exclude);
        self.report.outside += u64::from(!chosen);
        let is_checked = chosen && unchecked.is_none() && self.is_wanted(&name);
        let first = self.count(&name, &launch, is_checked);
        match (launch.call, image) {
            (Some(call), Some(image)) if is_checked => self.save_launch(launch.function, &name, image, call),
            // The kernel is a node of a graph.
            (None, _) if is_checked => self.in_graph(&name),
            _ => {}
        }
        if self.report.is_due(first) && self.tell(false) {
            self.report.write_soon();
        }
        Ok(())
    }

    /// Returns the reason why a kernel has no checks, or cannot be saved.
    pub(super) fn unchecked(&self, name: &str, image: Option<ImageId>) -> Option<String> {
        self.modules.unchecked(name, image, self.only_saves())
    }

    /// Returns whether a kernel's launches are to be checked or saved.
    pub(super) fn is_wanted(&self, name: &str) -> bool {
        match self.only_saves() {
            true => self.options.lets_through(name),
            false => self.modules.is_checked(name),
        }
    }

    /// Returns whether launches of a kernel may be saved.
    pub(super) fn is_saved(&self, name: &str, image: ImageId) -> bool {
        self.is_wanted(name) && self.unchecked(name, Some(image)).is_none()
    }

    /// Counts a launch, and returns whether it is the first one of its kernel.
    pub(super) fn count(&mut self, name: &str, launch: &Launch, is_checked: bool) -> bool {
        // A launch that is only saved counts as checked where it is replayed.
        let checked = is_checked && !self.only_saves();
        self.report.count(name, launch, checked)
    }

    /// Returns the order of launches.
    pub(crate) fn order(&mut self) -> &mut Order {
        &mut self.order
    }

    /// Returns the index of the launch parameter that was added to a kernel, if one was.
    pub(crate) fn added(
        &mut self,
        handle: usize,
        parameter: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Option<usize> {
        Some(self.modules.launch_parameter(handle, parameter)?.parameters as usize)
    }

    /// Returns the value of the launch parameter for a launch into a stream or a graph, if the kernel has
    /// one.
    pub(crate) fn told(
        &mut self,
        handle: usize,
        stream: Option<*mut c_void>,
        overlaps: bool,
        parameter: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Option<([u8; BYTES as usize], Launched)> {
        let launched = self.modules.launch_parameter(handle, parameter);
        let Some(stream) = stream else {
            if launched.is_some() && driver::devices() > 1 {
                let what = "kernels of graphs were not checked: engine guard looks at them where a program sees one GPU";
                self.report.unseen.insert(what.into());
            }
            return launched.map(|launched| (Launches::UNKNOWN, launched));
        };
        let key = streams::seen(&mut self.order, stream);
        let Some(launched) = launched else {
            self.order.passed(key);
            return None;
        };
        let told = self.order.launched(key, launched, overlaps);
        Some((self.with_table(told, key), launched))
    }

    /// Sets the table, and the device that uses it, in the launch parameter of a launch into a stream.
    pub(super) fn with_table(&self, told: [u8; BYTES as usize], stream: Stream) -> [u8; BYTES as usize] {
        let device = self.order.device(stream);
        // Launches without a lane are told apart from others of their device only.
        let apart = told == Launches::UNKNOWN;
        let table = device.and_then(|device| self.tables.base(device, apart));
        Launches::with_table(told, table.unwrap_or(0), device.unwrap_or(0) as u32)
    }

    /// Returns whether launches carry the launch parameter. Otherwise kernels have the program's own
    /// signature.
    pub(crate) fn tells(&self) -> bool {
        matches!(self.options.engine, Engine::Guard { .. })
    }

    /// Returns the description of a kernel that is launched without the launch parameter, if it synchronises
    /// with the host and other kernels by its end only.
    pub(crate) fn untold(
        &mut self,
        handle: usize,
        stream: Option<*mut c_void>,
        overlaps: bool,
    ) -> Option<Launched> {
        let Some(stream) = stream else {
            watch::doubts();
            return None;
        };
        let key = streams::seen(&mut self.order, stream);
        let Some(parameters) = self.modules.quiet(handle) else {
            watch::doubts();
            self.order.passed(key);
            return None;
        };
        let kernel = Launched::plain(parameters);
        (self.order.launched(key, kernel, overlaps) != Launches::UNKNOWN).then_some(kernel)
    }

    /// Resets the grid number in the table, before a graph is launched in the stream.
    pub(crate) fn repeats(&mut self, stream: *mut c_void) {
        if self.tables.forget_launch(stream).is_err() {
            self.repeats_alone();
        }
    }

    /// Returns the address, the bytes and the new value of the grid numbers that graphs reset which the device repeats.
    pub(crate) fn grid_numbers(&mut self) -> Option<(u64, u64, u32)> {
        self.tables.grid_numbers()
    }

    /// Ends engine `guard`, since kernels may be launched repeatedly without the host.
    pub(crate) fn repeats_alone(&mut self) {
        if let Engine::Guard { .. } = self.options.engine {
            self.ended = true;
            self.tables.end();
        }
    }

    /// Protects the memory that a launch with these argument words may access, or that a copy accesses.
    pub(crate) fn flies(&self, words: &[u64], kernel: bool) {
        // The table is consulted only on programs that see one device.
        if (driver::devices() == 1 || !self.tells()) && !self.ended {
            watch::flies(words, kernel, self.order.host(), self.order.so_far());
        }
    }
}
