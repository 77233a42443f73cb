//! Writing moves, loads, stores, addresses and the stack, hints to caches, and what a warp is asked
//! about itself (PTX ISA 9.7.9, 9.7.13.11 to 15, 9.7.17).

use super::write::{Body, Fill, Place};
use crate::differential::forms::RegisterForm;
use crate::differential::video::Affixes;

/// Bits of a type, by its name.
pub(super) fn bits(ty: &str) -> usize {
    ty.trim_start_matches(|c: char| c.is_alphabetic()).parse().unwrap_or(32)
}

impl Body<'_> {
    /// The last modifier.
    pub(super) fn last(&self) -> String {
        self.text.rsplit('.').next().unwrap_or_default().to_owned()
    }

    /// How many elements a vector has.
    pub(super) fn elements(&self) -> usize {
        [2, 4, 8].into_iter().find(|n| self.has(&format!("v{n}"))).unwrap_or(1)
    }

    /// The space that the instruction names; where it names none, one by a generic address.
    pub(super) fn place(&mut self, generic: &[&'static str]) -> Place {
        for (modifier, space) in [
            ("global", "global"),
            ("local", "local"),
            ("shared", "shared"),
            ("shared::cta", "shared"),
            ("shared::cluster", "shared"),
        ] {
            if self.has(modifier) {
                return Place { space, generic: false };
            }
        }
        Place { space: self.draw.of(generic), generic: true }
    }

    pub(super) fn list(registers: &[String]) -> String {
        match registers {
            [one] => one.clone(),
            several => format!("{{{}}}", several.join(", ")),
        }
    }

    /// Moves of vectors, and of 128 bits between registers, and from and to their parts.
    pub(super) fn mov(&mut self) {
        let text = self.text.clone();
        let n = self.elements();
        if n > 1 {
            let bits = bits(&self.last());
            let from = self.values(Fill::Finite, n, bits);
            let to = self.several(n, bits);
            self.line(&format!("{text} {}, {};", Self::list(&to), Self::list(&from)));
            let results: Vec<_> = to.into_iter().map(|register| (bits, register)).collect();
            return self.results(&results);
        }
        let size = self.draw.of(&[32, 64]);
        let from = self.values(Fill::Words, 128 / size, size);
        let (x, y) = (self.q(), self.q());
        self.line(&format!("{text} {x}, {};", Self::list(&from)));
        self.line(&format!("{text} {y}, {x};"));
        let size = self.draw.of(&[32, 64]);
        let to = self.several(128 / size, size);
        self.line(&format!("{text} {}, {y};", Self::list(&to)));
        let results: Vec<_> = to.into_iter().map(|register| (size, register)).collect();
        self.results(&results);
    }

    pub(super) fn load(&mut self) {
        let (text, ty, n) = (self.text.clone(), self.last(), self.elements());
        let (size, hint) = (bits(&ty), self.hint());
        let from = if text.starts_with("ldu") {
            let r = self.draw.below(4096) * 32;
            let d = self.d();
            self.line(&format!("add.u64 {d}, %table, {r};"));
            if !self.has("global") {
                self.line(&format!("cvta.global.u64 {d}, {d};"));
            }
            format!("[{d}]")
        } else if self.has("const") {
            let (r, d) = (self.r(), self.d());
            let name = self.name;
            self.line(&format!("and.b32 {r}, %t, 1;"));
            self.line(&format!("mul.wide.u32 {d}, {r}, 32;"));
            let base = self.d();
            self.line(&format!("mov.u64 {base}, {name}_constants;"));
            self.line(&format!("add.u64 {d}, {d}, {base};"));
            format!("[{d}]")
        } else {
            let place = self.place(&["global", "shared", "local"]);
            let words = self.words(Fill::Words, 8);
            self.put(place, &words);
            // The cells are read through a cache that need not see what the kernel wrote.
            if self.has("nc") {
                let d = self.d();
                let at = self.draw.below(4096) * 32;
                self.line(&format!("add.u64 {d}, %table, {at};"));
                self.line(&format!("mad.wide.u32 {d}, %t, 32, {d};"));
                format!("[{d}]")
            } else {
                let step = (size * n / 8).max(1);
                let offset = self.draw.below(32 / step) * step;
                format!("[{}]", self.address(place, offset))
            }
        };
        // Integers of less than 32 bits are extended to what the register has.
        let narrow = size < 32 && !ty.starts_with('f');
        let wide = match size {
            8 | 16 if narrow => self.draw.of(&[16, 32, 64]),
            32 if ty != "f32" => self.draw.of(&[32, 64]),
            size => size,
        };
        let to = self.several(n, wide);
        self.line(&format!("{text} {}, {from}{hint};", Self::list(&to)));
        let results: Vec<_> = to.into_iter().map(|register| (wide, register)).collect();
        self.results(&results);
    }

    pub(super) fn store(&mut self) {
        let (text, ty, n) = (self.text.clone(), self.last(), self.elements());
        let (size, hint) = (bits(&ty), self.hint());
        let place = self.place(match self.has("async") {
            true => &["global"],
            false => &["global", "shared", "local"],
        });
        let words = self.words(Fill::Words, 8);
        self.put(place, &words);
        let values = self.values(Fill::Words, n, size);
        let step = (size * n / 8).max(1);
        let offset = self.draw.below(32 / step) * step;
        let address = self.address(place, offset);
        self.line(&format!("{text} [{address}], {}{hint};", Self::list(&values)));
        self.show(place);
    }

    /// To generic and back, from the space that the instruction names.
    pub(super) fn cvta(&mut self) {
        let text = self.text.clone();
        let (start, space) = self.start();
        let (there, back, same) = (self.d(), self.d(), self.p());
        let to = text.contains(".to.");
        let other = if to { text.replace(".to.", ".") } else { text.replace("cvta.", "cvta.to.") };
        let (first, second) = if to { (&other, &text) } else { (&text, &other) };
        self.line(&format!("{first} {there}, {start};"));
        self.line(&format!("{second} {back}, {there};"));
        self.line(&format!("setp.eq.u64 {same}, {back}, {start};"));
        // What it says can be loaded from.
        let words = self.words(Fill::Words, 8);
        let r = self.r();
        match space {
            "global" | "local" | "shared" => {
                self.put(Place { space, generic: false }, &words);
                let at = if space == "global" { self.own_at() } else { 0 };
                self.line(&format!("ld.b32 {r}, [{there}+{at}];"));
            }
            "param" => {
                let (x, q) = (self.d(), self.p());
                self.line(&format!("ld.b64 {x}, [{there}];"));
                self.line(&format!("setp.eq.u64 {q}, {x}, %table;"));
                self.line(&format!("selp.b32 {r}, 1, 0, {q};"));
            }
            _ => self.line(&format!("ld.b32 {r}, [{there}];")),
        }
        self.results(&[(1, same), (32, r)]);
    }

    /// An address in the space that the instruction names, in 64 bits, and which space it is.
    fn start(&mut self) -> (String, &'static str) {
        let d = self.d();
        let name = self.name;
        let (text, space) = if self.has("const") {
            (format!("mov.u64 {d}, {name}_constants;"), "const")
        } else if self.has("global") {
            (format!("mov.u64 {d}, %own;"), "global")
        } else if self.has("local") {
            (format!("mov.u64 {d}, kept;"), "local")
        } else if self.has("param") || self.has("param::entry") {
            (format!("mov.b64 {d}, table;"), "param")
        } else {
            (format!("cvt.u64.u32 {d}, %s;"), "shared")
        };
        self.line(&text);
        (d, space)
    }

    /// Of addresses in four spaces.
    pub(super) fn isspacep(&mut self) {
        let text = self.text.clone();
        let name = self.name;
        let mut results = Vec::new();
        for (space, from) in [
            ("global", "%own".to_owned()),
            ("local", "%l".to_owned()),
            ("shared", String::new()),
            ("const", format!("{name}_constants")),
            ("param", "table".to_owned()),
        ] {
            let (d, p) = (self.d(), self.p());
            match space {
                "shared" => self.line(&format!("cvt.u64.u32 {d}, %s;")),
                _ => self.line(&format!("mov.b64 {d}, {from};")),
            }
            self.line(&format!("cvta.{space}.u64 {d}, {d};"));
            self.line(&format!("{text} {p}, {d};"));
            results.push((1, p));
        }
        self.results(&results);
    }

    /// A policy, and a load with it.
    pub(super) fn create_policy(&mut self) {
        let text = self.text.clone();
        let policy = self.d();
        let sources = match text.as_str() {
            _ if self.has("cvt") => "%policy".to_owned(),
            _ if self.has("range") => {
                let generic = self.d();
                self.line(&format!("mov.u64 {generic}, %own;"));
                format!("[{generic}], 4096, 8192")
            }
            _ => self.draw.of(&["0f3F800000", "0f3F000000"]).to_owned(),
        };
        self.line(&format!("{text} {policy}, {sources};"));
        let place = Place { space: "global", generic: false };
        let words = self.words(Fill::Words, 8);
        self.put(place, &words);
        let (to, address) = (self.r(), self.address(place, 4));
        self.line(&format!("ld.global.L2::cache_hint.b32 {to}, [{address}], {policy};"));
        self.results(&[(32, to)]);
    }

    /// Gives up 128 bytes, and fills them anew.
    pub(super) fn discard(&mut self) {
        let text = self.text.clone();
        let (d, at) = (self.d(), self.own_at());
        self.line(&format!("mad.wide.u32 {d}, %all, 128, %base;"));
        self.line(&format!("{text} [{d}+{at}], 128;"));
        for part in 0..8 {
            let words = self.words(Fill::Words, 4).join(", ");
            self.line(&format!("st.global.v4.b32 [{d}+{}], {{{words}}};", at + part * 16));
        }
        self.section(" (memory)", 16);
    }

    /// Zeros in shared memory.
    pub(super) fn fill_with_zeros(&mut self) {
        let text = self.text.clone();
        let place = Place { space: "shared", generic: false };
        let words = self.words(Fill::Words, 8);
        self.put(place, &words);
        let address = match self.has("shared::cta") {
            true => "%s".to_owned(),
            false => self.generic("%s"),
        };
        self.line("fence.proxy.async;");
        self.line(&format!("{text} [{address}+16], 16, 0;"));
        self.line("fence.proxy.async;");
        self.show(place);
    }

    /// Two arrays on the stack, the second given back.
    pub(super) fn stack(&mut self) {
        let ty = self.last();
        let bits = bits(&ty);
        let (before, x, y) = (self.of_bits(bits), self.of_bits(bits), self.of_bits(bits));
        let words = self.words(Fill::Words, 4);
        self.line(&format!("alloca.{ty} {x}, 32, 16;"));
        self.line(&format!("stacksave.{ty} {before};"));
        self.line(&format!("alloca.{ty} {y}, 16;"));
        self.line(&format!("st.local.v2.b32 [{x}+8], {{{}, {}}};", words[0], words[1]));
        self.line(&format!("st.local.v2.b32 [{y}], {{{}, {}}};", words[2], words[3]));
        let to = self.several(4, 32);
        self.line(&format!("ld.local.v2.b32 {{{}, {}}}, [{y}];", to[0], to[1]));
        self.line(&format!("stackrestore.{ty} {before};"));
        self.line(&format!("ld.local.v2.b32 {{{}, {}}}, [{x}+8];", to[2], to[3]));
        let results: Vec<_> = to.into_iter().map(|register| (32, register)).collect();
        self.results(&results);
    }

    /// What has no effect: own cells are as they were.
    pub(super) fn nothing(&mut self) {
        let text = self.text.clone();
        let hint = self.hint();
        let mut place = self.place(&["global"]);
        place.space = if place.space == "local" { "local" } else { "global" };
        let words = self.words(Fill::Words, 8);
        self.put(place, &words);
        let start = if place.space == "local" { "%l".to_owned() } else { "%own".to_owned() };
        let opcode = text.split('.').next().unwrap_or_default().to_owned();
        let operands = match opcode.as_str() {
            "prefetch" if self.has("param") => " [table]".to_owned(),
            "prefetch" | "prefetchu" => format!(" [{start}]"),
            // From the beginning of a line.
            "applypriority" => " [%base], 128".to_owned(),
            "cp" => format!(" [{start}+{}], 16{hint}", self.own_at()),
            "nanosleep" => " 10".to_owned(),
            "pmevent" if self.has("mask") => " 5".to_owned(),
            "pmevent" => " 3".to_owned(),
            "setmaxnreg" => " 64".to_owned(),
            _ => String::new(),
        };
        self.line(&format!("{text}{operands};"));
        self.show(place);
    }

    /// What ends a launch, of a thread that there is not.
    pub(super) fn end(&mut self) {
        let (text, p) = (self.text.clone(), self.p());
        self.line(&format!("setp.gt.u32 {p}, %lane, 31;"));
        self.line(&format!("@{p} {text};"));
        self.results(&[(1, p)]);
    }

    /// An address of the block's own shared memory by way of its cluster.
    pub(super) fn cluster_address(&mut self) {
        let text = self.text.clone();
        let (ty, named) = (self.last(), self.has("shared::cluster"));
        let words = self.words(Fill::Words, 8);
        let place = Place { space: "shared", generic: false };
        self.put(place, &words);
        let size = bits(&ty);
        let start = match (size, named) {
            (32, _) => "%s".to_owned(),
            (_, false) => self.generic("%s"),
            (_, true) => {
                let d = self.d();
                self.line(&format!("cvt.u64.u32 {d}, %s;"));
                d
            }
        };
        if text.starts_with("getctarank") {
            let rank = self.r();
            self.line(&format!("{text} {rank}, {start};"));
            return self.results(&[(32, rank)]);
        }
        let (there, to) = (self.of_bits(size), self.r());
        self.line(&format!("{text} {there}, {start}, 0;"));
        let space = if named { ".shared::cluster" } else { "" };
        self.line(&format!("ld{space}.b32 {to}, [{there}+12];"));
        self.results(&[(32, to)]);
    }

    /// A video instruction on three words, with signs and selectors.
    pub(super) fn video(&mut self) {
        let form = RegisterForm::of(&self.text).expect("a video instruction is a register form");
        let affixes = Affixes::drawn(&form, &mut self.draw);
        let words = self.words(Fill::Words, 3);
        let to = self.r();
        let operands = std::iter::once(&to).chain(&words).enumerate();
        let list: Vec<String> = operands.map(|(i, word)| affixes.around(i, word)).collect();
        self.line(&format!("{} {};", form.text, list.join(", ")));
        self.results(&[(32, to)]);
    }

    /// `cvt.rs` of four numbers.
    pub(super) fn convert_four(&mut self) {
        let text = self.text.clone();
        let words = self.words(Fill::Finite, 5);
        let to = self.r();
        let (list, random) = (words[..4].join(", "), &words[4]);
        self.line(&format!("{text} {to}, {{{list}}}, {random};"));
        self.results(&[(32, to)]);
    }

    pub(super) fn redux(&mut self) {
        let text = self.text.clone();
        let word = self.words(Fill::Finite, 1).remove(0);
        let to = self.r();
        self.line(&format!("{text} {to}, {word}, 0xffffffff;"));
        self.results(&[(32, to)]);
    }

    /// Whether the lane is among those that execute it together.
    pub(super) fn activemask(&mut self) {
        let text = self.text.clone();
        let (mask, p) = (self.r(), self.p());
        self.line(&format!("{text} {mask};"));
        self.line(&format!("shr.u32 {mask}, {mask}, %lane;"));
        self.line(&format!("and.b32 {mask}, {mask}, 1;"));
        self.line(&format!("setp.eq.u32 {p}, {mask}, 1;"));
        self.results(&[(1, p)]);
    }

    /// Stores that one lane is elected, and that all lanes learn which.
    pub(super) fn elect(&mut self) {
        let text = self.text.clone();
        let (who, p, count, mine, same) = (self.r(), self.p(), self.r(), self.p(), self.p());
        self.line(&format!("{text} {who}|{p}, 0xffffffff;"));
        self.line(&format!("vote.sync.ballot.b32 {count}, {p}, 0xffffffff;"));
        self.line(&format!("popc.b32 {count}, {count};"));
        self.line(&format!("setp.eq.u32 {mine}, {who}, %lane;"));
        self.line(&format!("xor.pred {same}, {mine}, {p};"));
        self.results(&[(32, count), (1, same)]);
    }
}
