//! A person's whole session: first the commands of files, then what the person types.

use super::console::Console;
use crate::stops::SessionEnd;

/// The person: where lines come from, and where answers go.
pub trait Person {
    /// Why a line could not be read or an answer not given.
    type Error;

    /// Whether the person types, and so sees each answer before the next line.
    fn types(&self) -> bool;

    /// The next line; `None` when there are no more.
    ///
    /// # Errors
    /// It cannot be read.
    fn line(&mut self) -> Result<Option<String>, Self::Error>;

    /// Shows an answer.
    ///
    /// # Errors
    /// It cannot be written.
    fn answer(&mut self, text: &str) -> Result<(), Self::Error>;

    /// Shows what was not understood, or could not be done.
    ///
    /// # Errors
    /// It cannot be written.
    fn mistake(&mut self, text: &str) -> Result<(), Self::Error>;
}

/// How a session ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversation {
    /// How the person left; `None` when there were no more lines.
    pub end: Option<SessionEnd>,
    /// A line that nobody typed was not understood: a file or a pipe is wrong.
    pub misunderstood: bool,
}

impl Console<'_> {
    /// Carries out the commands of files, then the person's lines. Each command of a file is shown
    /// before its answer. Where nobody types, the commands of files are the whole session. An empty
    /// line that a person types repeats the last command.
    ///
    /// # Errors
    /// The person's.
    pub fn converse<P: Person>(
        &mut self,
        commands: &[String],
        person: &mut P,
    ) -> Result<Conversation, P::Error> {
        let mut conversation = Conversation::default();
        for line in commands {
            person.answer(&format!("(warpsim) {line}"))?;
            self.exchange(line, false, &mut conversation, person)?;
            if conversation.end.is_some() {
                return Ok(conversation);
            }
        }
        if !commands.is_empty() && !person.types() {
            return Ok(conversation);
        }
        while conversation.end.is_none()
            && let Some(line) = person.line()?
        {
            let is_typed = person.types();
            self.exchange(&line, is_typed, &mut conversation, person)?;
        }
        Ok(conversation)
    }

    fn exchange<P: Person>(
        &mut self,
        line: &str,
        is_typed: bool,
        conversation: &mut Conversation,
        person: &mut P,
    ) -> Result<(), P::Error> {
        let said = match line.trim().is_empty() && is_typed {
            true => self.repeat(),
            false => self.execute(line),
        };
        if !said.text.is_empty() {
            person.answer(&said.text)?;
        }
        if let Some(error) = said.error {
            conversation.misunderstood |= !is_typed;
            person.mistake(&format!("error: {error}"))?;
        }
        conversation.end = said.end;
        Ok(())
    }
}
