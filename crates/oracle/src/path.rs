//! The methods by which accesses reach memory (PTX §8.6).

use events::Proxy;
use std::fmt;

/// A method of memory access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Path {
    #[default]
    Generic,
    /// The generic proxy, at a second virtual address of the location.
    Alias,
    Async,
    Texture,
    Surface,
    Constant,
}

impl Path {
    pub fn is_generic(self) -> bool {
        matches!(self, Path::Generic | Path::Alias)
    }

    /// Returns whether both use the same virtual address.
    pub(crate) fn is_aligned_with(self, other: Path) -> bool {
        (self == Path::Alias) == (other == Path::Alias)
    }

    fn name(self) -> &'static str {
        match self {
            Path::Generic => "generic",
            Path::Alias => "alias",
            Path::Async => "async",
            Path::Texture => "texture",
            Path::Surface => "surface",
            Path::Constant => "constant",
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Path> for Proxy {
    /// Returns the proxy that events name. They know no constant proxy; a virtual alias uses the generic one.
    fn from(path: Path) -> Proxy {
        match path {
            Path::Generic | Path::Alias => Proxy::Generic,
            Path::Async => Proxy::Async,
            Path::Texture | Path::Constant => Proxy::Texture,
            Path::Surface => Proxy::Surface,
        }
    }
}
