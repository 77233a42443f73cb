//! Failed calls of the API that the program did not look at, as findings.

use warpsim::report::{Code, Finding};
use warpsim_driver_core::FailedEntry;

/// What makes two calls one: function, error and place of the program.
pub(super) type Alike = (String, String, Option<String>);

pub(super) fn alike(failed: &FailedEntry) -> Alike {
    (failed.function.clone(), failed.error.clone(), failed.site.clone())
}

/// The finding of calls that failed alike.
pub(super) fn finding(failed: FailedEntry) -> Finding {
    let FailedEntry { function, arguments, error, words, reasons, site, count, process: _ } =
        failed;
    let what = format!(
        "{function}({arguments}) failed with {error} ({words}), and the program did not check"
    );
    let mut finding = Finding::of(Code::ApiError, what);
    finding.count = count;
    finding.notes = site.map(|site| format!("called by {site}")).into_iter().collect();
    finding.notes.extend(reasons);
    finding.help = Some(help(&function).to_owned());
    finding.object = Some(function);
    finding
}

fn help(function: &str) -> &'static str {
    match (function.starts_with("cuda"), function.contains("Launch")) {
        (true, true) => "check cudaGetLastError() after each launch",
        (true, false) => "compare the call's result with cudaSuccess",
        (false, _) if function.starts_with("__cuda") => {
            "check cudaGetLastError() after each launch"
        }
        (false, _) => "compare the call's result with CUDA_SUCCESS",
    }
}

/// The file and the line of a place of the program, such as `main at sum.cu:31`.
pub(super) fn file_and_line(site: &str) -> Option<(&str, u32)> {
    let (_, place) = site.rsplit_once(" at ")?;
    let (file, line) = place.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_is_told_with_its_arguments_its_error_its_place_and_why() {
        let failed = FailedEntry {
            process: 1,
            function: "cudaFree".to_owned(),
            arguments: "address=0x20".to_owned(),
            error: "cudaErrorInvalidValue".to_owned(),
            words: "invalid argument".to_owned(),
            reasons: vec!["the memory was freed before".to_owned()],
            site: Some("main at a b.cu:31".to_owned()),
            count: 2,
        };
        assert_eq!(alike(&failed).0, "cudaFree");
        let finding = finding(failed);
        let told = "warning[api-error]: cudaFree(address=0x20) failed with cudaErrorInvalidValue (invalid argument), \
                    and the program did not check\n  = called by main at a b.cu:31\n  = the memory was freed before\n  \
                    = it happened 2 times; this is the first\n  = help: compare the call's result with cudaSuccess";
        assert_eq!(finding.told("").to_string(), told);
        assert_eq!(file_and_line("main at a b.cu:31"), Some(("a b.cu", 31)));
        assert_eq!(file_and_line("main"), None);
    }
}
