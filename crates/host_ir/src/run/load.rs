//! Creates the initial state: functions, variables, and what the host code registers.

use super::constants::{self};
use super::memory::{self, Fill, Id, Object, Place};
use super::state::State;
use super::{Machine, Symbols, Target, Value};
use crate::ir::{self, Op};
use crate::program::At;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

impl<'a> Machine<'_, 'a> {
    /// Assigns addresses to functions and variables, and initial values to variables.
    pub(super) fn load(&mut self, state: &mut State<'a>) {
        let program = self.program;
        self.own = vec![HashMap::new(); program.modules.len()];
        for at in program.all() {
            let f = program.function(at);
            let address = self.function_at(Target::Here(at));
            match f.internal {
                true => _ = self.own[at.module].insert(f.name, address),
                false => _ = self.shared.entry(f.name).or_insert(address),
            }
        }
        let local = |text: &str| text.starts_with("private ") || text.starts_with("internal ");
        let mut initial: Vec<(usize, &'a str, Id)> = Vec::new();
        for (n, module) in program.modules.iter().enumerate() {
            for (&name, &text) in &module.globals {
                if text.contains("external ") || name.starts_with("llvm.") {
                    continue;
                }
                if !local(text) && self.shared.contains_key(name) {
                    continue;
                }
                let id = self.allocate(state, None, Place::Host, Fill::Nothing);
                let of = if local(text) { &mut self.own[n] } else { &mut self.shared };
                of.insert(name, memory::base(id));
                initial.push((n, text, id));
            }
        }
        // These are external variables and functions.
        for module in &program.modules {
            for (&name, text) in &module.globals {
                if text.contains("external ") && !self.shared.contains_key(name) {
                    let id = self.allocate(state, None, Place::Host, Fill::Unknown);
                    state.escaped.insert(id);
                    self.shared.insert(name, memory::base(id));
                }
            }
            for name in module.declared() {
                if !self.shared.contains_key(name) {
                    let address = self.function_at(Target::Outside(name));
                    self.shared.insert(name, address);
                }
            }
        }
        for (n, text, id) in initial {
            let symbols = Symbols { own: &self.own[n], shared: &self.shared };
            let value = text.split_once("constant ").or_else(|| text.split_once("global ")).map(|v| v.1);
            let value = value.and_then(|v| ir::parts(v).first().copied()).unwrap_or_default();
            let mut object = Object::new(None, Place::Host, Fill::Nothing);
            match constants::put(&program.modules[n], &symbols, value, &mut object, 0) {
                Some(bytes) => object.size = Some(bytes),
                None => object.forget(),
            }
            state.objects.insert(id, Rc::new(object));
            // Other modules of the program may have the variable's address.
            if !local(text) && !text.contains("constant ") {
                state.escaped.insert(id);
            }
        }
        self.register(state);
    }

    /// Records the kernels and variables that the host code registers.
    fn register(&mut self, state: &mut State<'a>) {
        let program = self.program;
        let mut named: BTreeMap<String, Id> = BTreeMap::new();
        for at in program.all() {
            let module = &program.modules[at.module];
            for inst in program.function(at).blocks.iter().flat_map(|b| &b.insts) {
                let Op::Call { callee: Some(callee), arguments, .. } = &inst.op else { continue };
                let operand = |n: usize| arguments.get(n).map_or("", |a: &ir::Operand<'a>| a.value);
                let text = |n| ir::symbols(operand(n)).first().and_then(|s| module.string(s));
                match *callee {
                    "__cudaRegisterFunction" => {
                        let (host, Some(device)) = (operand(1).trim_start_matches('@'), text(2)) else {
                            continue;
                        };
                        let own = program.all().find(|o| {
                            let f = program.function(*o);
                            f.name == host && (o.module == at.module || !f.internal)
                        });
                        if let Some(own) = own {
                            let blocks = &program.function(own).blocks;
                            let symbols =
                                blocks.iter().flat_map(|b| &b.insts).flat_map(|i| ir::symbols(i.text));
                            if let Some(stub) = symbols.into_iter().find(|s| s.contains("__device_stub_")) {
                                self.kernels.insert((own.module, stub), device.clone());
                            }
                        }
                        self.kernels.insert((at.module, host), device);
                    }
                    "__cudaRegisterVar" | "__cudaRegisterManagedVar" => {
                        let (Some(name), Ok(bytes)) = (text(3), operand(5).parse::<u64>()) else { continue };
                        let constant = operand(6) != "0";
                        let id = *named.entry(name.clone()).or_insert_with(|| {
                            let place = Place::Variable { constant };
                            let mut object = Object::new(Some(bytes), place, Fill::Nothing);
                            object.name = Some(name);
                            let id = self.next;
                            self.next += 1;
                            state.objects.insert(id, Rc::new(object));
                            id
                        });
                        let Some(host) = self.place(at.module, operand(1).trim_start_matches('@')) else {
                            continue;
                        };
                        self.variables.insert(host, id);
                        if *callee == "__cudaRegisterManagedVar"
                            && let Some((pointer, 0)) = memory::object(host)
                            && let Some(o) = state.objects.get_mut(&pointer)
                        {
                            Rc::make_mut(o).write(0, 8, &Value::Number(memory::base(id) as i64));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the functions that run before `main`.
    pub(super) fn constructors(&self) -> Vec<At> {
        let mut found = Vec::new();
        for (n, module) in self.program.modules.iter().enumerate() {
            let Some(text) = module.globals.get("llvm.global_ctors") else { continue };
            for symbol in ir::symbols(text) {
                if let Some(Target::Here(at)) = self.place(n, symbol).and_then(|a| self.target(a as i64)) {
                    found.push(at);
                }
            }
        }
        found
    }
}
