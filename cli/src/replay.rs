//! The command line that does the same again, to be pasted into a shell.
//!
//! `--threads` is left out: nothing depends on it, so what is printed must not either.

use crate::output::Output;

/// The command line that is being answered.
pub(crate) fn command_line(output: &Output) -> String {
    let arguments = output.arguments().iter().skip(1);
    from_arguments(arguments.map(|a| a.to_string_lossy().into_owned()))
}

fn from_arguments(arguments: impl Iterator<Item = String>) -> String {
    let mut text = "warpsim".to_owned();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        if argument == "--threads" {
            arguments.next();
        } else if !argument.starts_with("--threads=") {
            text.push(' ');
            text += &quoted(&argument);
        }
    }
    text
}

/// An argument as a POSIX shell reads it.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::from_arguments;

    #[test]
    fn arguments_are_quoted_for_a_shell_and_threads_left_out() {
        let line =
            ["run", "a b.ptx", "--arg", "s32[4]=iota", "--threads", "4", "--threads=2", "it's"];
        assert_eq!(
            from_arguments(line.into_iter().map(str::to_owned)),
            r"warpsim run 'a b.ptx' --arg 's32[4]=iota' 'it'\''s'"
        );
    }
}
