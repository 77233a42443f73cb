//! Writing atomics on own cells (PTX ISA 9.7.13.5, 9.7.13.7): what they return and what they leave.

use super::access::bits;
use super::write::{Body, Fill};

impl Body<'_> {
    /// `atom`, which returns the old value, or `red`.
    pub(super) fn atomic(&mut self, returns: bool) {
        let (text, ty, n, hint) = (self.text.clone(), self.last(), self.elements(), self.hint());
        let size = match ty.as_str() {
            "f16" | "bf16" => 16,
            "f16x2" | "bf16x2" => 32,
            ty => bits(ty),
        };
        let fill = match ty.as_str() {
            "f16" | "f16x2" => Fill::Halves,
            "bf16" | "bf16x2" => Fill::Brains,
            "f32" | "f64" => Fill::Finite,
            _ => Fill::Words,
        };
        // Vectors lie in global memory, and so do cells of asynchronous operations.
        let places: &[&'static str] =
            if n > 1 || self.has("async") { &["global"] } else { &["global", "shared"] };
        let place = self.place(places);
        let words = self.words(fill, 8);
        self.put(place, &words);
        let step = size * n / 8;
        let offset = self.draw.below(32 / step) * step;
        let mut sources = vec![Self::list(&self.values(fill, n, size))];
        if self.has("cas") {
            // In half of the lanes the value equals the one in memory.
            let first = &words[offset / 4..];
            let p = self.p();
            let (mine, same, odd) = (sources.remove(0), self.of_bits(size), self.r());
            self.line(&format!("and.b32 {odd}, %t, 1;"));
            self.line(&format!("setp.eq.u32 {p}, {odd}, 1;"));
            match size {
                16 if offset % 4 == 2 => {
                    let low = self.h();
                    self.line(&format!("mov.b32 {{{low}, {same}}}, {};", first[0]));
                }
                16 => self.line(&format!("cvt.u16.u32 {same}, {};", first[0])),
                32 => self.line(&format!("mov.b32 {same}, {};", first[0])),
                64 => self.line(&format!("mov.b64 {same}, {{{}, {}}};", first[0], first[1])),
                _ => self.line(&format!("mov.b128 {same}, {{{}}};", first[..4].join(", "))),
            }
            self.line(&format!("@{p} mov.b{size} {mine}, {same};"));
            let new = self.values(fill, n, size);
            sources = vec![mine, Self::list(&new)];
        }
        let address = self.address(place, offset);
        let sources = sources.join(", ");
        if returns {
            let old = self.several(n, size);
            self.line(&format!("{text} {}, [{address}], {sources}{hint};", Self::list(&old)));
            self.show(place);
            let results: Vec<_> = old.into_iter().map(|register| (size, register)).collect();
            self.results(&results);
        } else {
            self.line(&format!("{text} [{address}], {sources}{hint};"));
            self.show(place);
        }
    }
}
