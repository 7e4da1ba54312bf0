//! The site of an instruction: in its PTX and in the user's source.

use crate::ids::SiteId;
use serde::{Deserialize, Serialize};

/// One source position of an inline chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    pub file: String,
    pub line: u32,
    /// 0 if unknown.
    pub column: u32,
    /// Mangled name of the function this position is in; empty if unknown.
    pub function: String,
}

/// A static instruction (or a host call).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The enclosing kernel or function, mangled.
    pub function: String,
    /// The PTX instruction's text, without guard; empty for host calls.
    pub text: String,
    /// Line in the PTX text, from 1; 0 for host calls.
    pub ptx_line: u32,
    /// Innermost first; empty without line information.
    pub frames: Vec<Frame>,
    /// For shared memory or global variables the address operand names directly.
    pub variable: Option<String>,
    /// The branch because of which only some threads of a block come here, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

/// One way of the outermost branch around an instruction that threads of a block take differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Role {
    /// The branch's line in the PTX text.
    pub branch: u32,
    /// Its line in the user's source; 0 if unknown.
    pub line: u32,
    /// Whether the branch is taken on this way.
    pub taken: bool,
    /// Whether a loop leads from behind the branch back to it.
    pub repeated: bool,
}

/// All sites of a program, in the order in which modules were loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteTable {
    sites: Vec<Site>,
}

impl SiteTable {
    pub fn push(&mut self, site: Site) -> SiteId {
        self.sites.push(site);
        SiteId((self.sites.len() - 1) as u32)
    }

    /// Replaces a site whose description was found later.
    pub fn set(&mut self, id: SiteId, site: Site) {
        if let Some(slot) = self.sites.get_mut(id.0 as usize) {
            *slot = site;
        }
    }

    /// Puts a site at a place of its own choosing, as a reader of recorded sites must.
    pub fn place(&mut self, id: SiteId, site: Site) {
        let at = id.0 as usize;
        if at >= self.sites.len() {
            self.sites.resize(at + 1, Site::default());
        }
        self.sites[at] = site;
    }

    pub fn get(&self, id: SiteId) -> Option<&Site> {
        self.sites.get(id.0 as usize)
    }

    pub fn len(&self) -> usize {
        self.sites.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (SiteId, &Site)> {
        self.sites.iter().enumerate().map(|(i, s)| (SiteId(i as u32), s))
    }
}
