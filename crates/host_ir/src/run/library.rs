//! Effects of functions whose code is not there: those of CUDA ([`cuda`](super::cuda)), of C and of C++.
//!
//! One that is not known may change whatever it can reach, and may keep addresses; if it can reach a function of the
//! program, the execution is lost, as it may call that.

use super::code::Call;
use super::errno;
use super::memory::{self, Byte, Fill, Id, Place};
use super::state::State;
use super::values::{of_real, real};
use super::{Machine, Outcome, Target, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// They change nothing that the program can see, and their result is not known.
const HARMLESS: [&str; 84] = [
    "printf",
    "puts",
    "putchar",
    "fprintf",
    "vprintf",
    "vfprintf",
    "fputs",
    "fputc",
    "putc",
    "fwrite",
    "fflush",
    "fclose",
    "fopen",
    "clock",
    "rand",
    "srand",
    "random",
    "drand48",
    "getenv",
    "strcmp",
    "strncmp",
    "strlen",
    "strcasecmp",
    "memcmp",
    "atoi",
    "atol",
    "atof",
    "sleep",
    "usleep",
    "isatty",
    "access",
    "perror",
    "system",
    "sin",
    "cos",
    "tan",
    "exp",
    "log",
    "pow",
    "sinf",
    "cosf",
    "expf",
    "logf",
    "powf",
    "fseek",
    "strncasecmp",
    "strspn",
    "strcspn",
    "strchr",
    "strrchr",
    "strstr",
    "toupper",
    "tolower",
    "isdigit",
    "isspace",
    "getpid",
    "lrand48",
    "srand48",
    "fgetc",
    "getc",
    "getchar",
    "feof",
    "ferror",
    "ftell",
    "rewind",
    "fmod",
    "atan",
    "atan2",
    "acos",
    "asin",
    "exp2",
    "log2",
    "log10",
    "cbrt",
    "fmodf",
    "atan2f",
    "acosf",
    "asinf",
    "exp2f",
    "log2f",
    "roundf",
    "round",
    "nanosleep",
    "sched_yield",
];

/// Beginnings of such ones: streams of C++, and what they are made of.
const HARMLESS_BEGINNINGS: [&str; 13] = [
    "_ZNSo",
    "_ZNKSo",
    "_ZSt4endl",
    "_ZStlsISt11char_traits",
    "_ZSt16__ostream_insert",
    "_ZNSt8ios_base",
    "_ZNSt9basic_ios",
    "_ZNKSt9basic_ios",
    "_ZNKSt5ctype",
    "_ZNSt6chrono",
    "_ZNSt6localeC",
    "__cxa_guard",
    "_ZNKSt",
];

/// They do not return.
const END: [&str; 7] =
    ["exit", "_exit", "abort", "quick_exit", "__assert_fail", "_ZSt9terminatev", "__clang_call_terminate"];

impl<'a> Machine<'_, 'a> {
    /// The result of a function that is not there.
    pub(super) fn outside(
        &mut self,
        state: &mut State<'a>,
        module: usize,
        name: &str,
        call: &Call<'a>,
        arguments: &[Value],
    ) -> Result<Value, Outcome> {
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            return self.intrinsic(state, intrinsic, call, arguments);
        }
        if !errno::LEAVE.contains(&name) {
            state.forget(self.errno);
        }
        if let Some(kernel) = self.kernels.get(&(module, name)).cloned() {
            self.stub(state, module, &kernel, call, arguments);
            return Ok(Value::Unknown);
        }
        if END.contains(&name) {
            let exits = name.contains("exit");
            let fails = |code: &Value| code.number().is_some_and(|c| c as i32 != 0);
            return Err(match exits && !arguments.first().is_some_and(fails) {
                true => Outcome::Ended,
                false => Outcome::GaveUp,
            });
        }
        // An exception in an undecided path is taken not to be thrown.
        if name == "__cxa_throw"
            || name.starts_with("_ZSt") && name.contains("__throw_")
            || name == "__cxa_rethrow"
        {
            return match self.forks.is_empty() {
                true => Err(self.lose(state, "something is thrown")),
                false => Err(Outcome::GaveUp),
            };
        }
        if name == "__cxa_atexit" || name == "atexit" {
            self.deferred.extend(arguments.first().and_then(Value::number).map(|a| a as u64));
            return Ok(Value::Number(0));
        }
        if name.starts_with("__cuda") {
            return Ok(match name {
                "__cudaPushCallConfiguration" => {
                    state.configuration = Some(arguments.to_vec());
                    Value::Number(0)
                }
                _ => Value::Unknown,
            });
        }
        let cuda =
            name.starts_with("cuda") || name.starts_with("cu") && name[2..].starts_with(char::is_uppercase);
        if cuda && let Some(value) = self.cuda(state, name, arguments)? {
            return Ok(value);
        }
        if name == "atoi"
            && let Some(value) = self.classified(state)
        {
            return Ok(value);
        }
        if let Some(value) = self.of_input(state, name, arguments) {
            return Ok(value);
        }
        if let Some(value) = self.of_c(state, name, arguments) {
            return Ok(value);
        }
        if let Some(of) = crate::prepare::sorted(name) {
            self.sort(state, of, arguments);
            return Ok(Value::Unknown);
        }
        if HARMLESS.contains(&name) || HARMLESS_BEGINNINGS.iter().any(|b| name.starts_with(b)) {
            return Ok(Value::Unknown);
        }
        self.anything(state, arguments)
    }

    /// It may change whatever can be reached.
    pub(super) fn anything(&mut self, state: &mut State<'a>, arguments: &[Value]) -> Result<Value, Outcome> {
        state.forget(self.errno);
        let mut work: Vec<Id> = state.escaped.iter().copied().collect();
        let mut functions: Vec<i64> = Vec::new();
        for value in arguments {
            match value {
                Value::Number(v) => {
                    work.extend(memory::object(*v as u64).map(|o| o.0));
                    functions.push(*v);
                }
                Value::Near(id) => work.push(*id),
                _ => {}
            }
        }
        let mut seen: BTreeSet<Id> = BTreeSet::new();
        while let Some(id) = work.pop() {
            let Some(object) = state.objects.get(&id).filter(|_| seen.insert(id)) else { continue };
            for pointer in object.pointers() {
                work.extend(memory::object(pointer).map(|o| o.0));
                functions.push(pointer as i64);
            }
        }
        if functions.iter().any(|f| matches!(self.target(*f), Some(Target::Here(_)))) {
            return Err(self.lose(state, "a function of the program is passed to one that is not there"));
        }
        let kernels: Vec<String> =
            functions.iter().filter_map(|f| self.kernel_at(&Value::Number(*f))).collect();
        self.broken.extend(kernels);
        for id in &seen {
            if let Some(object) = state.objects.get_mut(id)
                && object.place != (Place::Variable { constant: true })
            {
                Rc::make_mut(object).forget();
            }
        }
        state.escaped.extend(seen);
        Ok(Value::Unknown)
    }

    /// Makes the memory that an argument points to unknown.
    pub(super) fn written(&self, state: &mut State<'a>, at: &Value) {
        match at {
            Value::Number(v) => {
                if let Some((id, _)) = memory::object(*v as u64) {
                    state.forget(id);
                }
            }
            Value::Near(id) => state.forget(*id),
            // An address that was lost.
            _ => {
                for id in state.escaped.clone() {
                    state.forget(id);
                }
            }
        }
    }

    /// New memory of that size, its address where `at` says.
    pub(super) fn new_memory(&mut self, state: &mut State<'a>, at: &Value, size: &Value) -> Option<()> {
        let size = size.number().and_then(|n| u64::try_from(n).ok());
        let id = self.allocate(state, size, Place::Device, Fill::Nothing);
        state.write(at.number()?, 8, &Value::Number(memory::base(id) as i64))
    }

    /// Copies bytes; `None` if it is not known where to.
    pub(super) fn copy(
        &mut self,
        state: &mut State<'a>,
        to: &Value,
        from: &Value,
        bytes: &Value,
    ) -> Option<()> {
        let (id, at) = match to {
            Value::Number(to) => memory::object(*to as u64)?,
            Value::Near(id) => {
                self.escape_all(state, from);
                state.forget(*id);
                return Some(());
            }
            _ => return None,
        };
        let count = bytes.number().and_then(|n| u64::try_from(n).ok()).filter(|&n| n <= 1 << 24);
        self.steps = self.steps.saturating_sub(count.unwrap_or(0) / 8);
        let there = state.objects.get(&id)?;
        let Some(count) = count.filter(|&n| there.holds(at, n)) else {
            self.escape_all(state, from);
            state.forget(id);
            return Some(());
        };
        let held = super::launch::bytes_at(state, from, count);
        if held.is_none() {
            self.escape_all(state, from);
        }
        let object = Rc::make_mut(state.objects.get_mut(&id)?);
        match held {
            Some(held) => {
                if object.size == Some(count) {
                    object.fill(0, count, Byte::Unknown);
                }
                for (n, byte) in (at as u64..).zip(held) {
                    object.put(n, byte);
                }
            }
            None => object.fill(at as u64, count, Byte::Unknown),
        }
        Some(())
    }

    /// Addresses that an object holds get lost.
    pub(super) fn escape_all(&self, state: &mut State<'a>, from: &Value) {
        let id = match from {
            Value::Number(v) => memory::object(*v as u64).map(|o| o.0),
            Value::Near(id) => Some(*id),
            _ => None,
        };
        if let Some(object) = id.and_then(|id| state.objects.get(&id)) {
            let found: Vec<Id> =
                object.pointers().into_iter().filter_map(|p| Some(memory::object(p)?.0)).collect();
            state.escaped.extend(found);
        }
    }

    pub(super) fn fill(&self, state: &mut State<'a>, to: &Value, byte: &Value, bytes: &Value) -> Option<()> {
        let (id, at) = match to {
            Value::Number(to) => memory::object(*to as u64)?,
            Value::Near(id) => {
                state.forget(*id);
                return Some(());
            }
            _ => return None,
        };
        let object = Rc::make_mut(state.objects.get_mut(&id)?);
        let with = byte.number().map_or(Byte::Unknown, |b| Byte::Known(b as u8));
        match bytes.number().and_then(|n| u64::try_from(n).ok()) {
            Some(n) if object.holds(at, n) && n <= 1 << 28 => object.fill(at as u64, n, with),
            _ => object.forget(),
        }
        Some(())
    }

    /// Returns the result of a function of C or C++.
    fn of_c(&mut self, state: &mut State<'a>, name: &str, arguments: &[Value]) -> Option<Value> {
        let unknown = Value::Unknown;
        let a = |n: usize| arguments.get(n).unwrap_or(&unknown);
        let size = |v: &Value| v.number().and_then(|n| u64::try_from(n).ok());
        let single = name.ends_with('f');
        Some(match name {
            "malloc"
            | "_Znwm"
            | "_Znam"
            | "_ZnwmRKSt9nothrow_t"
            | "_ZnamRKSt9nothrow_t"
            | "_ZnwmSt11align_val_t" => {
                let id = self.allocate(state, size(a(0)), Place::Host, Fill::Nothing);
                Value::Number(memory::base(id) as i64)
            }
            "calloc" => {
                let bytes = size(a(0)).zip(size(a(1))).and_then(|(n, b)| n.checked_mul(b));
                let id = self.allocate(state, bytes, Place::Host, Fill::Byte(0));
                Value::Number(memory::base(id) as i64)
            }
            "aligned_alloc" => {
                let id = self.allocate(state, size(a(1)), Place::Host, Fill::Nothing);
                Value::Number(memory::base(id) as i64)
            }
            "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" | "_ZdlPvSt11align_val_t" => Value::Unknown,
            "memcpy" | "memmove" => {
                self.copy(state, a(0), a(1), a(2))?;
                a(0).clone()
            }
            "memset" => {
                self.fill(state, a(0), a(1), a(2))?;
                a(0).clone()
            }
            // They write where an argument points, and so much.
            "gettimeofday" | "clock_gettime" | "time" => {
                let at = if name == "clock_gettime" { a(1) } else { a(0) };
                if *at != Value::Number(0) {
                    let bytes = if name == "time" { 8 } else { 16 };
                    self.fill(state, at, &Value::Unknown, &Value::Number(bytes))?;
                }
                Value::Unknown
            }
            "sprintf" | "snprintf" | "fgets" | "fread" | "strcpy" | "strncpy" | "strcat" | "strncat" => {
                self.some(state, a(0));
                Value::Unknown
            }
            "__errno_location" => Value::Number(memory::base(self.errno) as i64),
            // A number of an input is read elsewhere; of others it is not known whether they are too large.
            "strtol" | "strtoul" | "strtod" | "strtof" => {
                state.forget(self.errno);
                self.some(state, a(1));
                Value::Unknown
            }
            "__cxa_guard_acquire" => Value::Number(1),
            "ceil" | "ceilf" => of_real(real(a(0), single)?.ceil(), single),
            "floor" => of_real(real(a(0), false)?.floor(), false),
            "sqrt" | "sqrtf" => of_real(real(a(0), single)?.sqrt(), single),
            _ => return None,
        })
    }

    fn intrinsic(
        &mut self,
        state: &mut State<'a>,
        name: &str,
        call: &Call<'a>,
        arguments: &[Value],
    ) -> Result<Value, Outcome> {
        let unknown = Value::Unknown;
        let a = |n: usize| arguments.get(n).unwrap_or(&unknown);
        let of = |op: &str| name.strip_prefix(op).is_some_and(|rest| rest.starts_with('.'));
        if of("memcpy") || of("memmove") || of("memcpy.inline") {
            return match self.copy(state, a(0), a(1), a(2)) {
                Some(()) => Ok(Value::Unknown),
                None => Err(self.lose(state, "it is not known where something is copied")),
            };
        }
        if of("memset") {
            return match self.fill(state, a(0), a(1), a(2)) {
                Some(()) => Ok(Value::Unknown),
                None => Err(self.lose(state, "it is not known where something is written")),
            };
        }
        if name == "trap" || name == "ubsantrap" {
            return Err(Outcome::GaveUp);
        }
        if of("vastart") || name.starts_with("va_") || name.starts_with("eh.") {
            self.written(state, a(0));
            return Ok(Value::Unknown);
        }
        let reals = ["ceil", "floor", "sqrt", "fabs", "trunc"].into_iter().find(|op| of(op));
        if let Some(op) = reals {
            let single = name.ends_with(".f32");
            let Some(v) = real(a(0), single).filter(|_| single || name.ends_with(".f64")) else {
                return Ok(Value::Unknown);
            };
            let v = match op {
                "ceil" => v.ceil(),
                "floor" => v.floor(),
                "sqrt" => v.sqrt(),
                "fabs" => v.abs(),
                _ => v.trunc(),
            };
            return Ok(of_real(v, single));
        }
        if of("expect") {
            return Ok(a(0).clone());
        }
        if let Some(rest) =
            name.strip_suffix(|c: char| c.is_ascii_digit()).filter(|_| name.contains(".with.overflow."))
        {
            let bits = name.rsplit(".i").next().and_then(|b| b.parse::<u32>().ok()).filter(|b| *b <= 64);
            let (Some(x), Some(y), Some(bits)) = (a(0).number(), a(1).number(), bits) else {
                return Ok(Value::Unknown);
            };
            let signed = rest.starts_with('s');
            let wide = |v: i64| match signed {
                true => i128::from(v),
                false => crate::eval::unsigned(i128::from(v), bits),
            };
            let (x, y) = (wide(x), wide(y));
            let exact = match &rest[1..4] {
                "add" => x + y,
                "sub" => x - y,
                _ => x * y,
            };
            let kept = crate::eval::signed(exact, bits);
            let back = if signed { kept } else { crate::eval::unsigned(exact, bits) };
            let all = vec![Value::Number(kept as i64), Value::Number(i64::from(back != exact))];
            return Ok(Value::Several(Rc::new(all)));
        }
        let bits = call.bits;
        let (Some(x), y) = (a(0).number(), a(1).number()) else { return Ok(Value::Unknown) };
        if bits == 0 || name.contains(".v") {
            return Ok(Value::Unknown);
        }
        let (ux, uy) = (unsigned(x, bits), y.map(|y| unsigned(y, bits)));
        let number = match () {
            () if of("smin") => y.map(|y| x.min(y)),
            () if of("smax") => y.map(|y| x.max(y)),
            () if of("umin") => y.zip(uy).map(|(y, uy)| if ux < uy { x } else { y }),
            () if of("umax") => y.zip(uy).map(|(y, uy)| if ux > uy { x } else { y }),
            () if of("abs") => Some(crate::eval::signed(i128::from(x).abs(), bits) as i64),
            () if of("ctpop") => Some(i64::from(ux.count_ones())),
            () if of("ctlz") => Some(i64::from(bits) - i64::from(64 - ux.leading_zeros())),
            () if of("cttz") => Some(i64::from(ux.trailing_zeros().min(bits))),
            () if of("usub.sat") => {
                uy.map(|uy| crate::eval::signed(i128::from(ux.saturating_sub(uy)), bits) as i64)
            }
            () => None,
        };
        Ok(number.map_or(Value::Unknown, Value::Number))
    }
}

fn unsigned(v: i64, bits: u32) -> u64 {
    crate::eval::unsigned(i128::from(v), bits) as u64
}
