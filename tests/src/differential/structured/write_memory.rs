//! Writing accesses of own cells, of constants, and atomics.

use super::write::{COMMON, OWN, Writer};
use super::{Access, OwnAtomic, Place, VALUES, Value};

impl Place {
    fn name(self) -> &'static str {
        match self {
            Place::Shared => "shared",
            Place::Local => "local",
            Place::Global => "global",
        }
    }
}

/// The size of a type in bytes, by its name.
fn bytes(ty: &str) -> u32 {
    ty.trim_start_matches(|c: char| c.is_alphabetic()).parse::<u32>().map_or(4, |bits| bits / 8)
}

impl Writer<'_> {
    /// Leaves the address of a thread's own cells, at an offset that a register may hold, and gives
    /// the text in brackets and the space to write. `upper` is in the upper half where the hardware
    /// does not look at it. These are addresses of shared and local memory, and addresses of shared
    /// memory that `cvta` gets.
    fn address(
        &mut self,
        place: Place,
        generic: bool,
        offset: &str,
        upper: Option<usize>,
    ) -> (String, String) {
        let narrow = match place {
            Place::Shared => "%s",
            Place::Local => "%l",
            Place::Global => "%own",
        };
        match (place, generic) {
            (Place::Global, _) => {
                self.line(&format!("cvt.u64.u32 %w, {offset};"));
                self.line("add.u64 %w, %w, %own;");
            }
            (Place::Shared | Place::Local, false) => {
                self.line(&format!("add.u32 %y, {narrow}, {offset};"));
                let Some(upper) = upper else {
                    return ("%y".to_owned(), format!(".{}", place.name()));
                };
                self.line(&format!("mov.b64 %w, {{%y, %v{upper}}};"));
            }
            (Place::Shared | Place::Local, true) => {
                self.line(&format!("add.u32 %y, {narrow}, {offset};"));
                match upper.filter(|_| place == Place::Shared) {
                    Some(upper) => self.line(&format!("mov.b64 %w, {{%y, %v{upper}}};")),
                    None => self.line("cvt.u64.u32 %w, %y;"),
                }
                self.line(&format!("cvta.{}.u64 %w, %w;", place.name()));
            }
        }
        let space = if generic { String::new() } else { format!(".{}", place.name()) };
        ("%w".to_owned(), space)
    }

    /// Puts into `%z` where among the own cells an access of this many bytes is.
    pub(super) fn offset(&mut self, at: Value, size: u32) {
        let places = OWN / size;
        match at {
            Value::Number(n) => self.line(&format!("mov.u32 %z, {};", n % places * size)),
            Value::Register(r) => {
                self.line(&format!("and.b32 %z, %v{r}, {};", places - 1));
                self.line(&format!("mul.lo.u32 %z, %z, {size};"));
            }
        }
    }

    pub(super) fn access(&mut self, access: &Access) {
        let Access { ty, elements, value, .. } = *access;
        let size = bytes(ty);
        self.offset(access.at, size * elements as u32);
        let (address, space) = self.address(access.place, access.generic, "%z", access.upper);
        let vector = match elements {
            1 => String::new(),
            n => format!(".v{n}"),
        };
        let opcode = if access.store { "st" } else { "ld" };
        let mnemonic = format!("{opcode}{}{space}{vector}.{ty}", access.semantics);
        let v = |i: usize| (value + i) % VALUES;
        let registers: Vec<String> = (0..elements)
            .map(|i| if size == 8 { format!("%d{i}") } else { format!("%v{}", v(i)) })
            .collect();
        if size == 8 && access.store {
            for i in 0..elements {
                self.line(&format!("mov.b64 %d{i}, {{%v{}, %v{}}};", v(2 * i), v(2 * i + 1)));
            }
        }
        let list = match elements {
            1 => registers[0].clone(),
            _ => format!("{{{}}}", registers.join(", ")),
        };
        if access.store {
            self.line(&format!("{mnemonic} [{address}], {list};"));
            return;
        }
        self.line(&format!("{mnemonic} {list}, [{address}];"));
        if size == 8 {
            for i in 0..elements {
                self.line(&format!("mov.b64 {{%v{}, %v{}}}, %d{i};", v(2 * i), v(2 * i + 1)));
            }
        }
    }

    pub(super) fn constant(&mut self, d: usize, index: usize, upper: Option<usize>) {
        self.line(&format!("and.b32 %x, %v{index}, 15;"));
        self.line("shl.b32 %x, %x, 2;");
        self.line(&format!("mov.u32 %y, {}_constants;", self.name));
        self.line("add.u32 %y, %y, %x;");
        let address = match upper {
            None => "%y",
            Some(upper) => {
                self.line(&format!("mov.b64 %w, {{%y, %v{upper}}};"));
                "%w"
            }
        };
        self.line(&format!("ld.const.u32 %v{d}, [{address}];"));
    }

    pub(super) fn space(&mut self, d: usize, place: Place, space: &str) {
        self.address(place, true, "0", None);
        self.line(&format!("isspacep.{space} %q, %w;"));
        self.line(&format!("@%q add.u32 %v{d}, %v{d}, 12345;"));
    }

    /// The value of an atomic: a register of the size of its type.
    fn atomic_value(&mut self, operation: &str, wide: usize, value: usize) -> String {
        if bytes(operation.rsplit('.').next().unwrap_or_default()) == 8 {
            let next = (value + 1) % VALUES;
            self.line(&format!("mov.b64 %d{wide}, {{%v{value}, %v{next}}};"));
            format!("%d{wide}")
        } else {
            format!("%v{value}")
        }
    }

    pub(super) fn common(&mut self, which: usize, value: usize, atom: bool) {
        let (space, operation) = COMMON[which];
        let at = which % 8 * 8;
        let base = if space == "global" { "%c" } else { "%k" };
        // A limit that is the same for all.
        let value = match operation {
            "inc.u32" | "dec.u32" => "100".to_owned(),
            _ => self.atomic_value(operation, 0, value),
        };
        if atom {
            let to = if bytes(operation.rsplit('.').next().unwrap_or_default()) == 8 {
                "%d1"
            } else {
                "%x"
            };
            self.line(&format!("atom.{space}.{operation} {to}, [{base}+{at}], {value};"));
        } else {
            self.line(&format!("red.{space}.{operation} [{base}+{at}], {value};"));
        }
    }

    pub(super) fn own_atomic(&mut self, atomic: &OwnAtomic) {
        let OwnAtomic { operation, values: [d, a, b], .. } = *atomic;
        let (address, space) = self.address(
            atomic.place,
            atomic.generic,
            &(atomic.cell * 8).to_string(),
            atomic.upper,
        );
        let wide = bytes(operation.rsplit('.').next().unwrap_or_default()) == 8;
        let mut sources = self.atomic_value(operation, 0, a);
        if operation.starts_with("cas") {
            sources = format!("{sources}, {}", self.atomic_value(operation, 1, b));
        }
        let to = if wide { "%d2".to_owned() } else { format!("%v{d}") };
        let semantics = atomic.semantics;
        self.line(&format!("atom{semantics}{space}.{operation} {to}, [{address}], {sources};"));
        if wide {
            self.line(&format!("mov.b64 {{%v{d}, %v{}}}, %d2;", (d + 1) % VALUES));
        }
    }
}
