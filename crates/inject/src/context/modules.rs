//! Makes loaded modules of registered fatbins, on first use.

use super::{Made, MemoryKind, Request, Runtime, State, registry};
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::{Module, Place};
use crate::exchange::exchange;
use crate::instrumented::{self, Added};
use events::task::HostCall;
use events::{SiteTable, Tell};
use kernels::{GlobalVariable, LoadError, Source, VariableSpace};
use protocol::Obstacle;
use std::sync::Arc;

/// Limits how many syntax errors of a module are reported.
const ERRORS_SHOWN: usize = 8;

/// Returns the module of a fatbin on a device, and loads it if necessary.
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
    let loaded = load(runtime, state, fatbin, device);
    let record = &mut state.registry.fatbins[fatbin];
    record.modules.insert(device, loaded.clone());
    if loaded.is_ok() {
        for managed in &record.managed {
            if let Some(&address) = record.managed_storage.get(&managed.name) {
                // SAFETY: the program registered this pointer variable as an output.
                unsafe { (managed.pointer as *mut u64).write(address) };
            }
        }
    }
    loaded
}

fn load(runtime: &Runtime, state: &mut State, fatbin: usize, device: u32) -> CudaResult<Arc<dyn Module>> {
    let mut found = match registry::texts(&state.registry.fatbins[fatbin].source) {
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
    if let Some(folder) = &runtime.options.texts
        && let Err(error) = exchange(folder, &mut found.texts)
    {
        state.results.inconclusive(format!("the PTX of {name} could not be exchanged: {error}"));
    }
    let mut made = runtime.options.save_launch.is_some().then(|| Made {
        name: name.clone(),
        texts: found.texts.clone(),
        variables: Vec::new(),
    });
    if let Err(errors) = with_checks(runtime, state, &mut found.texts) {
        return bad(state, errors);
    }
    // `place` needs the state, of which the site table is a part, so the table is moved out meanwhile.
    let mut sites = state.results.lend_sites();
    let mut storage = std::mem::take(&mut state.registry.fatbins[fatbin].managed_storage);
    // Loading the module on a second device must not overwrite managed variables.
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
    let mut noted = |variable: &GlobalVariable<'_>| {
        let address = place(variable)?;
        if let Some(made) = &mut made {
            made.variables.push((variable.name.to_owned(), address));
        }
        Ok(address)
    };
    let loaded = link(runtime, &found.texts, &name, &mut sites, &mut noted);
    state.results.return_sites(sites);
    state.registry.fatbins[fatbin].managed_storage = storage;
    state.registry.fatbins[fatbin].made.extend(made.map(|made| (device, made)));
    for (address, bytes) in saved {
        // The memory was readable just before.
        let _ = runtime.backend.write(address, &bytes);
    }
    match loaded {
        Ok(module) => {
            state.results.counters().modules += 1;
            Ok(module)
        }
        Err(errors) => bad(state, errors),
    }
}

/// Inserts checks into texts, if the engine instruments kernels.
fn with_checks(runtime: &Runtime, state: &mut State, texts: &mut [String]) -> Result<(), Vec<String>> {
    if !runtime.options.engine.instruments() {
        return Ok(());
    }
    let own = runtime.options.prune.waits().then(|| texts.to_vec());
    let Added { launched, groups } =
        instrumented::instrument(texts, &runtime.options, &*runtime.backend, &mut state.results)?;
    state.lanes.add(launched);
    if let Some(own) = own {
        state.lanes.proved.add(own, groups);
    }
    Ok(())
}

/// Parses texts and makes a module of them in the back end.
fn link(
    runtime: &Runtime,
    texts: &[String],
    name: &str,
    sites: &mut SiteTable,
    place: &mut Place<'_>,
) -> Result<Arc<dyn Module>, Vec<String>> {
    let parsed: Vec<ptx::Parse> = texts.iter().map(|text| ptx::parse(text)).collect();
    let errors: Vec<String> =
        parsed.iter().flat_map(|p| &p.errors).take(ERRORS_SHOWN).map(ToString::to_string).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let sources: Vec<Source<'_>> =
        parsed.iter().zip(texts).map(|(parse, text)| Source { tree: &parse.module, text, name }).collect();
    let first = events::SiteId(sites.len() as u32);
    let loaded = runtime.backend.load(&sources, sites, place);
    runtime.backend.listener().sites(sites, first);
    loaded.map_err(|error| vec![error.to_string()])
}

/// Returns the module of a saved launch or session, with its variables at their original addresses.
pub(crate) fn restored(
    runtime: &Runtime,
    state: &mut State,
    name: &str,
    mut texts: Vec<String>,
    variables: &[(String, u64)],
) -> Result<Arc<dyn Module>, Vec<String>> {
    with_checks(runtime, state, &mut texts)?;
    let mut places = variables.iter();
    let mut sites = state.results.lend_sites();
    let mut place = |variable: &GlobalVariable<'_>| {
        let known = places.next().filter(|(name, _)| name == variable.name).map(|(_, address)| *address);
        let room = |address: &u64| {
            let memory = state.find(*address);
            memory.is_some_and(|m| variable.bytes <= m.bytes - (address - m.base))
        };
        known.filter(room).ok_or_else(|| LoadError::Storage {
            name: variable.name.to_owned(),
            why: "the saved launch has no memory for it".into(),
        })
    };
    let loaded = link(runtime, &texts, name, &mut sites, &mut place);
    state.results.return_sites(sites);
    if loaded.is_ok() {
        state.results.counters().modules += 1;
    }
    loaded
}
