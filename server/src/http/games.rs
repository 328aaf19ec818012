//! The games that can be played here.

use axum::Json;
use serde::Serialize;
use serde_json::{Map, Value};
use stakeboard_engine::Game;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::i18n::{self, Language};

/// The routes of this file.
pub fn router<S: Clone + Send + Sync + 'static>() -> OpenApiRouter<S> {
    OpenApiRouter::new().routes(routes!(games))
}

/// A game with its rulesets.
#[derive(Debug, Serialize, ToSchema)]
struct GameView {
    /// The game's name in the interface.
    game: &'static str,
    /// The game's name for people, in the language asked for.
    name: &'static str,
    /// What the host of a match chooses.
    options: Vec<OptionView>,
    /// Sets of options with a name.
    presets: Vec<PresetView>,
    /// Fixed numbers of the rules.
    #[schema(value_type = Object)]
    constants: Map<String, Value>,
    /// The rules in a few sentences, in the language asked for.
    rules: &'static str,
}

/// An option of a game.
#[derive(Debug, Serialize, ToSchema)]
struct OptionView {
    /// Its name.
    name: &'static str,
    /// What it can be: strings, or `true` and `false`.
    #[schema(value_type = Vec<OptionValue>)]
    allowed: Vec<Value>,
    /// What it is where nothing is chosen.
    #[schema(value_type = OptionValue)]
    default: Value,
}

/// What an option can be. Only its schema is used.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "values are written as the engine has them")]
enum OptionValue {
    /// Yes or no.
    Flag(bool),
    /// One of several, by its name.
    Name(String),
}

/// A set of options with a name.
#[derive(Debug, Serialize, ToSchema)]
struct PresetView {
    /// Its name.
    name: &'static str,
    /// Its options.
    #[schema(value_type = Object)]
    options: Value,
}

/// All games of a deployment.
#[derive(Debug, Serialize, ToSchema)]
struct GamesView {
    /// The games.
    items: Vec<GameView>,
    /// Always null: all games are on one page.
    next_cursor: Option<String>,
}

/// The games that can be played
///
/// Each with its options, presets, constants, and a summary of its rules. No token is needed.
#[utoipa::path(get, path = "/v1/games", tag = "Lobby", responses((status = 200, body = GamesView)))]
async fn games(language: Language) -> Json<GamesView> {
    Json(GamesView { items: Game::ALL.iter().map(|game| view(*game, language)).collect(), next_cursor: None })
}

fn view(game: Game, language: Language) -> GameView {
    GameView {
        game: game.code(),
        name: i18n::game_name(game, language),
        options: game
            .options()
            .iter()
            .map(|option| OptionView {
                name: option.name,
                allowed: option.allowed.iter().map(|value| option.json(value)).collect(),
                default: option.json(option.default),
            })
            .collect(),
        presets: game.presets().iter().map(|(name, options)| PresetView { name, options: options.to_json() }).collect(),
        constants: game.constants().iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect(),
        rules: i18n::game_rules(game, language),
    }
}
