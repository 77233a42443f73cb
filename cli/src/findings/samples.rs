//! Findings made by hand, for tests of their texts.

use warpsim::ptx::Space;
use warpsim::report::{Code, Finding, Hazard, Severity, Site, SourcePosition};

/// An access by lane `lane` of block `block`.
pub(crate) fn site(operation: &str, block: u32, lane: u32, source: u32, ptx_line: u32) -> Site {
    Site {
        operation: operation.to_owned(),
        thread: [lane, 0, 0],
        block: [block, 0, 0],
        warp: 0,
        lane,
        ptx_line,
        ptx_file: None,
        source: (source > 0).then(|| SourcePosition {
            file: "src/scan.cu".into(),
            line: source,
            column: 0,
            inlined_at: Vec::new(),
        }),
    }
}

/// The race of the scan: a lane reads what its neighbour writes.
pub(crate) fn race() -> Finding {
    let what = "read-write race on shared memory `data`+0x84, block (0,0,0)".to_owned();
    let mut finding = Finding::new(Severity::Error, Code::Race, what);
    finding.hazard = Some(Hazard::ReadAfterWrite);
    finding.space = Some(Space::Shared);
    finding.address = Some(132);
    finding.object = Some("data".to_owned());
    finding.sites =
        vec![site("ld.shared.u32", 0, 2, 15, 48), site("st.volatile.shared.u32", 0, 1, 14, 41)];
    finding.count = 31;
    finding.notes = vec!["nothing orders these: no __syncwarp() lies between them".to_owned()];
    finding.chain = vec![
        "(1) is in warp 0, and so is (2)".to_owned(),
        "missing: a __syncwarp() after (1) and before (2)".to_owned(),
    ];
    finding.help = Some("put __syncwarp() between (1) and (2)".to_owned());
    finding.replay = Some("adversarial".to_owned());
    finding
}
