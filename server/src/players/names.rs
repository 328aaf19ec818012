//! Addresses and display names: what is accepted, and when two are the same.

use sqlx::PgPool;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use crate::{db, ids::PlayerId, rng};

/// The longest address that mail can be sent to.
pub const LONGEST_EMAIL: usize = 254;
/// The fewest characters of a display name.
pub const SHORTEST_NAME: usize = 2;
/// The most characters of a display name.
pub const LONGEST_NAME: usize = 40;
/// More marks on one letter than any language needs only serve to write over other lines.
const MARKS_IN_A_ROW: usize = 3;

/// An address of the shape that mail can be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// The address of a text, or `None` where it can't be one. Quoted names and bare host names are not taken;
    /// domains with other letters are written in their ASCII form.
    pub fn parse(text: &str) -> Option<Self> {
        let (local, domain) = text.rsplit_once('@')?;
        (text.len() <= LONGEST_EMAIL && is_local_part(local) && is_domain(domain)).then(|| Self(text.to_owned()))
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What must be unique.
    pub fn key(&self) -> String {
        email_key(&self.0)
    }
}

/// What an address is looked up by, whether or not it is one.
pub fn email_key(text: &str) -> String {
    text.to_ascii_lowercase()
}

fn is_local_part(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    text.len() <= 64 && text.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(allowed))
}

fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.contains('.') && text.split('.').all(is_label)
}

/// A name as others see it, in the composed form of Unicode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayName(String);

/// Why a text is not a display name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// Not from [`SHORTEST_NAME`] to [`LONGEST_NAME`] characters.
    Length,
    /// A space at an end, or two in a row.
    Spaces,
    /// A character that can't be seen, turns the direction of writing, or means nothing.
    Character,
    /// Too many marks on one letter, or a mark on none.
    Marks,
    /// Neither a letter nor a digit.
    Nothing,
    /// It sounds as if the service itself spoke.
    Reserved,
}

/// What nobody but the service may be called, alone or with a number after it.
const RESERVED: [&str; 26] = [
    "admin",
    "administrador",
    "administrator",
    "administração",
    "ajuda",
    "anonymous",
    "atendimento",
    "bot",
    "deleted",
    "equipe",
    "help",
    "moderador",
    "moderator",
    "null",
    "official",
    "oficial",
    "root",
    "service",
    "sistema",
    "staff",
    "suporte",
    "support",
    "system",
    "team",
    "tesouraria",
    "você",
];
/// The service's own name: nobody's name holds it.
const SERVICE: &str = "stakeboard";

impl DisplayName {
    /// The name of a text. Nothing is silently cut off or left out.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let name: String = text.nfc().collect();
        if !(SHORTEST_NAME..=LONGEST_NAME).contains(&name.chars().count()) {
            return Err(NameError::Length);
        }
        if name.chars().any(is_unseen) {
            return Err(NameError::Character);
        }
        if name.starts_with(' ') || name.ends_with(' ') || name.contains("  ") {
            return Err(NameError::Spaces);
        }
        if has_stray_marks(&name) {
            return Err(NameError::Marks);
        }
        if !name.chars().any(char::is_alphanumeric) {
            return Err(NameError::Nothing);
        }
        Ok(Self(name))
    }

    /// The name of a text that a player chose: none that sounds as if the service itself spoke.
    pub fn of_player(text: &str) -> Result<Self, NameError> {
        let name = Self::parse(text)?;
        if name.is_reserved() { Err(NameError::Reserved) } else { Ok(name) }
    }

    /// A name for a guest who gave none. Its last six characters are random.
    pub fn of_guest() -> Self {
        // Without the letters and digits that are easily taken for each other.
        const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
        let random: [u8; 6] = rng::secret();
        let suffix: String = random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
        Self(format!("Convidado-{suffix}"))
    }

    /// Whether it sounds as if the service itself spoke, whatever letters it borrows for that.
    fn is_reserved(&self) -> bool {
        let letters = |text: &str| -> String {
            let folded = text.nfkd().filter(|character| character.is_alphabetic()).flat_map(char::to_lowercase);
            folded.collect::<String>().nfkd().filter_map(look_alike).filter(|letter| letter.is_alphabetic()).collect()
        };
        // What is written with digits for letters is read both ways: without them, and as the letters they stand for.
        let unnumbered = self.0.trim_end_matches(|character: char| !character.is_alphabetic());
        let spelled: String = unnumbered.chars().map(digit_as_letter).collect();
        [letters(unnumbered), letters(&spelled)]
            .iter()
            .any(|name| name.contains(&letters(SERVICE)) || RESERVED.iter().any(|reserved| *name == letters(reserved)))
    }

    /// As others see it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What must be unique: the same for names that are easily taken for each other. Capitals and small letters,
    /// compatibility forms, and letters of other scripts that look like Latin ones all count as the same. It errs
    /// on the side of refusing: `i`, `l` and `1` are one, and so are `o` and `0`.
    pub fn key(&self) -> String {
        let folded = self.0.nfkd().flat_map(char::to_lowercase).collect::<String>();
        let skeleton: String = folded.nfkd().filter_map(look_alike).collect();
        skeleton.nfc().collect()
    }
}

impl DisplayName {
    /// What it looks like, by Unicode's table of confusables (UTS 39), in any case. It finds what [`Self::key`] does not
    /// know: every script's look-alikes, and `rn` for `m`.
    pub fn skeleton(&self) -> String {
        unicode_security::skeleton(&self.0)
            .flat_map(char::to_lowercase)
            .filter(|character| *character != '\u{307}')
            .collect()
    }
}

/// The letter that a digit is written for.
fn digit_as_letter(character: char) -> char {
    match character {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

/// Whether anything of a text can be seen: a text of spaces and of characters that only steer the writing says nothing.
pub fn can_be_seen(text: &str) -> bool {
    text.chars().any(|character| character != ' ' && !is_unseen(character))
}

/// Fills in what the names of players look like who came before that was kept. Where two already look the same, the one who
/// came first has it.
pub async fn fill_in_skeletons(pool: &PgPool) -> Result<(), sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id as "id: PlayerId", display_name from players
           where display_name_skeleton is null and deleted_at is null order by id"#
    )
    .fetch_all(pool)
    .await?;
    for row in rows {
        let skeleton = DisplayName(row.display_name).skeleton();
        let filled = sqlx::query!("update players set display_name_skeleton = $2 where id = $1", row.id.0, skeleton)
            .execute(pool)
            .await;
        if let Err(error) = filled {
            if db::constraint(&error) != Some("players_display_name_looks_taken") {
                return Err(error);
            }
            tracing::warn!(player = %row.id, "a player looks the same as one who came before");
        }
    }
    Ok(())
}

/// Characters that nobody can see although their category does not say so: fillers, blanks, joiners.
fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\u{034F}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FFA0}'
            | '\u{FFFC}'
            | '\u{FFFD}'
            | '\u{1D159}'
            | '\u{E0100}'..='\u{E01EF}'
    )
}

fn is_unseen(character: char) -> bool {
    match character.general_category() {
        GeneralCategory::Control
        | GeneralCategory::Format
        | GeneralCategory::Surrogate
        | GeneralCategory::PrivateUse
        | GeneralCategory::Unassigned
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator
        | GeneralCategory::EnclosingMark => true,
        GeneralCategory::SpaceSeparator => character != ' ',
        GeneralCategory::UppercaseLetter
        | GeneralCategory::LowercaseLetter
        | GeneralCategory::TitlecaseLetter
        | GeneralCategory::ModifierLetter
        | GeneralCategory::OtherLetter
        | GeneralCategory::NonspacingMark
        | GeneralCategory::SpacingMark
        | GeneralCategory::DecimalNumber
        | GeneralCategory::LetterNumber
        | GeneralCategory::OtherNumber
        | GeneralCategory::ConnectorPunctuation
        | GeneralCategory::DashPunctuation
        | GeneralCategory::OpenPunctuation
        | GeneralCategory::ClosePunctuation
        | GeneralCategory::InitialPunctuation
        | GeneralCategory::FinalPunctuation
        | GeneralCategory::OtherPunctuation
        | GeneralCategory::MathSymbol
        | GeneralCategory::CurrencySymbol
        | GeneralCategory::ModifierSymbol
        | GeneralCategory::OtherSymbol => is_blank(character),
    }
}

/// Whether a mark stands on nothing, or too many stand on one letter.
fn has_stray_marks(name: &str) -> bool {
    let mut in_a_row = MARKS_IN_A_ROW;
    for character in name.chars() {
        if is_mark(character) {
            in_a_row += 1;
        } else {
            // On a space as on nothing.
            in_a_row = if character == ' ' { MARKS_IN_A_ROW } else { 0 };
        }
        if in_a_row > MARKS_IN_A_ROW {
            return true;
        }
    }
    false
}

fn is_mark(character: char) -> bool {
    matches!(character.general_category(), GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark)
}

/// What stands for a small letter in the key: the Latin letter or digit it is easily taken for, in either case.
fn look_alike(character: char) -> Option<char> {
    Some(match character {
        // The dot of a small i, written apart.
        '\u{307}' => return None,
        'а' | 'α' | 'ɑ' => 'a',
        'в' | 'β' | 'ь' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'ɡ' => 'g',
        'һ' | 'н' | 'η' | 'հ' => 'h',
        'i' | '1' | '|' | 'і' | 'ι' | 'ı' | 'ӏ' | 'ǀ' | 'ɩ' => 'l',
        'ј' | 'ϳ' | 'ȷ' => 'j',
        'к' | 'κ' => 'k',
        'м' | 'μ' => 'm',
        'ν' | 'ո' => 'n',
        '0' | 'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'ս' => 'u',
        'ѵ' => 'v',
        'ԝ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'υ' | 'ү' => 'y',
        'ζ' => 'z',
        'з' => '3',
        'ς' => 'σ',
        '’' | '‘' | 'ʼ' | '`' | '´' => '\'',
        other if other.general_category() == GeneralCategory::DashPunctuation => '-',
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_mail_can_be_sent_to() {
        let accepted =
            ["ana@example.com", "A.B-c+tag@mail.example.com.br", "o'neil@x-y.io", "1@2.co", "a@xn--bcher-kva.de"];
        for text in accepted {
            assert_eq!(Email::parse(text).as_ref().map(Email::as_str), Some(text));
        }
        let refused = [
            "",
            "ana",
            "@example.com",
            "ana@",
            "ana@localhost",
            "ana@.com",
            "ana@example..com",
            "ana@-x.com",
            "ana@x-.com",
            "a b@example.com",
            " ana@example.com",
            "ana@example.com ",
            "ana@example.com\n",
            ".ana@example.com",
            "ana.@example.com",
            "a..b@example.com",
            "a@b@example.com",
            "\"a b\"@example.com",
            "ana@exämple.com",
            "anä@example.com",
            "ana@example.com.",
            "a\0@example.com",
            "<ana@example.com>",
        ];
        for text in refused {
            assert_eq!(Email::parse(text), None, "{text}");
        }
        let local = "a".repeat(64);
        let domain = format!("{0}.{0}.{1}.com", "d".repeat(63), "e".repeat(57));
        assert!(Email::parse(&format!("{local}@{domain}")).is_some(), "254 characters");
        assert!(Email::parse(&format!("{local}@e{domain}")).is_none(), "255 characters");
        assert!(Email::parse(&format!("{local}a@example.com")).is_none());
        assert_eq!(Email::parse("Ana@Example.COM").expect("an address").key(), "ana@example.com");
    }

    #[test]
    fn names_of_many_languages() {
        let accepted = [
            "Jo",
            "João Ninguém",
            "D'Ávila",
            "O’Brien",
            "Ana_Maria-2",
            "Nguyễn Văn An",
            "Ольга",
            "Ελένη",
            "दीपिका",
            "田中さくら",
            "محمد",
            "김민수",
            "ไก่ย่าง",
            "x.y",
            "Ana 🎲",
            "twenty-four characters!!",
            "1º lugar",
        ];
        for text in accepted {
            assert_eq!(DisplayName::parse(text).as_ref().map(DisplayName::as_str), Ok(text));
        }
        assert_eq!(DisplayName::parse("Joa\u{303}o").expect("a name").as_str(), "João", "composed");
    }

    #[test]
    fn names_that_mislead_are_refused() {
        let cases = [
            ("", NameError::Length),
            ("J", NameError::Length),
            ("E\u{301}", NameError::Length),
            ("a name that has got forty-one characters!", NameError::Length),
            (" Ana", NameError::Spaces),
            ("Ana ", NameError::Spaces),
            ("Ana  Maria", NameError::Spaces),
            ("  ", NameError::Spaces),
            ("Ana\u{a0}Maria", NameError::Character),
            ("Ana\u{3000}Maria", NameError::Character),
            ("Ana\tMaria", NameError::Character),
            ("Ana\nMaria", NameError::Character),
            ("Ana\0", NameError::Character),
            ("Ana\u{7f}", NameError::Character),
            ("Ana\u{200b}", NameError::Character),
            ("A\u{200d}na", NameError::Character),
            ("A\u{ad}na", NameError::Character),
            ("\u{feff}Ana", NameError::Character),
            ("\u{202e}anA", NameError::Character),
            ("Ana\u{2066}x\u{2069}", NameError::Character),
            ("Ana\u{200f}", NameError::Character),
            ("Ana\u{2028}", NameError::Character),
            ("Ana\u{e000}", NameError::Character),
            ("Ana\u{378}", NameError::Character),
            ("Ana\u{fffe}", NameError::Character),
            ("Ana\u{e0061}", NameError::Character),
            ("Ana\u{fe0f}", NameError::Character),
            ("Ana\u{3164}", NameError::Character),
            ("\u{2800}\u{2800}", NameError::Character),
            ("Ana\u{20dd}", NameError::Character),
            ("Z\u{33f}\u{33f}\u{33f}\u{33f}algo", NameError::Marks),
            ("\u{33f}Ana", NameError::Marks),
            ("Ana \u{33f}x", NameError::Marks),
            ("--", NameError::Nothing),
            ("🎲🎲", NameError::Nothing),
        ];
        for (text, error) in cases {
            assert_eq!(DisplayName::parse(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn names_that_look_alike_have_one_key() {
        let same = [
            ("Ana", "ANA"),
            ("Ana", "Аna"),
            ("João", "Joa\u{303}o"),
            ("João", "JOÃO"),
            ("Ana", "Ａｎａ"),
            ("Ana", "𝐀𝐧𝐚"),
            ("Paul", "PauI"),
            ("Paul", "Pau1"),
            ("Bob", "B0b"),
            ("Elena", "Εlеnа"),
            ("Moscow", "МОЅСОԜ"),
            ("Izmir", "İzmir"),
            ("Izmir", "ızmir"),
            ("D'Avila", "D’Avila"),
            ("A-B", "A–B"),
            ("Οδυσσέας", "ΟΔΥΣΣΈΑΣ"),
        ];
        for (one, other) in same {
            let key = |text| DisplayName::parse(text).expect("a name").key();
            assert_eq!(key(one), key(other), "{one} and {other}");
        }
        let different =
            [("Ana", "Anna"), ("João", "Joao"), ("Ana Maria", "AnaMaria"), ("A-B", "A_B"), ("Rui2", "Rui3")];
        for (one, other) in different {
            let key = |text| DisplayName::parse(text).expect("a name").key();
            assert_ne!(key(one), key(other), "{one} and {other}");
        }
    }

    /// UTS 39: what looks the same has the same skeleton, in any case.
    #[test]
    fn names_that_look_the_same_in_any_script_have_one_skeleton() {
        let same = [
            ("Tom", "Torn"),
            ("Ana", "Аna"),
            ("Ana", "ana"),
            ("Ana", "𝖠𝗇𝖺"),
            ("Paul", "PauI"),
            ("Paul", "Pau1"),
            ("Bob", "BОb"),
            ("Lisa", "ꓡisa"),
            ("Cora", "Ꮯora"),
            ("vinho", "ѵinho"),
            ("Izmir", "İzmir"),
            ("João", "Joa\u{303}o"),
        ];
        let skeleton = |text| DisplayName::parse(text).expect("a name").skeleton();
        for (one, other) in same {
            assert_eq!(skeleton(one), skeleton(other), "{one} and {other}");
        }
        for (one, other) in [("Ana", "Anna"), ("João", "Joao"), ("Rui2", "Rui3"), ("Tom", "Tim")] {
            assert_ne!(skeleton(one), skeleton(other), "{one} and {other}");
        }
    }

    #[test]
    fn nobody_is_called_as_if_the_service_spoke() {
        let is_reserved = |text| DisplayName::parse(text).expect("a name").is_reserved();
        for text in [
            "Stakeboard",
            "STAKEBOARD",
            "Stakeboard Suporte",
            "stake board",
            "StakeЬоаrd",
            "5t4keb0ard",
            "admin",
            "Admin",
            "Admin 1",
            "-admin-",
            "Аdmin",
            "ADMlN",
            "4dmin",
            "Adm1n2",
            "suporte",
            "Suporte!",
            "Equipe",
            "moderador",
            "Sistema",
            "Você",
            "sup0rte",
            "Administração",
        ] {
            assert!(is_reserved(text), "{text}");
        }
        for text in ["Ana", "Admira", "Suportes do Sul", "Adminho", "Botelho", "Stake", "Abordagem", "Timeu", "Rui 2"] {
            assert!(!is_reserved(text), "{text}");
        }
    }

    #[test]
    fn a_guest_gets_a_name_that_is_one() {
        let name = DisplayName::of_guest();
        assert_eq!(DisplayName::parse(name.as_str()), Ok(name.clone()));
        assert_eq!(name.as_str().len(), "Convidado-".len() + 6);
        assert_ne!(name, DisplayName::of_guest());
    }
}
