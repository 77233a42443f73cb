//! Names of kernels, those of C++ among them.
//!
//! A compiler writes `scan(int*)` as `_Z4scanPi`, and what stands in the PTX is that. `--kernel`
//! takes the name as it stands there, or as it is in the source: with its namespace and template
//! arguments (`sums::scan<int>`), without either of them, or bare (`scan`), as long as only one
//! kernel has that name.

use cpp_demangle::{DemangleOptions, Symbol};

use crate::failure::Failure;

/// Names that a message lists; a generated module may have thousands.
const LISTED: usize = 20;

/// The name in the module of what is called so; the name itself where nothing is.
pub(crate) fn find(wanted: &str, names: &[&str]) -> Result<String, Failure> {
    if names.contains(&wanted) {
        return Ok(wanted.to_owned());
    }
    let forms: [fn(&str) -> Option<String>; 4] =
        [in_source, without_namespace, without_arguments, bare];
    for form in forms {
        let is_called_so = |name: &&&str| form(name).is_some_and(|n| n == spaced(wanted));
        let found: Vec<&str> = names.iter().filter(is_called_so).copied().collect();
        match found.as_slice() {
            [] => {}
            [only] => return Ok((*only).to_owned()),
            several => {
                return Err(Failure::usage_with_help(
                    format!("several kernels are called `{wanted}`: {}", list(several)),
                    "give the whole name, with its namespace and template arguments",
                ));
            }
        }
    }
    Ok(wanted.to_owned())
}

/// Names with commas between them, those of C++ with what they are in the source.
pub(crate) fn list(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED).map(|name| match in_source(name) {
        Some(source) => format!("{source} ({name})"),
        None => (*name).to_owned(),
    });
    let listed = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed}, and {more} more"),
    }
}

/// `sums::scan<int>` for a name of C++.
fn in_source(name: &str) -> Option<String> {
    let symbol = Symbol::new(name.strip_prefix("_Z").map(|_| name)?).ok()?;
    let options = DemangleOptions::new().no_params().no_return_type();
    symbol.demangle_with_options(&options).ok().map(|name| spaced(&name))
}

/// Without what blanks the writer has left: `scan<int, 4>` and `scan<int,4>` are one name.
fn spaced(name: &str) -> String {
    name.replace(' ', "")
}

/// `scan<int>`.
fn without_namespace(name: &str) -> Option<String> {
    let name = in_source(name)?;
    let arguments = name.find('<').unwrap_or(name.len());
    let own = name.get(..arguments)?.rfind("::").map_or(0, |at| at + 2);
    name.get(own..).map(str::to_owned)
}

/// `sums::scan`.
fn without_arguments(name: &str) -> Option<String> {
    let name = in_source(name)?;
    name.split('<').next().map(str::to_owned)
}

/// `scan`.
fn bare(name: &str) -> Option<String> {
    without_arguments(name)?.rsplit("::").next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NVRTC and `c++filt` have them.
    const NAMES: [&str; 6] = [
        "plain",
        "_Z4scanPi",
        "_ZN4sums4foldIiLi32EEEvPT_",
        "_ZN4sums4foldIfLi32EEEvPT_",
        "_ZN5other4scanEPf",
        "_ZN4sums5totalIxN3ops3SumEEEvPKT_PS3_T0_",
    ];

    fn found(wanted: &str) -> Result<String, String> {
        find(wanted, &NAMES).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_kernel_is_found_by_the_name_in_the_ptx_and_by_that_in_the_source() {
        for (wanted, name) in [
            ("plain", "plain"),
            ("_Z4scanPi", "_Z4scanPi"),
            ("scan", "_Z4scanPi"),
            ("other::scan", "_ZN5other4scanEPf"),
            ("sums::fold<float, 32>", "_ZN4sums4foldIfLi32EEEvPT_"),
            ("sums::fold<int,32>", "_ZN4sums4foldIiLi32EEEvPT_"),
            ("fold<int, 32>", "_ZN4sums4foldIiLi32EEEvPT_"),
            ("sums::total<long long, ops::Sum>", "_ZN4sums5totalIxN3ops3SumEEEvPKT_PS3_T0_"),
            ("total<long long,ops::Sum>", "_ZN4sums5totalIxN3ops3SumEEEvPKT_PS3_T0_"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(found(wanted).as_deref(), Ok(name), "{wanted}");
        }
    }

    #[test]
    fn a_name_that_several_kernels_have_is_an_error_that_lists_them() {
        let error = found("fold").unwrap_err();
        assert!(error.contains("sums::fold<int,32> (_ZN4sums4foldIiLi32EEEvPT_)"), "{error}");
        assert!(error.contains("sums::fold<float,32>"), "{error}");
    }

    #[test]
    fn a_list_of_very_many_names_says_how_many_it_leaves_out() {
        let names: Vec<String> = (0..2000).map(|i| format!("k{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let listed = list(&names);
        assert!(listed.starts_with("k0, k1, "), "{listed}");
        assert!(listed.ends_with(", k19, and 1980 more"), "{listed}");
    }
}
