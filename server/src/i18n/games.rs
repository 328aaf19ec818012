//! The games in words.

use stakeboard_engine::Game;

use crate::i18n::Language;

/// What a game is called.
pub fn name(game: Game, language: Language) -> &'static str {
    match (game, language) {
        (Game::MuTorere, Language::Portuguese | Language::English) => "Mū tōrere",
        (Game::Oware, Language::Portuguese | Language::English) => "Oware",
        (Game::Morris, Language::Portuguese) => "Trilha",
        (Game::Morris, Language::English) => "Nine Men's Morris",
    }
}

/// How a move of a game is written.
pub fn move_form(game: Game, language: Language) -> &'static str {
    match (game, language) {
        (Game::MuTorere, Language::Portuguese) => "escreva de que ponta (1 a 8, c no centro) a qual, como 4-c",
        (Game::MuTorere, Language::English) => "write from which point (1 to 8, c in the centre) to which, such as 4-c",
        (Game::Oware, Language::Portuguese) => "escreva a letra de uma casa, como C ou c",
        (Game::Oware, Language::English) => "write the letter of a house, such as C or c",
        (Game::Morris, Language::Portuguese) => {
            "escreva um ponto, como d2, ou de um ponto a outro, como a1-a4, com x antes de cada peça retirada, como d2xg7"
        }
        (Game::Morris, Language::English) => {
            "write a point, such as d2, or one to another, such as a1-a4, with x before each piece taken, such as d2xg7"
        }
    }
}

/// The rules of a game in a few sentences.
pub fn rules(game: Game, language: Language) -> &'static str {
    match (game, language) {
        (Game::MuTorere, Language::Portuguese) => MU_TORERE_PORTUGUESE,
        (Game::MuTorere, Language::English) => MU_TORERE_ENGLISH,
        (Game::Oware, Language::Portuguese) => OWARE_PORTUGUESE,
        (Game::Oware, Language::English) => OWARE_ENGLISH,
        (Game::Morris, Language::Portuguese) => MORRIS_PORTUGUESE,
        (Game::Morris, Language::English) => MORRIS_ENGLISH,
    }
}

const MU_TORERE_PORTUGUESE: &str = "\
O tabuleiro tem oito pontas em anel (1 a 8) e um centro (c). Cada jogador começa com quatro peças vizinhas; o centro \
está vazio, e há sempre um só lugar livre. Na sua vez, leve uma peça sua ao lugar livre: de uma ponta à ponta vizinha, \
ou do centro a uma ponta. Da ponta ao centro só se uma das pontas vizinhas dela tiver uma peça do adversário. Quem não \
tem lance na sua vez perde. Se a mesma posição ocorre pela terceira vez, é empate. Com jogo perfeito a partida empata.";

const MU_TORERE_ENGLISH: &str = "\
The board has eight points in a ring (1 to 8) and a centre (c). Each player begins with four pieces side by side; the \
centre is empty, and there is always just one free place. In your turn you move a piece of yours to the free place: \
from a point to the one beside it, or from the centre to a point. From a point to the centre only if a rival piece \
stands on one of the two points beside it. Who has no move in their turn has lost. A position that occurs for the third \
time is a draw. Perfect play is a draw.";

const OWARE_PORTUGUESE: &str = "\
Cada jogador tem uma fileira de seis casas com quatro sementes em cada. Na sua vez, você pega todas as sementes de uma \
casa sua e as semeia uma a uma, no sentido anti-horário, pulando a casa de origem. Se a última semente deixa uma casa do \
adversário com duas ou três, você captura essas sementes e as das casas imediatamente anteriores dele que também tenham \
duas ou três. Se a fileira do adversário está vazia, você precisa deixar sementes nela quando puder. Quem passa de 24 \
sementes vence. Sem jogada, com a posição repetida ou após 100 lances seguidos sem captura, cada um fica com as sementes \
do seu lado e a conta decide; 24 a 24 é empate. A opção grand_slam diz o que acontece com uma captura que levaria todas \
as sementes do adversário: no_capture (abapa) não captura nada; forbidden (wari) proíbe a jogada enquanto houver outra; \
captures_all (caribbean) captura tudo e quem capturou joga de novo.";

const OWARE_ENGLISH: &str = "\
Each player has a row of six houses with four seeds in each. In your turn you take all the seeds of one of your houses \
and sow them one by one, anticlockwise, skipping the house they came from. If the last seed leaves a house of your \
rival's with two or three, you capture those seeds, and those of your rival's houses just before it that hold two or \
three as well. If your rival's row is empty you must leave seeds in it when you can. More than 24 seeds win. Without a \
move, when a position repeats, or after 100 moves in a row without a capture, each player takes the seeds of their own \
row and the count decides; 24 to 24 is a draw. The option grand_slam says what becomes of a capture that would take \
every seed of the rival: no_capture (abapa) captures nothing; forbidden (wari) rules the move out while there is \
another; captures_all (caribbean) takes them all, and whoever captured moves again.";

const MORRIS_PORTUGUESE: &str = "\
O tabuleiro tem 24 pontos em três quadrados ligados pelo meio dos lados. Cada jogador tem nove peças: primeiro elas são \
colocadas, uma por vez, em pontos livres; depois, movidas pelas linhas a um ponto vizinho livre. Três peças suas numa \
linha fecham um moinho, e você retira uma peça do adversário no mesmo lance, fora de moinhos enquanto houver alguma. \
Com três peças no tabuleiro e nenhuma na mão, suas peças voam a qualquer ponto livre (opção flying). Quem fica com duas \
peças, ou sem lance, perde. A terceira ocorrência de uma posição, ou 50 lances de cada um sem moinho, dá empate. A opção \
double_mill_takes_two diz se dois moinhos fechados de uma vez retiram duas peças.";

const MORRIS_ENGLISH: &str = "\
The board has 24 points in three squares joined at the middle of their sides. Each player has nine pieces: first they \
are placed, one a turn, on free points; then they move along the lines to a free point next to them. Three pieces of \
yours on a line close a mill, and you take a rival piece in the same move, one outside a mill while there is any. With \
three pieces on the board and none in hand your pieces fly to any free point (option flying). Who is left with two \
pieces, or without a move, has lost. The third occurrence of a position, or 50 moves by each player without a mill, is a \
draw. The option double_mill_takes_two says whether two mills closed at once take two pieces.";
