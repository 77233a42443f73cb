//! The words of PTX for a type, a state space or a linkage (PTX ISA 5.1, 5.2, 11.6).
//!
//! One list for each, read in both directions: by the parser and by the printer.

use super::ast::{Linkage, Space, Type};

const TYPES: [(&str, Type, Option<u32>); 23] = [
    ("b8", Type::B8, Some(1)),
    ("b16", Type::B16, Some(2)),
    ("b32", Type::B32, Some(4)),
    ("b64", Type::B64, Some(8)),
    ("b128", Type::B128, Some(16)),
    ("u8", Type::U8, Some(1)),
    ("u16", Type::U16, Some(2)),
    ("u32", Type::U32, Some(4)),
    ("u64", Type::U64, Some(8)),
    ("s8", Type::S8, Some(1)),
    ("s16", Type::S16, Some(2)),
    ("s32", Type::S32, Some(4)),
    ("s64", Type::S64, Some(8)),
    ("f16", Type::F16, Some(2)),
    ("f16x2", Type::F16x2, Some(4)),
    ("bf16", Type::Bf16, Some(2)),
    ("bf16x2", Type::Bf16x2, Some(4)),
    ("f32", Type::F32, Some(4)),
    ("f64", Type::F64, Some(8)),
    ("pred", Type::Pred, None),
    ("texref", Type::Texref, Some(8)),
    ("samplerref", Type::Samplerref, Some(8)),
    ("surfref", Type::Surfref, Some(8)),
];

const SPACES: [(&str, Space); 6] = [
    ("global", Space::Global),
    ("shared", Space::Shared),
    ("local", Space::Local),
    ("const", Space::Const),
    ("param", Space::Param),
    ("tex", Space::Tex),
];

const LINKAGES: [(&str, Linkage); 4] = [
    ("extern", Linkage::Extern),
    ("visible", Linkage::Visible),
    ("weak", Linkage::Weak),
    ("common", Linkage::Common),
];

impl Type {
    /// The word that names the type, without its dot: `b32`.
    pub fn keyword(self) -> &'static str {
        TYPES.iter().find(|(_, ty, _)| *ty == self).map_or("", |(word, ..)| word)
    }

    /// The type that a word, without its dot, names.
    pub fn from_keyword(word: &str) -> Option<Type> {
        TYPES.iter().find(|(known, ..)| *known == word).map(|(_, ty, _)| *ty)
    }

    /// Size in memory, in bytes; a predicate has none. Opaque references count as a 64-bit handle.
    pub fn bytes(self) -> Option<u32> {
        TYPES.iter().find(|(_, ty, _)| *ty == self).and_then(|(.., bytes)| *bytes)
    }
}

impl Space {
    /// The word that names the state space, without its dot: `shared`.
    pub fn keyword(self) -> &'static str {
        SPACES.iter().find(|(_, space)| *space == self).map_or("", |(word, _)| word)
    }

    /// The state space that a word, without its dot, names.
    pub fn from_keyword(word: &str) -> Option<Space> {
        SPACES.iter().find(|(known, _)| *known == word).map(|(_, space)| *space)
    }
}

impl Linkage {
    /// The word, without its dot: `visible`.
    pub fn keyword(self) -> &'static str {
        LINKAGES.iter().find(|(_, linkage)| *linkage == self).map_or("", |(word, _)| word)
    }

    /// The linkage that a word, without its dot, names.
    pub fn from_keyword(word: &str) -> Option<Linkage> {
        LINKAGES.iter().find(|(known, _)| *known == word).map(|(_, linkage)| *linkage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_leads_to_its_value_and_back() {
        for (word, ty, _) in TYPES {
            assert_eq!(Type::from_keyword(word), Some(ty));
            assert_eq!(ty.keyword(), word);
        }
        for (word, space) in SPACES {
            assert_eq!(Space::from_keyword(word), Some(space));
            assert_eq!(space.keyword(), word);
        }
        for (word, linkage) in LINKAGES {
            assert_eq!(Linkage::from_keyword(word), Some(linkage));
            assert_eq!(linkage.keyword(), word);
        }
    }
}
