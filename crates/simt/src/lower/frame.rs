//! The layout of a function's variables in its frame of local memory.

use ptx::flat::{Arg, Base, Flat, VarId, VarRole};

#[derive(Debug)]
pub(super) struct Frame {
    /// The offset and size of each variable; those of kernel parameters are offsets in the launch's
    /// parameters.
    places: Vec<(u32, u32)>,
    /// The size, a multiple of 16.
    pub bytes: u32,
    /// Bytes of kernel parameters.
    pub param_bytes: u32,
}

impl Frame {
    pub(super) fn place(&self, id: VarId) -> (u32, u32) {
        self.places[id.0 as usize]
    }

    pub(super) fn lay_out(flat: &Flat<'_>, kernel: bool) -> Frame {
        let mut frame = Frame { places: vec![(0, 0); flat.variables.len()], bytes: 0, param_bytes: 0 };
        let uses = uses(flat);
        let mut calls = Vec::new();
        for (i, variable) in flat.variables.iter().enumerate() {
            let size = variable.decl.size().unwrap_or(0).min(1 << 30) as u32;
            let align = variable.decl.alignment().clamp(1, 1 << 16).next_power_of_two();
            let end = match variable.role {
                VarRole::Param(_) if kernel => &mut frame.param_bytes,
                VarRole::Param(_) | VarRole::Return(_) | VarRole::Local => &mut frame.bytes,
                VarRole::CallParam => {
                    calls.push((i, size, align));
                    continue;
                }
                VarRole::Shared | VarRole::Static => continue,
            };
            let at = end.next_multiple_of(align);
            frame.places[i] = (at, size);
            *end = at.saturating_add(size).min(1 << 30);
        }
        // Arguments and results of calls are live from their first to their last mention in straight-line
        // code, so that calls share memory.
        let base = frame.bytes;
        let mut top = base;
        let mut placed: Vec<(u32, u32, usize, usize)> = Vec::new();
        for (i, size, align) in calls {
            let (first, last) = uses[i];
            placed.retain(|&(.., l)| l >= first);
            let mut at = base.next_multiple_of(align);
            placed.sort_unstable();
            for &(start, end, ..) in &placed {
                if at + size <= start {
                    break;
                }
                at = at.max(end.next_multiple_of(align));
            }
            frame.places[i] = (at, size);
            placed.push((at, at + size, first, last));
            top = top.max(at + size);
        }
        frame.bytes = top.next_multiple_of(16);
        frame
    }
}

/// Returns the first and last instruction that mention each variable. A variable without a mention is
/// harmless.
fn uses(flat: &Flat<'_>) -> Vec<(usize, usize)> {
    let mut uses = vec![(usize::MAX, 0); flat.variables.len()];
    for (i, inst) in flat.instructions.iter().enumerate() {
        for arg in &inst.args {
            mentions(arg, &mut |id| {
                let (first, last) = &mut uses[id.0 as usize];
                *first = (*first).min(i);
                *last = i;
            });
        }
    }
    uses
}

fn mentions(arg: &Arg<'_>, f: &mut impl FnMut(VarId)) {
    match arg {
        Arg::Variable(id, _) => f(*id),
        Arg::Address { base: Base::Variable(id), .. } => f(*id),
        Arg::Vector(items) | Arg::List(items) => items.iter().for_each(|a| mentions(a, f)),
        _ => {}
    }
}
