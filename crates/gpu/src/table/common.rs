//! The table that several devices use once they may reach common memory.

use super::Tables;
use crate::{driver, log};
use std::collections::HashMap;
use std::ffi::c_int;

/// The table that several devices use.
#[derive(Default)]
pub(super) struct Common {
    /// The device with the first launch, and a context of it.
    pub(super) home: Option<c_int>,
    home_context: Option<usize>,
    /// Whether devices may reach common memory, and whether they did when a context ended.
    is_wanted: bool,
    pub(super) is_over: bool,
    /// The result of opening the table to other devices.
    pub(super) opened: HashMap<c_int, Result<(), String>>,
    /// The other devices that use the table, each with a context.
    pub(super) guests: HashMap<c_int, usize>,
}

impl Common {
    /// Returns the contexts of the devices that use the table beside its own.
    fn contexts(&self) -> impl Iterator<Item = usize> {
        self.guests.values().copied().chain(self.home_context)
    }

    /// Returns the device whose table a device uses.
    pub(super) fn home_of(&self, device: c_int) -> c_int {
        match self.home {
            Some(home) if self.guests.contains_key(&device) => home,
            _ => device,
        }
    }
}

impl Tables {
    /// Lets a device use the table of the device with the first launch, if the two may reach common memory.
    pub(super) fn join(&mut self, device: c_int) {
        let common = &mut self.common;
        let home = *common.home.get_or_insert(device);
        if home == device {
            common.home_context = driver::context();
        }
        let Some(table) = self.by_device.get(&home).filter(|table| table.begun) else { return };
        if !common.is_wanted || common.is_over {
            return;
        }
        // All at once, before a kernel can wait for what another device does.
        for other in (0..driver::devices()).filter(|other| *other != home) {
            common.opened.entry(other).or_insert_with(|| {
                let opened = table.open(other);
                log::note(|| format!("device {other} may use the table of device {home}: {opened:?}"));
                opened
            });
        }
        if let (Some(Ok(())), Some(context)) = (common.opened.get(&device), driver::context()) {
            common.guests.entry(device).or_insert(context);
        }
    }

    /// Records that devices may reach common memory.
    pub(crate) fn meet(&mut self) {
        self.common.is_wanted = true;
    }

    /// Returns whether devices may reach common memory.
    pub(crate) fn may_meet(&self) -> bool {
        self.common.is_wanted
    }

    /// Returns whether several devices use one table.
    pub(crate) fn are_joined(&self) -> bool {
        !self.common.guests.is_empty()
    }

    /// Returns a context of each device that uses the current device's table.
    pub(crate) fn users(&self) -> Vec<usize> {
        let device = driver::device_of_several();
        let shares = device.is_some_and(|device| {
            self.common.home == Some(device) || self.common.guests.contains_key(&device)
        });
        let own = driver::context().into_iter();
        match shares && self.are_joined() {
            true => own.chain(self.common.contexts()).collect(),
            false => own.collect(),
        }
    }

    /// Returns whether kernels of several devices were launched whose accesses are not compared with each other, though
    /// they may reach common memory, and the reason if it is known.
    pub(crate) fn are_apart(&self) -> Option<String> {
        let Common { is_wanted, is_over, opened, .. } = &self.common;
        let mut used = self.by_device.keys().filter_map(|device| opened.get(device)?.as_ref().err());
        let why = used.next().cloned().or(is_over.then(|| "a context was destroyed".into()));
        why.filter(|_| self.by_device.len() > 1 && *is_wanted)
    }
}
