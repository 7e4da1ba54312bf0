//! The papers' lenses by name, at the settings that a user who names one expects:
//! wide counters, no metadata cache, the smallest granule.

use super::{Lens, Serial};
use crate::{hb, iguard, scord};

/// Lenses that see one serialised stream. The default, `ptx`, is [`crate::ptx::PtxMonitor`].
pub const SERIAL: [&str; 3] = ["scord", "iguard", "hb"];

/// The lens called `name`, or nothing if it is `ptx` or unknown.
pub fn serial(name: &str) -> Option<Serial<Box<dyn Lens>>> {
    let lens: Box<dyn Lens> = match name {
        "scord" => Box::new(scord::Scord::new(scord::Options::default())),
        "iguard" => Box::new(iguard::Iguard::new(iguard::Options::default())),
        "hb" => hb::build(hb::Options::default()),
        _ => return None,
    };
    Some(Serial::new(lens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_builds_the_lens_it_names() {
        for name in SERIAL {
            assert_eq!(serial(name).unwrap().lens().name(), name);
        }
        assert!(serial("ptx").is_none() && serial("tsan").is_none());
    }
}
