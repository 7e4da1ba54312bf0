//! Whose line it is: the user's, or a library's.

use events::{Frame, Site, SiteId, SiteTable};
use kernels::{libraries::is_library, libraries::library};
use names::symbol;

/// The frame that a report names: of the inline chain, the innermost that is not in a library's
/// header; the outermost, if all are.
pub fn user_frame(site: &Site) -> Option<&Frame> {
    site.frames.iter().find(|f| !is_library(&f.file)).or(site.frames.last())
}

/// The role of an instruction in a barrier that a library makes of flags in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierStep {
    /// It arrives, and waits later.
    Arrive,
    Other,
}

/// Returns the role of a strong operation in a barrier of cooperative groups or libcu++, whose words are in
/// memory.
pub(crate) fn barrier_step(sites: &SiteTable, site: SiteId) -> Option<BarrierStep> {
    let inner = sites.get(site)?.frames.iter().take_while(|f| is_library(&f.file));
    let barrier =
        |f: &Frame| ["/cooperative_groups/details/sync", "/__barrier/"].iter().any(|p| f.file.contains(p));
    if !inner.clone().any(barrier) {
        return None;
    }
    let calls = inner.map(|f| symbol::base(&f.function)).collect::<Vec<_>>();
    let arrives = calls.iter().any(|name| name.contains("arrive"));
    let waits =
        calls.iter().any(|name| name.contains("wait") || name.contains("sync") && !name.contains("arrive"));
    Some(if arrives && !waits { BarrierStep::Arrive } else { BarrierStep::Other })
}

/// Returns whether the instruction is one of `grid.sync()`.
pub(crate) fn is_of_grid(sites: &SiteTable, site: SiteId) -> bool {
    let named = |f: &Frame| symbol::base(&f.function).contains("grid");
    barrier_step(sites, site).is_some() && sites.get(site).is_some_and(|site| site.frames.iter().any(named))
}

/// Returns whether a side comes from libcu++.
pub(crate) fn is_of_libcu(sites: &SiteTable, site: Option<SiteId>) -> bool {
    let frame = site.and_then(|id| sites.get(id)).and_then(|site| site.frames.first());
    frame.is_some_and(|f| library(&f.file) == Some("libcu++"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, line: u32) -> Frame {
        Frame { file: file.into(), line, column: 1, function: String::new() }
    }

    fn site(frames: Vec<Frame>) -> Site {
        Site { function: "k".into(), text: String::new(), ptx_line: 1, frames, variable: None, role: None }
    }

    #[test]
    fn a_finding_in_a_library_goes_to_the_innermost_user_frame() {
        let chain = site(vec![
            frame("/opt/cuda/include/cub/block/block_scan.cuh", 300),
            frame("helper.cuh", 20),
            frame("main.cu", 7),
        ]);
        assert_eq!(user_frame(&chain).unwrap().line, 20);
        let only_library = site(vec![frame("/usr/include/a.h", 1), frame("/usr/include/b.h", 2)]);
        assert_eq!(user_frame(&only_library).unwrap().line, 2);
        assert_eq!(user_frame(&site(vec![])), None);
    }
}
