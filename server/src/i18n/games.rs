//! The games in words.

use stakeboard_engine::Game;

use crate::i18n::Language;

/// What a game is called.
pub fn name(game: Game, language: Language) -> &'static str {
    match (game, language) {
        (Game::Oware, Language::Portuguese | Language::English) => "Oware",
    }
}

/// The rules of a game in a few sentences.
pub fn rules(game: Game, language: Language) -> &'static str {
    match (game, language) {
        (Game::Oware, Language::Portuguese) => {
            "Cada jogador tem uma fileira de seis casas com quatro sementes em cada. Na sua vez, você pega todas as \
             sementes de uma casa sua e as semeia uma a uma, no sentido anti-horário, pulando a casa de origem. Se a \
             última semente deixa uma casa do adversário com duas ou três, você captura essas sementes e as das casas \
             imediatamente anteriores dele que também tenham duas ou três. Se a fileira do adversário está vazia, você \
             precisa deixar sementes nela quando puder. Quem passa de 24 sementes vence. Sem jogada, com a posição \
             repetida ou após 100 lances seguidos sem captura, cada um fica com as sementes do seu lado e a conta \
             decide; 24 a 24 é empate. A opção grand_slam diz o que acontece com uma captura que levaria todas as \
             sementes do adversário: no_capture (abapa) não captura nada; forbidden (wari) proíbe a jogada enquanto \
             houver outra; captures_all (caribbean) captura tudo e quem capturou joga de novo."
        }
        (Game::Oware, Language::English) => {
            "Each player has a row of six houses with four seeds in each. In your turn you take all the seeds of one \
             of your houses and sow them one by one, anticlockwise, skipping the house they came from. If the last \
             seed leaves a house of your rival's with two or three, you capture those seeds, and those of your rival's \
             houses just before it that hold two or three as well. If your rival's row is empty you must leave seeds \
             in it when you can. More than 24 seeds win. Without a move, when a position repeats, or after 100 moves \
             in a row without a capture, each player takes the seeds of their own row and the count decides; 24 to 24 \
             is a draw. The option grand_slam says what becomes of a capture that would take every seed of the rival: \
             no_capture (abapa) captures nothing; forbidden (wari) rules the move out while there is another; \
             captures_all (caribbean) takes them all, and whoever captured moves again."
        }
    }
}
