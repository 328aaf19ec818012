//! The words for what is wrong with one field of a request.

use stakeboard_engine::Game;

use crate::i18n::{Language, game_name, games};

/// The rule that a field breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldRule {
    /// There is no such field.
    Unknown,
    /// The field is required.
    Missing,
    /// The field is given twice.
    Repeated,
    /// Another type of value is needed: a short name of the type, as in JSON.
    WrongType,
    /// A number from the first to the second.
    OutOfRange(i64, i64),
    /// A number up to this either way, but zero.
    Zero(i64),
    /// A multiple of this.
    OffGrid(i64),
    /// A text of this many characters, from the first to the second.
    Length(usize, usize),
    /// One of these.
    NotOneOf(Vec<String>),
    /// Not of the documented form, said in a few words of each language: Portuguese, English.
    Malformed(&'static str, &'static str),
    /// Can't be given together with the other field.
    Excludes(&'static str),
    /// A name that only the service itself may have.
    Reserved,
    /// A text that is no move of this game in any position.
    NoMove(Game),
    /// No options of this game.
    NoOptions(Game),
}

impl FieldRule {
    /// The stable code of the rule.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown_field",
            Self::Missing => "missing_field",
            Self::Repeated => "repeated_field",
            Self::WrongType => "wrong_type",
            Self::OutOfRange(..) | Self::Zero(_) => "out_of_range",
            Self::OffGrid(_) => "off_grid",
            Self::Length(..) => "length",
            Self::NotOneOf(_) => "not_one_of",
            Self::Malformed(..) => "malformed",
            Self::Excludes(_) => "excludes",
            Self::Reserved => "reserved",
            Self::NoMove(_) | Self::NoOptions(_) => "unreadable",
        }
    }

    /// One sentence that says the rule.
    pub fn detail(&self, language: Language) -> String {
        match language {
            Language::Portuguese => self.portuguese(),
            Language::English => self.english(),
        }
    }

    fn portuguese(&self) -> String {
        match self {
            Self::Unknown => "Este campo não existe aqui.".into(),
            Self::Missing => "Este campo é obrigatório.".into(),
            Self::Repeated => "Este campo aparece duas vezes.".into(),
            Self::WrongType => "O tipo do valor não é o documentado.".into(),
            Self::OutOfRange(from, to) => format!("Um número inteiro de {from} a {to}."),
            Self::Zero(most) => format!("Um número inteiro de -{most} a {most}, exceto zero."),
            Self::OffGrid(grid) => format!("Um múltiplo de {grid}."),
            Self::Length(from, to) => format!("De {from} a {to} caracteres."),
            Self::NotOneOf(allowed) => format!("Um destes: {}.", allowed.join(", ")),
            Self::Malformed(expected, _) => format!("Esperado: {expected}."),
            Self::Excludes(other) => format!("Não pode ser usado junto com {other}."),
            Self::Reserved => "Este nome é reservado ao próprio serviço.".into(),
            Self::NoMove(game) => {
                let form = games::move_form(*game, Language::Portuguese);
                format!("Isto não é um lance de {}: {form}.", game_name(*game, Language::Portuguese))
            }
            Self::NoOptions(game) => match options(*game) {
                None => format!("{} não tem opções.", game_name(*game, Language::Portuguese)),
                Some(all) => format!("As opções de {} são {all}.", game_name(*game, Language::Portuguese)),
            },
        }
    }

    fn english(&self) -> String {
        match self {
            Self::Unknown => "There is no such field here.".into(),
            Self::Missing => "This field is required.".into(),
            Self::Repeated => "This field is given twice.".into(),
            Self::WrongType => "The value is not of the documented type.".into(),
            Self::OutOfRange(from, to) => format!("A whole number from {from} to {to}."),
            Self::Zero(most) => format!("A whole number from -{most} to {most}, but not 0."),
            Self::OffGrid(grid) => format!("A multiple of {grid}."),
            Self::Length(from, to) => format!("From {from} to {to} characters."),
            Self::NotOneOf(allowed) => format!("One of: {}.", allowed.join(", ")),
            Self::Malformed(_, expected) => format!("Expected: {expected}."),
            Self::Excludes(other) => format!("Can't be used together with {other}."),
            Self::Reserved => "This name is kept for the service itself.".into(),
            Self::NoMove(game) => {
                let form = games::move_form(*game, Language::English);
                format!("This is no move of {}: {form}.", game_name(*game, Language::English))
            }
            Self::NoOptions(game) => match options(*game) {
                None => format!("{} has no options.", game_name(*game, Language::English)),
                Some(all) => format!("The options of {} are {all}.", game_name(*game, Language::English)),
            },
        }
    }
}

/// Every option of a game with its values; nothing where it has none.
fn options(game: Game) -> Option<String> {
    let all: Vec<String> =
        game.options().iter().map(|option| format!("{} ({})", option.name, option.allowed.join(", "))).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
