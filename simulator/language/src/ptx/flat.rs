//! Source positions for serde: a list of places, the position's own first, then the calls into
//! which it was inlined. They are kept and written flat, so that input cannot nest without end.

use serde::{Deserialize, Serialize};

use super::{MAX_CHAIN, SourcePosition};

/// Of each place the file, the line and the column.
#[derive(Deserialize, Serialize)]
pub(super) struct Places(Vec<(String, u32, u32)>);

impl From<SourcePosition> for Places {
    fn from(position: SourcePosition) -> Places {
        let place = |p: &SourcePosition| (p.file.to_string(), p.line, p.column);
        Places(std::iter::once(&position).chain(&position.inlined_at).map(place).collect())
    }
}

impl TryFrom<Places> for SourcePosition {
    type Error = &'static str;

    fn try_from(Places(places): Places) -> Result<SourcePosition, &'static str> {
        if places.len() > 1 + MAX_CHAIN {
            return Err("a source position has too many calls");
        }
        let place = |(file, line, column): (String, u32, u32)| SourcePosition {
            file: file.into(),
            line,
            column,
            inlined_at: Vec::new(),
        };
        let mut places = places.into_iter().map(place);
        let position = places.next().ok_or("a source position has no place")?;
        Ok(SourcePosition { inlined_at: places.collect(), ..position })
    }
}
