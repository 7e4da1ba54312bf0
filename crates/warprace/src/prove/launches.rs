//! `--facts FILE`: reads the launches that `warprace run --facts FILE` has written.

use crate::terminal::plain;
use events::ObservedLaunch;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Launches by the kernel's mangled name.
pub(super) type Launches = HashMap<String, Vec<Arc<ObservedLaunch>>>;

pub(super) fn read(path: &Path) -> Result<Launches, String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
        _ => format!("cannot read `{shown}`: {}", plain(&e)),
    })?;
    let all = ::prove::facts::observed::read(&text).map_err(|e| format!("`{shown}`: {e}"))?;
    let mut launches = Launches::new();
    for launch in all {
        launches.entry(launch.info.kernel.clone()).or_default().push(Arc::new(launch));
    }
    Ok(launches)
}
