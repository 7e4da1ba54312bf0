//! Launches that are saved.

use super::State;
use super::modules::ImageId;
use crate::capture::{self, Live, Saved};
use crate::images::Images;
use names::{Engine, symbol};
use protocol::SavedLaunch;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::PathBuf;

#[derive(Default)]
pub(super) struct Captures {
    pub(super) live: Live,
    pub(super) saved: Saved,
    /// Textures and surfaces.
    pub(super) images: Images,
    /// Kernels none of whose launches could be saved, each with the reason for the first failure.
    pub(super) without_launch: BTreeMap<String, String>,
    /// Notes about requested launches that could not be saved.
    pub(super) unsaved: Vec<String>,
}

impl State {
    /// Returns whether launches are saved.
    pub(super) fn saves(&self) -> bool {
        let options = &self.options;
        options.save_launch.is_some() || options.capture.is_some() || options.session.is_some()
    }

    /// Returns whether launches are only saved, while kernels stay uninstrumented.
    pub(super) fn only_saves(&self) -> bool {
        self.options.engine == Engine::Capture
    }

    /// Records why no launch of a kernel may have been saved.
    pub(super) fn not_saved(&mut self, kernel: &str, why: &str) {
        // A session tells itself what it lacks.
        if self.options.capture.is_none() && self.options.session.is_some() {
            return;
        }
        self.captures.without_launch.entry(kernel.to_owned()).or_insert_with(|| why.to_owned());
    }

    /// Saves a checked launch that is about to begin, if the options ask for it.
    pub(super) fn save_launch(&mut self, function: usize, name: &str, image: ImageId, call: capture::Call) {
        let number = self.report.result.counters.launches;
        if let Some(path) = self.picked(name, (call.grid, call.block), &number.to_string()) {
            let which = format!("launch {number} (`{}`)", symbol::short(name));
            self.save(function, (name, &which), image, call, path);
        }
    }

    /// Returns the path at which a launch of a kernel is to be saved, or `None`.
    pub(super) fn picked(
        &mut self,
        name: &str,
        geometry: ([u32; 3], [u32; 3]),
        label: &str,
    ) -> Option<PathBuf> {
        let number = self.report.result.counters.launches;
        match (&self.options.save_launch, &self.options.capture) {
            (Some(path), _) if self.captures.saved.files == 0 && number > self.options.launch_skip => {
                Some(path.clone())
            }
            (None, Some(folder)) => {
                let path = folder.join(format!("{}-{label}.launch", self.report.result.pid));
                let pick = (self.options.capture_pick, self.options.plan.run.seed);
                let flagged = || self.checks.has_failed(name);
                self.captures.saved.takes(pick, number, name, geometry, flagged).then_some(path)
            }
            _ => None,
        }
    }

    /// Saves a launch that is about to begin. `which` names it in messages.
    pub(super) fn save(
        &mut self,
        function: usize,
        (name, which): (&str, &str),
        image: ImageId,
        call: capture::Call,
        path: PathBuf,
    ) {
        let (number, asked) = (self.report.result.counters.launches, self.options.save_launch.is_some());
        let Some(texts) = self.modules.texts(image) else { return };
        let room = capture::MOST_TOGETHER.saturating_sub(self.captures.saved.bytes);
        let most = (!asked).then_some(capture::MOST_BYTES.min(room));
        let done = if most == Some(0) {
            Err(format!("{} MiB have been saved already", self.captures.saved.bytes >> 20))
        } else {
            let function = function as *mut c_void;
            let wanted = capture::Wanted {
                function,
                kernel: name,
                number,
                texts,
                call,
                live: &self.captures.live,
                images: &self.captures.images,
                most,
            };
            // SAFETY: the pointers are the arguments of a launch that has not begun.
            unsafe { capture::save(&wanted, &path) }
        };
        match done {
            Ok(bytes) => {
                self.captures.saved.files += 1;
                self.captures.saved.bytes += bytes;
                if asked {
                    let shown = path.display();
                    let what = format!("saved {which} in {shown}; `warprace replay {shown}` runs it again");
                    self.report.notes.push(what);
                }
                self.report.result.launches.push(SavedLaunch { kernel: name.to_owned(), file: path });
            }
            Err(why) => self.unsaved(name, which, &why),
        }
    }

    /// Records why a launch that was to be saved is not.
    pub(super) fn unsaved(&mut self, name: &str, which: &str, why: &str) {
        if self.options.save_launch.is_some() {
            self.captures.unsaved.push(format!("{which} could not be saved: {why}"));
        } else if self.only_saves() {
            self.not_saved(name, why);
        } else {
            self.report.notes.push(format!("{which} was not saved: {why}"));
        }
    }
}
