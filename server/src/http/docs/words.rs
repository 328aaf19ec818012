//! The page's own words.

use crate::i18n::Language;

/// The words of one language.
pub struct Words {
    pub reference: &'static str,
    pub version: &'static str,
    pub contents: &'static str,
    pub parameters: &'static str,
    pub body: &'static str,
    pub answers: &'static str,
    pub name: &'static str,
    pub kind: &'static str,
    pub meaning: &'static str,
    pub status: &'static str,
    pub content: &'static str,
    pub code: &'static str,
    pub codes: &'static str,
    pub codes_are: &'static str,
    pub schemas: &'static str,
    pub no_token: &'static str,
    pub token_needed: &'static str,
    pub token_possible: &'static str,
    pub client_messages: &'static str,
    pub server_messages: &'static str,
    pub optional: &'static str,
    pub or: &'static str,
    pub list_of: &'static str,
    pub object: &'static str,
    pub at_least: &'static str,
    pub at_most: &'static str,
    pub characters: &'static str,
    pub default: &'static str,
    pub example: &'static str,
    pub no_other_fields: &'static str,
    in_path: &'static str,
    in_query: &'static str,
    in_header: &'static str,
}

impl Words {
    /// Where a parameter is sent.
    pub fn place(&self, place: &str) -> &'static str {
        match place {
            "path" => self.in_path,
            "header" => self.in_header,
            _ => self.in_query,
        }
    }
}

/// The words of a language.
pub fn of(language: Language) -> &'static Words {
    match language {
        Language::Portuguese => &PORTUGUESE,
        Language::English => &ENGLISH,
    }
}

static PORTUGUESE: Words = Words {
    reference: "referência da API",
    version: "versão",
    contents: "Conteúdo",
    parameters: "Parâmetros",
    body: "Corpo do pedido",
    answers: "Respostas",
    name: "Nome",
    kind: "Tipo",
    meaning: "Significado",
    status: "Status",
    content: "Conteúdo",
    code: "Código",
    codes: "Códigos de erro",
    codes_are: "Toda recusa traz um `code` estável: no corpo `application/problem+json` de uma resposta HTTP e no \
                quadro `error` do socket. A frase muda com o idioma; o código, nunca.",
    schemas: "Esquemas",
    no_token: "Sem token.",
    token_needed: "Exige um token de acesso: Authorization: Bearer …",
    token_possible: "Aceita um token de acesso, mas não exige.",
    client_messages: "O que o cliente envia",
    server_messages: "O que o servidor envia",
    optional: "opcional",
    or: "ou",
    list_of: "lista de",
    object: "objeto",
    at_least: "pelo menos",
    at_most: "no máximo",
    characters: "caracteres",
    default: "padrão",
    example: "exemplo",
    no_other_fields: "Nenhum outro campo é aceito.",
    in_path: "no caminho",
    in_query: "na consulta",
    in_header: "no cabeçalho",
};

static ENGLISH: Words = Words {
    reference: "API reference",
    version: "version",
    contents: "Contents",
    parameters: "Parameters",
    body: "Request body",
    answers: "Answers",
    name: "Name",
    kind: "Type",
    meaning: "Meaning",
    status: "Status",
    content: "Content",
    code: "Code",
    codes: "Error codes",
    codes_are: "Every refusal has a stable `code`: in the `application/problem+json` body of an HTTP answer and in the \
                `error` frame of the socket. The sentence changes with the language; the code never does.",
    schemas: "Schemas",
    no_token: "No token is needed.",
    token_needed: "Needs an access token: Authorization: Bearer …",
    token_possible: "Takes an access token, but needs none.",
    client_messages: "What the client sends",
    server_messages: "What the server sends",
    optional: "optional",
    or: "or",
    list_of: "list of",
    object: "object",
    at_least: "at least",
    at_most: "at most",
    characters: "characters",
    default: "default",
    example: "example",
    no_other_fields: "No other field is taken.",
    in_path: "in the path",
    in_query: "in the query",
    in_header: "in a header",
};
