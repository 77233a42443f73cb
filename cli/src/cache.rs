//! The user's cache folder, for files that programs can make again (XDG Base Directory
//! Specification).

use std::env;
use std::path::PathBuf;

/// The user's cache folder; `None` where the user has no home.
pub(crate) fn user_cache() -> Option<PathBuf> {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| env::home_dir().map(|home| home.join(".cache")))
}
