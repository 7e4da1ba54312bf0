//! Textures and surfaces, as the checks of engine `guard` find them.

use super::{Runtime, State};
use crate::backend::{Surface, Texture};
use crate::instrumented;
use instrument::guard::objects::{Kind, Object};
use names::Engine;

/// Returns what checks know of a texture.
pub(crate) fn of_texture(texture: &Texture) -> Object {
    let &Texture { base, row, slice, width, height, depth, channels, bits, .. } = texture;
    let (linear, normalized) = (texture.linear, texture.normalized_coordinates);
    let kind = Kind::Texture { linear, normalized };
    let element = u32::from(channels) * u32::from(bits) / 8;
    Object { kind, base, row, slice, extents: [width, height, depth], element }
}

/// Returns what checks know of a surface.
pub(crate) fn of_surface(surface: &Surface) -> Object {
    let &Surface { base, row, slice, width, height, depth, element, .. } = surface;
    Object { kind: Kind::Surface, base, row, slice, extents: [width, height, depth], element }
}

impl State {
    /// Tells the checks of engine `guard` what a handle means.
    pub(crate) fn described(&mut self, runtime: &Runtime, handle: u64, object: &Object) {
        if !matches!(runtime.options.engine, Engine::Guard { .. }) {
            return;
        }
        let changes = self.objects.changes();
        let told = match self.objects.insert(handle, object) {
            true => instrumented::sink(&runtime.options, &*runtime.backend, &mut self.results)
                .map(|(sink, _)| runtime.options.results.join(&sink.file))
                .and_then(|file| {
                    instrumented::describe(&file, self.objects.since(changes)).map_err(|e| e.to_string())
                })
                .is_ok(),
            false => false,
        };
        if !told {
            self.results.limit(UNTOLD.into());
        }
    }
}

const UNTOLD: &str =
    "accesses through some textures and surfaces are not checked: engine guard has room for 2,048 at most";
