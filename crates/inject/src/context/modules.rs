//! Turns registered fatbins into loaded modules, on first use.

use super::{MemoryKind, Request, Runtime, State, registry};
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::Module;
use crate::instrumented;
use events::Tell;
use events::task::HostCall;
use kernels::{GlobalVariable, LoadError, Source, VariableSpace};
use report::protocol::Obstacle;
use std::sync::Arc;

/// At most so many syntax errors of a module are reported.
const ERRORS_SHOWN: usize = 8;

/// The module of a fatbin on a device, loaded if it is not yet.
pub(crate) fn module(
    runtime: &Runtime,
    state: &mut State,
    fatbin: usize,
    device: u32,
) -> CudaResult<Arc<dyn Module>> {
    let record = state.registry.fatbins.get(fatbin).ok_or(CudaError::INVALID_KERNEL_IMAGE)?;
    if let Some(loaded) = record.modules.get(&device) {
        return loaded.clone();
    }
    let wrapper = record.wrapper;
    let loaded = load(runtime, state, fatbin, wrapper, device);
    let record = &mut state.registry.fatbins[fatbin];
    record.modules.insert(device, loaded.clone());
    if loaded.is_ok() {
        for managed in &record.managed {
            if let Some(&address) = record.managed_storage.get(&managed.name) {
                // SAFETY: the program registered this pointer variable to be filled in.
                unsafe { (managed.pointer as *mut u64).write(address) };
            }
        }
    }
    loaded
}

fn load(
    runtime: &Runtime,
    state: &mut State,
    fatbin: usize,
    wrapper: usize,
    device: u32,
) -> CudaResult<Arc<dyn Module>> {
    let mut found = match registry::texts(wrapper) {
        Ok(found) => found,
        Err((object, error)) => {
            state.results.obstacle(Obstacle::BadFatbin { object, error });
            return Err(CudaError::INVALID_KERNEL_IMAGE);
        }
    };
    if found.texts.is_empty() {
        let (object, images) = (found.object, found.images);
        state.results.obstacle(Obstacle::NoPtx { object, images });
        return Err(CudaError::NO_KERNEL_IMAGE_FOR_DEVICE);
    }
    let name = found.object.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bad = |state: &mut State, errors: Vec<String>| {
        let (object, module) = (found.object.clone(), name.clone());
        state.results.obstacle(Obstacle::BadPtx { object, module, errors });
        Err(CudaError::INVALID_PTX)
    };
    if let Some(preset) = runtime.options.engine.preset() {
        let (options, backend) = (&runtime.options, &*runtime.backend);
        let made = instrumented::instrument(&mut found.texts, preset, options, backend, &mut state.results);
        if let Err(errors) = made {
            return bad(state, errors);
        }
    }
    let parsed: Vec<ptx::Parse> = found.texts.iter().map(|text| ptx::parse(text)).collect();
    let errors: Vec<String> =
        parsed.iter().flat_map(|p| &p.errors).take(ERRORS_SHOWN).map(ToString::to_string).collect();
    if !errors.is_empty() {
        return bad(state, errors);
    }
    let sources: Vec<Source<'_>> = parsed
        .iter()
        .zip(&found.texts)
        .map(|(parse, text)| Source { tree: &parse.module, text, name: &name })
        .collect();

    // `place` needs the state, and so does the table of sites: lend the table out.
    let mut sites = std::mem::take(&mut state.results.sites);
    let first = events::SiteId(sites.len() as u32);
    let mut storage = std::mem::take(&mut state.registry.fatbins[fatbin].managed_storage);
    // A second device's load must not undo what was written to managed variables.
    let saved: Vec<(u64, Vec<u8>)> = storage
        .values()
        .filter_map(|&address| {
            let mut bytes = vec![0; state.find(address)?.bytes as usize];
            runtime.backend.read(address, &mut bytes).ok()?;
            Some((address, bytes))
        })
        .collect();
    let mut place = |variable: &GlobalVariable<'_>| -> Result<u64, LoadError> {
        if let Some(&address) = storage.get(variable.name) {
            return Ok(address);
        }
        let managed = variable.space == VariableSpace::Managed;
        let request = Request {
            bytes: variable.bytes.max(1),
            align: variable.align.max(256),
            kind: if managed { MemoryKind::Managed } else { MemoryKind::Variable },
            device,
            flags: 1,
            call: HostCall::default(),
            name: Some(variable.name.to_owned()),
        };
        let address = runtime.allocate(state, request).map_err(|error| LoadError::Storage {
            name: variable.name.to_owned(),
            why: error.name().to_string_lossy().into_owned(),
        })?;
        if managed {
            storage.insert(variable.name.to_owned(), address);
        }
        Ok(address)
    };
    let loaded = runtime.backend.load(&sources, &mut sites, &mut place);
    runtime.backend.listener().sites(&sites, first);
    state.results.sites = sites;
    state.registry.fatbins[fatbin].managed_storage = storage;
    for (address, bytes) in saved {
        // The memory was readable a moment ago.
        let _ = runtime.backend.write(address, &bytes);
    }
    match loaded {
        Ok(module) => {
            state.results.counters().modules += 1;
            Ok(module)
        }
        Err(error) => bad(state, vec![error.to_string()]),
    }
}
