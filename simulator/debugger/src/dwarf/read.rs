//! Sections as entries: all units in one pass. [`super::build`] makes scopes and types of them.
//!
//! The pass ends with the bytes of the sections, so wrong bytes give an error or wrong names, but
//! no endless loop. Lists that many entries share are read up to a total length.

use std::collections::HashMap;
use std::ops::Range;

use gimli::{
    AttributeValue, DebugAbbrev, DebugAddr, DebugAddrBase, DebugInfo as Units, DebugLoc,
    DebugLocLists, DebugRanges, DebugRngLists, DebugStr, DebuggingInformationEntry, EndianSlice,
    LittleEndian, LocationLists, Operation, RangeLists, RangeListsOffset, UnitHeader,
};

use super::model::Locations;
use super::sections::Sections;

type Slice<'s> = EndianSlice<'s, LittleEndian>;
type Entry<'s> = DebuggingInformationEntry<Slice<'s>>;

/// The most entries that are read.
const MOST_ENTRIES: usize = 1 << 22;
/// The most parts of lists that are read.
const MOST_PARTS: usize = 1 << 20;

/// An entry, with its attributes of interest. It refers to other entries by their places in the
/// section.
pub(super) struct Raw {
    pub(super) tag: gimli::DwTag,
    /// The index of the entry that it is in.
    pub(super) parent: Option<usize>,
    pub(super) name: Option<String>,
    pub(super) ty: Option<usize>,
    /// The entry that says the rest.
    pub(super) origin: Option<usize>,
    pub(super) bytes: Option<u64>,
    pub(super) encoding: Option<gimli::DwAte>,
    pub(super) space: Option<u64>,
    pub(super) count: Option<u64>,
    /// The place of a member.
    pub(super) offset: u64,
    /// The bits of a bit field, and the first of them from the lowest.
    pub(super) bits: Option<(u64, u64)>,
    pub(super) value: Option<i64>,
    pub(super) ranges: Option<Vec<Range<u64>>>,
    pub(super) locations: Locations,
}

/// The sections, as `gimli` reads them.
struct Reader<'s> {
    units: Units<Slice<'s>>,
    abbreviations: DebugAbbrev<Slice<'s>>,
    strings: DebugStr<Slice<'s>>,
    locations: LocationLists<Slice<'s>>,
    ranges: RangeLists<Slice<'s>>,
    /// Parts of lists that may still be read.
    left: usize,
}

/// What the attributes of a unit's entries are relative to.
struct Unit<'s> {
    header: UnitHeader<Slice<'s>>,
    start: usize,
    base: u64,
}

/// All entries of sections.
pub(super) struct Entries {
    pub(super) raws: Vec<Raw>,
    /// The index of the entry at a place in the section.
    pub(super) places: HashMap<usize, usize>,
    pub(super) address_bytes: u8,
}

/// Reads the entries.
pub(super) fn entries(sections: &Sections) -> Result<Entries, gimli::Error> {
    let mut reader = Reader::new(sections);
    let mut raws: Vec<Raw> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut units = reader.units.units();
    let mut address_bytes = 8;
    while let Some(header) = units.next()? {
        address_bytes = header.address_size();
        let known = header.abbreviations(&reader.abbreviations)?;
        let start = header.debug_info_offset().map_or(0, |offset| offset.0);
        let mut unit = Unit { header, start, base: 0 };
        let mut entries = header.entries(&known);
        let mut parents: Vec<usize> = Vec::new();
        while let Some(entry) = entries.next_dfs()?
            && raws.len() < MOST_ENTRIES
        {
            parents.truncate(usize::try_from(entry.depth()).unwrap_or(0));
            if parents.is_empty() {
                unit.base = address(entry, gimli::DW_AT_low_pc).unwrap_or(0);
            }
            let raw = reader.raw(entry, &unit, parents.last().copied())?;
            places.insert(start + entry.offset().0, raws.len());
            parents.push(raws.len());
            raws.push(raw);
        }
    }
    Ok(Entries { raws, places, address_bytes })
}

impl<'s> Reader<'s> {
    fn new(sections: &'s Sections) -> Reader<'s> {
        let named = |name| sections.named(name);
        Reader {
            units: Units::new(named(".debug_info"), LittleEndian),
            abbreviations: DebugAbbrev::new(named(".debug_abbrev"), LittleEndian),
            strings: DebugStr::new(named(".debug_str"), LittleEndian),
            locations: LocationLists::new(
                DebugLoc::new(named(".debug_loc"), LittleEndian),
                DebugLocLists::new(named(".debug_loclists"), LittleEndian),
            ),
            ranges: RangeLists::new(
                DebugRanges::new(named(".debug_ranges"), LittleEndian),
                DebugRngLists::new(named(".debug_rnglists"), LittleEndian),
            ),
            left: MOST_PARTS,
        }
    }

    fn raw(
        &mut self,
        entry: &Entry<'s>,
        unit: &Unit<'s>,
        parent: Option<usize>,
    ) -> Result<Raw, gimli::Error> {
        let number = |name| entry.attr_value(name).and_then(|value| value.udata_value());
        let name = entry.attr_value(gimli::DW_AT_name);
        let name = name.and_then(|value| value.string_value(&self.strings));
        let refers = |name| entry.attr_value(name).and_then(|value| place(&value, unit.start));
        let origin = refers(gimli::DW_AT_abstract_origin);
        // An upper bound is one less than the count; the bound of an empty array is below 0.
        let bound = entry.attr(gimli::DW_AT_upper_bound).and_then(|bound| bound.sdata_value());
        let bound = bound.and_then(|bound| u64::try_from(i128::from(bound) + 1).ok());
        Ok(Raw {
            tag: entry.tag(),
            parent,
            name: name.map(|name| String::from_utf8_lossy(name.slice()).into_owned()),
            ty: refers(gimli::DW_AT_type),
            origin: origin.or_else(|| refers(gimli::DW_AT_specification)),
            bytes: number(gimli::DW_AT_byte_size),
            encoding: match entry.attr_value(gimli::DW_AT_encoding) {
                Some(AttributeValue::Encoding(encoding)) => Some(encoding),
                Some(_) | None => None,
            },
            space: match entry.attr_value(gimli::DW_AT_address_class) {
                Some(AttributeValue::AddressClass(class)) => Some(class.0),
                other => other.and_then(|value| value.udata_value()),
            },
            count: number(gimli::DW_AT_count).or(bound),
            offset: member_offset(entry, unit).unwrap_or(0),
            bits: bit_field(entry),
            value: entry.attr(gimli::DW_AT_const_value).and_then(|value| value.sdata_value()),
            ranges: self.ranges_of(entry, unit)?,
            locations: self.locations_of(entry, unit)?,
        })
    }

    /// The addresses of an entry's instructions.
    fn ranges_of(
        &mut self,
        entry: &Entry<'s>,
        unit: &Unit<'s>,
    ) -> Result<Option<Vec<Range<u64>>>, gimli::Error> {
        if let Some(low) = address(entry, gimli::DW_AT_low_pc) {
            let high = match entry.attr_value(gimli::DW_AT_high_pc) {
                Some(AttributeValue::Addr(high)) => high,
                Some(size) => low.saturating_add(size.udata_value().unwrap_or(0)),
                None => low.saturating_add(1),
            };
            return Ok(Some(std::iter::once(low..high).collect()));
        }
        let Some(AttributeValue::RangeListsRef(offset)) = entry.attr_value(gimli::DW_AT_ranges)
        else {
            return Ok(None);
        };
        let addresses = DebugAddr::from(Slice::new(&[], LittleEndian));
        let mut list = self.ranges.ranges(
            RangeListsOffset(offset.0),
            unit.header.encoding(),
            unit.base,
            &addresses,
            DebugAddrBase(0),
        )?;
        let mut ranges = Vec::new();
        while let Some(range) = list.next()?
            && self.takes_part()
        {
            ranges.push(range.begin..range.end);
        }
        Ok(Some(ranges))
    }

    fn locations_of(
        &mut self,
        entry: &Entry<'s>,
        unit: &Unit<'s>,
    ) -> Result<Locations, gimli::Error> {
        let location = entry.attr_value(gimli::DW_AT_location);
        let constant = || {
            let value = entry.attr(gimli::DW_AT_const_value);
            let value = value.and_then(|v| v.sdata_value().or(v.udata_value().map(|u| u as i64)));
            value.map_or(Locations::Nowhere, |value| Locations::Constant(value as u64))
        };
        let Some(location) = location else { return Ok(constant()) };
        if let Some(expression) = location.exprloc_value() {
            return Ok(match expression.0.is_empty() {
                true => Locations::Nowhere,
                false => Locations::Always(expression.0.slice().to_vec()),
            });
        }
        let AttributeValue::LocationListsRef(offset) = location else { return Ok(constant()) };
        let addresses = DebugAddr::from(Slice::new(&[], LittleEndian));
        let (encoding, base) = (unit.header.encoding(), unit.base);
        let mut list =
            self.locations.locations(offset, encoding, base, &addresses, DebugAddrBase(0))?;
        let mut parts = Vec::new();
        while let Some(part) = list.next()?
            && self.takes_part()
        {
            parts.push((part.range.begin..part.range.end, part.data.0.slice().to_vec()));
        }
        Ok(Locations::Some(parts))
    }

    /// Counts a part of a list; `false` when there were too many.
    fn takes_part(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

fn address(entry: &Entry<'_>, name: gimli::DwAt) -> Option<u64> {
    match entry.attr_value(name)? {
        AttributeValue::Addr(address) => Some(address),
        _ => None,
    }
}

/// The place in the section that an attribute refers to.
fn place(value: &AttributeValue<Slice<'_>>, unit: usize) -> Option<usize> {
    match value {
        AttributeValue::UnitRef(offset) => unit.checked_add(offset.0),
        AttributeValue::DebugInfoRef(offset) => Some(offset.0),
        _ => None,
    }
}

/// Where a member begins: a number, or an expression that adds it.
fn member_offset(entry: &Entry<'_>, unit: &Unit<'_>) -> Option<u64> {
    let value = entry.attr_value(gimli::DW_AT_data_member_location)?;
    match value.exprloc_value() {
        Some(mut expression) => {
            match Operation::parse(&mut expression.0, unit.header.encoding()).ok()? {
                Operation::PlusConstant { value } | Operation::UnsignedConstant { value } => {
                    Some(value)
                }
                _ => None,
            }
        }
        None => value.udata_value(),
    }
}

/// The first bit of a bit field, from the lowest of the member's first byte, and how many it has.
fn bit_field(entry: &Entry<'_>) -> Option<(u64, u64)> {
    let number = |name| entry.attr_value(name).and_then(|value| value.udata_value());
    let size = number(gimli::DW_AT_bit_size)?;
    if let Some(first) = number(gimli::DW_AT_data_bit_offset) {
        return Some((first, size));
    }
    // Before DWARF 4, bits are counted from the highest of the member's bytes.
    let all = number(gimli::DW_AT_byte_size)?.checked_mul(8)?;
    let before = number(gimli::DW_AT_bit_offset)?;
    Some((all.checked_sub(before)?.checked_sub(size)?, size))
}
