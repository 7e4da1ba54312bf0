//! Textures and surfaces, as the checks of engine `guard` find them.

use super::State;
use crate::images::{self, Described};
use crate::{arrays, driver};
use events::task::HostCall;
use events::{AllocKind, Allocation};
use instrument::guard::objects::{Kind, Object};
use snapshot::{Image, Layout};
use std::ffi::c_void;

/// The report's words for objects without a description.
const UNTOLD: &str = "accesses through some textures or surfaces were not checked: mipmaps, views of other formats, sRGB, or more than 2,048 of them";

const SEVERAL: &str = "accesses through textures and surfaces were not checked: engine guard looks at them where a program sees one GPU";

/// Returns what checks know of an object.
fn object(image: &Image) -> Object {
    let (kind, layout, element) = match image {
        Image::Surface(surface) => (Kind::Surface, surface.layout, surface.element),
        Image::Texture(texture) => {
            let (linear, normalized) = (texture.linear, texture.normalized_coordinates);
            let element = u32::from(texture.channels) * u32::from(texture.bits) / 8;
            (Kind::Texture { linear, normalized }, texture.layout, element)
        }
    };
    let Layout { base, row, slice, width, height, depth } = layout;
    Object { kind, base, row, slice, extents: [width, height, depth], element }
}

impl State {
    /// Tells checks what the handle of a texture or surface means; `None` is a kind that is not known.
    pub(crate) fn describes(&mut self, handle: u64, surface: bool, described: Option<&Described>) {
        if !self.tells() {
            return;
        }
        let Some(device) = driver::device_of_several() else { return };
        // Devices may share a table, and give different objects one handle.
        if driver::devices() > 1 {
            self.report.unseen.insert(SEVERAL.into());
            return;
        }
        let array = described.and_then(Described::array).and_then(|array| self.array(array));
        let found = described.and_then(|described| images::object(handle, described, array));
        let objects = self.tables.objects(device);
        objects.remove(handle, surface);
        let known = found.is_some_and(|found| objects.insert(handle, &object(&found.image)));
        if !known {
            self.report.unseen.insert(UNTOLD.into());
        }
    }

    /// Records that a texture or surface is about to be destroyed.
    pub(crate) fn undescribed(&mut self, handle: u64, surface: bool) {
        if let Some(device) = driver::device_of_several().filter(|_| self.tells()) {
            self.tables.objects(device).remove(handle, surface);
        }
    }

    /// Returns where the elements of an array lie for checks.
    pub(crate) fn array(&mut self, handle: *mut c_void) -> Option<Layout> {
        let (layout, is_new) = arrays::layout(handle).filter(|_| self.tells())?;
        if is_new {
            let bytes = layout.slice * u64::from(layout.depth.max(1));
            let call = HostCall { api: "cuArrayCreate".into(), site: None, within: None };
            self.names(Allocation {
                base: layout.base,
                bytes,
                kind: AllocKind::Device,
                name: None,
                call,
                device: 0,
            });
        }
        Some(layout)
    }
}
