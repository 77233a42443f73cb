//! Files, read and written whole. Every file that warpsim writes for a user goes through
//! [`write()`].
//!
//! The reader bounds what it reads, and reads from a regular file or a pipe: a device such as
//! `/dev/zero` has no end. A written file appears under its name when it is complete. It is written
//! beside and renamed, so a full disk, or an end in the middle, leaves the earlier file.

use std::fmt;
use std::fs::{self, File, FileType, Metadata};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

pub use tempfile::TempDir;

/// Why a file cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The system's answer.
    System(io::Error),
    /// It is neither a regular file nor a pipe.
    NotAFile {
        /// What it is: `a directory`.
        what: &'static str,
    },
    /// It has more bytes than may be read.
    TooLong {
        /// The limit.
        most: u64,
        /// How many it has, if known without reading.
        found: Option<u64>,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::System(error) => f.write_str(&in_words(error)),
            ReadError::NotAFile { what } => write!(f, "this is {what}, not a file"),
            ReadError::TooLong { most, found: Some(found) } => {
                write!(f, "it has {found} bytes, and at most {most} are read")
            }
            ReadError::TooLong { most, found: None } => {
                write!(f, "it has more than the {most} bytes that are read")
            }
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        ReadError::System(error)
    }
}

/// What the system says, without its number where it is of a common kind.
pub fn in_words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// The bytes of a regular file or a pipe, at most `most`. No more than one byte beyond that is
/// read.
///
/// ```
/// use warpsim_files::ReadError;
/// let endless = warpsim_files::read(std::path::Path::new("/dev/zero"), 64);
/// assert!(matches!(endless, Err(ReadError::NotAFile { .. } | ReadError::System(_))));
/// ```
///
/// # Errors
/// It cannot be read, is something else, or is longer.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    // Before it is opened, which alone can wait for ever, or ring a bell.
    check(&fs::metadata(path)?, most)?;
    let file = File::open(path)?;
    check(&file.metadata()?, most)?;
    read_from(file, most)
}

/// The bytes of a stream, at most `most`; see [`read`].
///
/// # Errors
/// It cannot be read, or is longer.
pub fn read_from(from: impl Read, most: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) {
        return Ok(bytes);
    }
    Err(ReadError::TooLong { most, found: None })
}

/// That something can be read, as far as that is known before.
fn check(metadata: &Metadata, most: u64) -> Result<(), ReadError> {
    match unlike_a_file(metadata.file_type()) {
        Some(what) => Err(ReadError::NotAFile { what }),
        // The length of a pipe is not known, and said to be 0.
        None if metadata.len() > most => {
            Err(ReadError::TooLong { most, found: Some(metadata.len()) })
        }
        None => Ok(()),
    }
}

/// What it is, where it is neither a regular file nor a pipe.
fn unlike_a_file(ty: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if ty.is_fifo() {
            return None;
        }
        if ty.is_char_device() || ty.is_block_device() {
            return Some("a device");
        }
        if ty.is_socket() {
            return Some("a socket");
        }
    }
    match (ty.is_file(), ty.is_dir()) {
        (true, _) => None,
        (false, true) => Some("a directory"),
        (false, false) => Some("something else"),
    }
}

/// Writes a file, in the place of one that is there: all of it or, where `contents` or the system
/// fails, nothing. What has another kind, such as `/dev/stdout` or a pipe, is written to as it is.
///
/// # Errors
/// What `contents` says, or the system.
pub fn write<E: From<io::Error>>(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let there = fs::metadata(path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        let mut stream = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
        contents(&mut stream)?;
        return Ok(stream.flush()?);
    }
    // A link stays a link: what it leads to is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut beside = beside(path)?;
    let mut stream = BufWriter::new(beside.as_file_mut());
    contents(&mut stream)?;
    stream.flush()?;
    drop(stream);
    if let Some(there) = there {
        beside.as_file().set_permissions(there.permissions())?;
    }
    beside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Whether [`write()`] can write here, asked before the work whose result will be written. Nothing
/// is changed, and what has another kind than a file is not opened: who reads from a pipe would see
/// its end.
///
/// # Errors
/// What the system says of it now.
///
/// ```
/// let folder = warpsim_files::private_folder("warpsim-doc-")?;
/// assert!(warpsim_files::can_write(&folder.path().join("new")).is_ok());
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
/// assert!(warpsim_files::can_write(&folder.path().join("none/new")).is_err());
/// assert!(warpsim_files::can_write(folder.path()).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn can_write(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Ok(()),
        Ok(_) | Err(_) => {
            let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            beside(path).map(|_| ())
        }
    }
}

/// A file in the folder of another one, which is gone when it is dropped.
fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::metadata(folder)?;
    // The error would name the temporary file beside it, which the user does not know.
    temporary().tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))
}

/// A temporary folder that nobody but the user can look into or write to, whatever the umask is:
/// programs and libraries are loaded from such folders. It is gone when the value is dropped.
///
/// # Errors
/// What the system says.
pub fn private_folder(prefix: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

/// How the file beside is made: readable and writable as the user's other files.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warpsim-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn half(to: &mut dyn Write) -> io::Result<()> {
        // More than any buffer in between keeps.
        to.write_all(&vec![b'x'; 1 << 20])?;
        Err(io::Error::other("the disk is full"))
    }

    #[test]
    fn what_is_not_written_to_its_end_leaves_what_was_there_and_nothing_beside() -> Outcome {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("out");
        assert_eq!(write(&path, half).map_err(|e| e.to_string()), Err("the disk is full".into()));
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        write(&path, |to| to.write_all(b"before"))?;
        assert!(write(&path, half).is_err());
        assert_eq!(fs::read(&path)?, b"before");
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);
        write(&path, |to| to.write_all(b"after"))?;
        assert_eq!(fs::read(&path)?, b"after");
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_the_permissions_of_a_file_stay() -> Outcome {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir()?;
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        write(&file, |to| to.write_all(b"1"))?;
        let usual = folder.path().join("usual");
        fs::write(&usual, "")?;
        let mode = |path: &Path| fs::metadata(path).map(|m| m.permissions().mode() & 0o777);
        assert_eq!(mode(&file)?, mode(&usual)?);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640))?;
        symlink(&file, &link)?;
        write(&link, |to| to.write_all(b"2"))?;
        assert_eq!((fs::read(&file)?.as_slice(), mode(&file)?), (b"2".as_slice(), 0o640));
        assert!(fs::symlink_metadata(&link)?.is_symlink());
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_private_folder_is_nobody_elses() -> Outcome {
        use std::os::unix::fs::PermissionsExt;

        let folder = private_folder("warpsim-test-")?;
        assert_eq!(fs::metadata(folder.path())?.permissions().mode() & 0o777, 0o700);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn no_more_is_read_than_was_asked_for() -> Outcome {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("eight");
        fs::write(&path, [7; 8])?;
        assert_eq!(read(&path, 8)?, [7; 8]);
        let longer = read(&path, 7);
        assert!(matches!(longer, Err(ReadError::TooLong { most: 7, found: Some(8) })));
        let endless = read_from(io::repeat(0), 100);
        assert!(matches!(endless, Err(ReadError::TooLong { most: 100, found: None })));
        let device = read(Path::new("/dev/zero"), 8);
        assert!(matches!(device, Err(ReadError::NotAFile { what: "a device" })));
        assert!(matches!(read(folder.path(), 8), Err(ReadError::NotAFile { what: "a directory" })));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() -> Outcome {
        write(Path::new("/dev/null"), |to| to.write_all(b"gone"))?;
        assert!(!fs::metadata("/dev/null")?.is_file());
        Ok(())
    }
}
