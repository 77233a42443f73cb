//! The files for Python programs in the folder of a run. A `sitecustomize` waits for PyTorch, and
//! routes send PyTorch's own operations to its CPU kernels (`cli/src/python`).
//!
//! Only the child's environment names the folder; nothing is written where Python or PyTorch are
//! installed. The compiled routes are kept in the user's cache.

use std::ffi::OsString;
use std::path::Path;

/// The folder in the folder of a run.
pub(super) const PYTHON: &str = "python";

/// The variable that says where Python looks for modules first.
pub(super) const VARIABLE: &str = "PYTHONPATH";

/// Their names and texts.
pub(super) const FILES: [(&str, &str); 11] = [
    ("kernel_tuning.py", include_str!("../../python/kernel_tuning.py")),
    ("sitecustomize.py", include_str!("../../python/sitecustomize.py")),
    ("torch_cuda_only.py", include_str!("../../python/torch_cuda_only.py")),
    ("torch_distributed.py", include_str!("../../python/torch_distributed.py")),
    ("torch_random.h", include_str!("../../python/torch_random.h")),
    ("torch_precision.h", include_str!("../../python/torch_precision.h")),
    ("torch_alerts.h", include_str!("../../python/torch_alerts.h")),
    ("torch_capture.h", include_str!("../../python/torch_capture.h")),
    ("torch_routes.cpp", include_str!("../../python/torch_routes.cpp")),
    ("torch_routes.py", include_str!("../../python/torch_routes.py")),
    ("torch_toolkit.py", include_str!("../../python/torch_toolkit.py")),
];

/// The folder as the first of those in which Python looks.
pub(super) fn path(run: &Path) -> OsString {
    super::child::before(&run.join(PYTHON), VARIABLE)
}
