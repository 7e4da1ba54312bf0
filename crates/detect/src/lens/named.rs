//! The papers' lenses by name, with options: `scord`, `scord:cached,granularity=8`.
//!
//! Without options a lens has the settings that a user who names it expects: wide counters,
//! no metadata cache, the smallest granule.

use super::{Lens, Serial};
use crate::scord::Granularity;
use crate::{gwcp, hb, hirace, iguard, scord};

/// Lenses that see one serialised stream. The default, `ptx`, is [`crate::ptx::PtxMonitor`].
pub const SERIAL: [&str; 5] = ["scord", "iguard", "hb", "gwcp", "hirace"];

/// Options of each lens, for help texts.
pub const OPTIONS: [(&str, &str); 5] = [
    ("scord", "published, cached, granularity=4|8|16, narrow, readers=separate|replace|keep, weak, traffic"),
    ("iguard", "published, granularity=4|8|16, narrow"),
    ("hb", "uncompressed"),
    ("gwcp", "uncompressed"),
    ("hirace", "restart"),
];

/// The lens that `text` names, or nothing if that is not one of [`SERIAL`] with options it has
/// (see [`build`] for the reason).
pub fn serial(text: &str) -> Option<Serial<Box<dyn Lens>>> {
    build(text).ok().map(Serial::new)
}

/// Is `text` `ptx` or the name of a lens with options that it has? The error says what is wrong.
pub fn check(text: &str) -> Result<(), String> {
    if text == "ptx" { Ok(()) } else { build(text).map(drop) }
}

/// The lens that `text` names: `NAME` or `NAME:OPTION,OPTION…`.
pub fn build(text: &str) -> Result<Box<dyn Lens>, String> {
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    let options = options.split(',').filter(|o| !o.is_empty());
    Ok(match name {
        "scord" => Box::new(scord::Scord::new(scord(options)?)),
        "iguard" => Box::new(iguard::Iguard::new(iguard(options)?)),
        "hb" => hb::build(hb::Options { compressed: compressed(name, options)? }),
        "gwcp" => gwcp::build(gwcp::Options { compressed: compressed(name, options)? }),
        "hirace" => Box::new(hirace::Hirace::new(hirace(options)?)),
        _ => return Err(format!("expected one of ptx, {}", SERIAL.join(", "))),
    })
}

fn scord<'a>(options: impl Iterator<Item = &'a str>) -> Result<scord::Options, String> {
    let mut set = scord::Options::default();
    for option in options {
        match option {
            "published" => set = scord::Options::published(),
            "cached" => set.cached = true,
            "narrow" => set.widths = scord::entry::Widths::PUBLISHED,
            "readers=separate" => set.readers = scord::Readers::Separate,
            "readers=replace" => set.readers = scord::Readers::Replace,
            "readers=keep" => set.readers = scord::Readers::Keep,
            "weak" => set.strong_accesses = false,
            "traffic" => set.traffic = true,
            _ => set.granularity = granularity(option).ok_or_else(|| unknown("scord", option))?,
        }
    }
    Ok(set)
}

fn iguard<'a>(options: impl Iterator<Item = &'a str>) -> Result<iguard::Options, String> {
    let mut set = iguard::Options::default();
    for option in options {
        match option {
            "published" => set = iguard::Options::published(),
            "narrow" => set.widths = iguard::entry::Widths::PUBLISHED,
            _ => set.granularity = granularity(option).ok_or_else(|| unknown("iguard", option))?,
        }
    }
    Ok(set)
}

fn hirace<'a>(options: impl Iterator<Item = &'a str>) -> Result<hirace::Options, String> {
    let mut set = hirace::Options::default();
    for option in options {
        match option {
            "restart" => set.restart = true,
            _ => return Err(unknown("hirace", option)),
        }
    }
    Ok(set)
}

fn compressed<'a>(name: &str, options: impl Iterator<Item = &'a str>) -> Result<bool, String> {
    let mut compressed = true;
    for option in options {
        match option {
            "uncompressed" => compressed = false,
            _ => return Err(unknown(name, option)),
        }
    }
    Ok(compressed)
}

fn granularity(option: &str) -> Option<Granularity> {
    Granularity::from_bytes(option.strip_prefix("granularity=")?.parse().ok()?)
}

fn unknown(name: &str, option: &str) -> String {
    let known = OPTIONS.iter().find(|(lens, _)| *lens == name).map_or("", |(_, options)| options);
    format!("`{name}` has no option `{option}`; it has {known}")
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
        assert!(check("ptx").is_ok() && check("tsan").is_err());
    }

    #[test]
    fn every_option_in_the_help_is_one() {
        for (name, options) in OPTIONS {
            for option in options.split(", ") {
                let (key, values) = option.split_once('=').unwrap_or((option, ""));
                for value in values.split('|') {
                    let text = if value.is_empty() { key.to_owned() } else { format!("{key}={value}") };
                    check(&format!("{name}:{text}")).unwrap();
                    check(&format!("{name}:{text},{text}")).unwrap();
                }
            }
            let error = check(&format!("{name}:sideways")).unwrap_err();
            assert!(error.contains("sideways") && error.contains(options), "{error}");
        }
        assert!(check("scord:granularity=32").is_err());
    }
}
