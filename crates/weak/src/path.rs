//! The methods by which accesses reach memory (PTX §8.6), and the proxy fences that lie between two of them.

/// A memory proxy. Kernels have no fences for the last three (PTX §9.7.13.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Proxy {
    #[default]
    Generic,
    /// The async proxy, of which fences may concern shared or other memory only.
    Async {
        shared: bool,
    },
    Tensormap,
    Texture,
    Surface,
    Constant,
}

/// A method of access: a proxy, and one of the virtual addresses of the location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    pub proxy: Proxy,
    /// Tells the virtual addresses of a location apart.
    pub alias: u32,
}

/// The proxy fences between an access and a later one of the same location, in this order, that preserve
/// their base causality order (§8.9.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Crossing {
    /// A fence of this proxy in the block of the first access.
    pub from: Option<Proxy>,
    /// An alias fence of any thread.
    pub alias: bool,
    /// A fence of this proxy in this block, that of the second access.
    pub to: Option<(Proxy, u32)>,
}

impl From<Proxy> for Path {
    fn from(proxy: Proxy) -> Path {
        Path { proxy, alias: 0 }
    }
}

impl Path {
    /// Returns the fences that an access by this path in `block` requires before one by another path; `None`
    /// if base causality order suffices.
    pub(crate) fn crossing(self, block: u32, to: Path, to_block: u32) -> Option<Crossing> {
        // Shared memory is taken to have one async proxy, whichever block of the cluster issues the copy.
        let one = matches!(self.proxy, Proxy::Generic | Proxy::Async { shared: true });
        if self == to && (one || block == to_block) {
            return None;
        }
        let other = |proxy: Proxy| (proxy != Proxy::Generic).then_some(proxy);
        Some(Crossing {
            from: other(self.proxy),
            alias: self.alias != to.alias,
            to: other(to.proxy).map(|proxy| (proxy, to_block)),
        })
    }
}

impl Proxy {
    /// Returns the proxy by which an access reaches shared or other memory.
    pub fn of(proxy: events::Proxy, shared: bool) -> Proxy {
        match proxy {
            events::Proxy::Generic => Proxy::Generic,
            events::Proxy::Async => Proxy::Async { shared },
            events::Proxy::Tensormap => Proxy::Tensormap,
            events::Proxy::Texture => Proxy::Texture,
            events::Proxy::Surface => Proxy::Surface,
        }
    }
}
