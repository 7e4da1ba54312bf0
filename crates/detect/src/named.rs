//! The lenses by name: which type of this crate is meant by a [`Choice`], and by a run's [`Laws`].

use crate::lens::{Lens, Serial};
use crate::ptx::PtxOptions;
use crate::{gwcp, hb, hirace, iguard, scord};
use names::lens::{Choice, Error, Settings};
use names::{EqualValues, Laws, Volatile};

/// The lens; `None` for `ptx`, which is [`crate::ptx::PtxMonitor`].
pub fn lens(choice: &Choice) -> Option<Box<dyn Lens>> {
    Some(match choice.settings() {
        Settings::Ptx => return None,
        Settings::Scord(options) => Box::new(scord::Scord::new(options)),
        Settings::Iguard(options) => Box::new(iguard::Iguard::new(options)),
        Settings::Hb(options) => hb::build(options),
        Settings::Gwcp(options) => gwcp::build(options),
        Settings::Hirace(options) => Box::new(hirace::Hirace::new(options)),
    })
}

/// The lens as a monitor; `None` for `ptx`.
pub fn serial(choice: &Choice) -> Option<Serial<Box<dyn Lens>>> {
    lens(choice).map(Serial::new)
}

/// The lens that `text` names, which is not `ptx`.
pub fn build(text: &str) -> Result<Box<dyn Lens>, Error> {
    lens(&text.parse::<Choice>()?).ok_or(Error::NotSerial)
}

/// The options of lens `ptx` under these laws.
pub fn ptx_options(laws: Laws) -> PtxOptions {
    PtxOptions {
        volatile_strong: laws.volatile == Volatile::Strong,
        equal_values_hazard: laws.equal_values == EqualValues::Hazard,
        check_sync: laws.checks.sync,
        check_init: laws.checks.init,
        ..PtxOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use names::lens::SERIAL;

    #[test]
    fn every_name_builds_the_lens_it_names() {
        for name in SERIAL {
            assert_eq!(build(name).unwrap().name(), name);
        }
        assert!(lens(&Choice::default()).is_none() && build("ptx").is_err());
    }
}
