//! `--allow CODE[:FILE:LINE]`: findings that the user has examined and accepts.

use warpsim::report::{Code, Finding, Site, UnknownCode};

use crate::explanation::unknown;

/// A kind of finding that is fine, everywhere or at one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allowed {
    code: Code,
    line: Option<(String, u32)>,
}

impl Allowed {
    /// Reads `CODE` or `CODE:FILE:LINE`.
    pub(crate) fn parse(text: &str) -> Result<Allowed, String> {
        let (name, place) = match text.split_once(':') {
            Some((name, place)) => (name, Some(place)),
            None => (text, None),
        };
        let code = name.parse().map_err(|error: UnknownCode| unknown(&error))?;
        let line = place.map(file_and_line).transpose()?;
        Ok(Allowed { code, line })
    }

    /// Whether it speaks of this finding, in the PTX file of this name.
    pub(crate) fn covers(&self, finding: &Finding, ptx_file: &str) -> bool {
        if self.code != finding.code {
            return false;
        }
        let Some((file, line)) = &self.line else { return true };
        finding.sites.iter().any(|site| is_at(site, ptx_file, file, *line))
    }

    /// Whether it speaks of a finding of this kind about a call of the host from this line.
    pub(crate) fn covers_call(&self, code: Code, place: Option<(&str, u32)>) -> bool {
        let is_there = |(file, line): &(String, u32)| {
            place.is_some_and(|(of, at)| at == *line && is_named(of, file))
        };
        self.code == code && self.line.as_ref().is_none_or(is_there)
    }
}

fn file_and_line(place: &str) -> Result<(String, u32), String> {
    let wanted = || {
        format!(
            "`{place}` is not FILE:LINE with a line of the source or of the PTX, such as scan.cu:15"
        )
    };
    let (file, line) = place.rsplit_once(':').ok_or_else(wanted)?;
    let line = line.parse().ok().filter(|line| *line > 0).ok_or_else(wanted)?;
    if file.is_empty() {
        return Err(wanted());
    }
    Ok((file.to_owned(), line))
}

/// Whether an access is at this line, be it of the PTX, of the source, or of a call that the source
/// was inlined into.
fn is_at(site: &Site, ptx_file: &str, file: &str, line: u32) -> bool {
    let in_source = site.source.iter().any(|source| {
        let places = std::iter::once((&source.file, source.line))
            .chain(source.inlined_at.iter().map(|call| (&call.file, call.line)));
        places.into_iter().any(|(of, at)| at == line && is_named(of, file))
    });
    let ptx_file = site.ptx_file.as_deref().unwrap_or(ptx_file);
    in_source || (site.ptx_line == line && is_named(ptx_file, file))
}

/// Whether two paths can mean one file: one of them ends with all of the other. A compiler names
/// files as it found them, a person as they are found from here.
fn is_named(path: &str, name: &str) -> bool {
    let name = name.strip_prefix("./").unwrap_or(name);
    let ends_with = |longer: &str, shorter: &str| {
        let rest = longer.strip_suffix(shorter);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
    };
    ends_with(path, name) || ends_with(name, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::samples::race;

    #[test]
    fn a_call_of_the_host_is_allowed_by_its_line() {
        let allowed = Allowed::parse("api-error:fill.cu:11").unwrap();
        let place = Some(("/src/fill.cu", 11));
        assert!(allowed.covers_call(Code::ApiError, place));
        assert!(!allowed.covers_call(Code::ApiError, Some(("/src/fill.cu", 12))));
        assert!(!allowed.covers_call(Code::ApiError, None));
        assert!(!allowed.covers_call(Code::Race, place));
        assert!(Allowed::parse("api-error").unwrap().covers_call(Code::ApiError, None));
    }

    #[test]
    fn a_kind_is_allowed_everywhere_or_at_the_line_of_any_access() {
        let covers = |text: &str| Allowed::parse(text).unwrap().covers(&race(), "tests/scan.ptx");
        for text in [
            "race",
            "race:scan.cu:15",
            "race:scan.cu:14",
            "race:src/scan.cu:14",
            "race:project/src/scan.cu:14",
            "race:scan.ptx:48",
            "race:./tests/scan.ptx:41",
        ] {
            assert!(covers(text), "{text}");
        }
        for text in [
            "unordered",
            "race:scan.cu:16",
            "race:can.cu:15",
            "race:other/scan.cu:15",
            "race:scan.ptx:15",
        ] {
            assert!(!covers(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_kind_and_no_line_is_refused() {
        for text in ["", "races", "race:", "race:scan.cu", "race:scan.cu:0", "race::15", "race:a:b"]
        {
            assert!(Allowed::parse(text).is_err(), "{text}");
        }
    }
}
