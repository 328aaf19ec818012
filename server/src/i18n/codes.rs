//! The words for each error code.

use crate::{code::Code, i18n::Language};

/// Portuguese title, English title, Portuguese sentence, English sentence.
type Texts = (&'static str, &'static str, &'static str, &'static str);

/// A few words that name the error.
pub fn title(code: Code, language: Language) -> &'static str {
    let texts = texts(code);
    match language {
        Language::Portuguese => texts.0,
        Language::English => texts.1,
    }
}

/// One sentence that says what to do about it.
pub fn detail(code: Code, language: Language) -> &'static str {
    let texts = texts(code);
    match language {
        Language::Portuguese => texts.2,
        Language::English => texts.3,
    }
}

#[expect(clippy::too_many_lines, reason = "a table, one row a code")]
fn texts(code: Code) -> Texts {
    match code {
        Code::InvalidRequest => {
            ("Pedido inválido", "Invalid request", "O pedido tem campos inválidos.", "The request has invalid fields.")
        }
        Code::Unauthenticated => (
            "Não autenticado",
            "Not signed in",
            "Entre para continuar: falta um acesso válido.",
            "Sign in to go on: a valid token is missing.",
        ),
        Code::BadSignature => (
            "Assinatura inválida",
            "Bad signature",
            "A assinatura não confere, falta ou é de outra hora.",
            "The signature does not hold, is missing, or is of another time.",
        ),
        Code::BadCredentials => {
            ("Dados de acesso errados", "Wrong credentials", "E-mail ou senha incorretos.", "Wrong e-mail or password.")
        }
        Code::CodeNeeded => (
            "Falta o código",
            "A code is needed",
            "A conta tem verificação em duas etapas: informe também um código.",
            "The account has a second factor: give a code too.",
        ),
        Code::BadCode => (
            "Código errado",
            "Wrong code",
            "O código está errado, venceu ou já foi usado.",
            "The code is wrong, too old, or was used.",
        ),
        Code::NewPasswordNeeded => (
            "Falta uma senha nova",
            "A new password is needed",
            "Esta senha foi dada pela casa e vale para uma única entrada: informe também a senha que você escolheu.",
            "This password was given by the house and is good for one log-in: give one of your own choice too.",
        ),
        Code::SecondFactorNeeded => (
            "Falta a verificação em duas etapas",
            "A second factor is needed",
            "O trabalho da equipe exige a verificação em duas etapas: ative-a em Ajustes, ou entre de novo com um código.",
            "The staff's work needs a second factor: turn it on in the settings, or sign in again with a code.",
        ),
        Code::SecondFactorSettled => (
            "Nada a fazer",
            "Nothing to do",
            "A verificação em duas etapas já está como se pede, ou não foi iniciada.",
            "The second factor is as asked for already, or was not begun.",
        ),
        Code::Forbidden => {
            ("Não permitido", "Not allowed", "Sua conta não permite esta ação.", "Your account does not allow this.")
        }
        Code::OriginRefused => (
            "Outra origem",
            "Another origin",
            "A página que abre a conexão é de outro site.",
            "The page that opens the connection is of another site.",
        ),
        Code::NotAPlayer => (
            "Não é jogador desta partida",
            "Not a player of this match",
            "Só os dois jogadores da partida podem agir nela.",
            "Only the two players of the match can act in it.",
        ),
        Code::AccountNeeded => (
            "É preciso uma conta",
            "An account is needed",
            "Convidados não movimentam dinheiro: crie uma conta.",
            "Guests can't handle money: create an account.",
        ),
        Code::GuestAccount => (
            "É um convidado",
            "The player is a guest",
            "Um convidado não tem dinheiro, senha, funções nem identidade: nada a fazer até que crie uma conta.",
            "A guest has no money, password, roles or identity: there is nothing to do until they sign up.",
        ),
        Code::StaffAccount => (
            "Conta da equipe",
            "Account of the staff",
            "A senha de alguém da equipe só é trocada na máquina do servidor: stakeboard-server admin reset-password.",
            "A password of the staff is reset on the server's machine only: stakeboard-server admin reset-password.",
        ),
        Code::NotFound => {
            ("Não encontrado", "Not found", "Não há nada neste endereço.", "There is nothing at this address.")
        }
        Code::NoReceipt => (
            "Sem recibo",
            "No receipt",
            "Uma partida amistosa não tem recibo: nada foi apostado nem pago.",
            "A friendly match has no receipt: nothing was staked or paid.",
        ),
        Code::NothingSealed => (
            "Ainda sem selo",
            "Nothing sealed yet",
            "O livro ainda não tem selo: o primeiro vem pouco depois dos primeiros lançamentos, a cada STAKEBOARD_SEAL_SECONDS.",
            "The ledger has no seal yet: the first comes soon after its first entries, every STAKEBOARD_SEAL_SECONDS.",
        ),
        Code::MethodNotAllowed => (
            "Método não permitido",
            "Method not allowed",
            "Este endereço não aceita este método.",
            "This address does not take this method.",
        ),
        Code::RequestTimeout => (
            "Tempo esgotado",
            "Request timed out",
            "O pedido demorou demais e pode ter sido feito mesmo assim: confira antes de repetir.",
            "The request took too long, and may have been done all the same: look before you repeat it.",
        ),
        Code::PayloadTooLarge => (
            "Pedido grande demais",
            "Request too large",
            "O corpo do pedido passa do limite.",
            "The body of the request is over the limit.",
        ),
        Code::UnsupportedMediaType => (
            "Tipo de conteúdo não aceito",
            "Unsupported content type",
            "Envie JSON com Content-Type: application/json.",
            "Send JSON with Content-Type: application/json.",
        ),
        Code::RateLimited => (
            "Pedidos demais",
            "Too many requests",
            "Muitos pedidos em pouco tempo: espere um pouco.",
            "Too many requests in a short time: wait a little.",
        ),
        Code::TooManySeeks => (
            "Propostas demais",
            "Too many seeks",
            "Você já tem o máximo de propostas abertas.",
            "You already have as many open seeks as allowed.",
        ),
        Code::TooManyTables => (
            "Mesas demais",
            "Too many tables",
            "Você já tem o máximo de mesas abertas.",
            "You already have as many open tables as allowed.",
        ),
        Code::TooManyMatches => (
            "Partidas demais",
            "Too many matches",
            "Você já está no máximo de partidas amistosas ao mesmo tempo.",
            "You are already in as many friendly matches at once as allowed.",
        ),
        Code::IdempotencyKeyMissing => (
            "Falta a chave de idempotência",
            "Idempotency key missing",
            "Envie o cabeçalho Idempotency-Key com 1 a 255 caracteres visíveis.",
            "Send the header Idempotency-Key with 1 to 255 visible characters.",
        ),
        Code::BadIdempotencyKey => (
            "Chave de idempotência inválida",
            "Bad idempotency key",
            "O cabeçalho Idempotency-Key está vazio, é longo demais ou tem outros caracteres: são de 1 a 255, visíveis, de ASCII.",
            "The header Idempotency-Key is empty, too long or has other characters: it takes 1 to 255 visible ones of ASCII.",
        ),
        Code::IdempotencyKeyReused => (
            "Chave de idempotência reutilizada",
            "Idempotency key reused",
            "Esta chave já foi usada com outro conteúdo.",
            "This key was used before with another body.",
        ),
        Code::IdempotencyInProgress => (
            "Pedido em andamento",
            "Request under way",
            "O primeiro pedido com esta chave ainda está em andamento.",
            "The first request with this key is still under way.",
        ),
        Code::EmailTaken => (
            "E-mail em uso",
            "E-mail taken",
            "Já existe uma conta com este e-mail.",
            "There is an account with this e-mail already.",
        ),
        Code::DisplayNameTaken => (
            "Nome em uso",
            "Display name taken",
            "Este nome já é usado, ou se parece demais com um que é.",
            "This name is taken, or looks too much like one that is.",
        ),
        Code::Underage => {
            ("Idade insuficiente", "Too young", "Você ainda não tem a idade mínima.", "You are below the minimum age.")
        }
        Code::WeakPassword => (
            "Senha fraca",
            "Weak password",
            "A senha precisa de 10 a 200 caracteres e não pode ser fácil de adivinhar.",
            "A password needs 10 to 200 characters and must not be easy to guess.",
        ),
        Code::AlreadyRegistered => (
            "Já tem conta",
            "Already registered",
            "Este acesso já é de uma conta.",
            "This token belongs to an account already.",
        ),
        Code::MatchOver => ("Partida encerrada", "Match over", "A partida já terminou.", "The match has ended."),
        Code::NotYourTurn => ("Não é a sua vez", "Not your turn", "É a vez do adversário.", "It is your rival's turn."),
        Code::StalePly => (
            "Lance desatualizado",
            "Stale move",
            "O lance era para outra posição da partida.",
            "The move was meant for another position of the match.",
        ),
        Code::IllegalMove => (
            "Lance ilegal",
            "Illegal move",
            "As regras do jogo não permitem este lance.",
            "The rules of the game do not allow this move.",
        ),
        Code::AlreadyPlaying => (
            "Já está jogando",
            "Already playing",
            "Você já tem uma partida valendo em andamento.",
            "You already have a staked match under way.",
        ),
        Code::PlayingForStakes => (
            "Jogando valendo",
            "Playing for a stake",
            "Enquanto você joga valendo este jogo, o treino dele fica fechado.",
            "While you play this game for a stake, its practice is closed.",
        ),
        Code::NothingToUndo => (
            "Nada a voltar",
            "Nothing to take back",
            "Não há lance seu para voltar.",
            "There is no move of yours to take back.",
        ),
        Code::InsufficientFunds => (
            "Saldo insuficiente",
            "Insufficient funds",
            "Seu saldo disponível é menor que o valor.",
            "Your available balance is below the amount.",
        ),
        Code::WithdrawalOpen => (
            "Saque em andamento",
            "Withdrawal under way",
            "Você já tem um saque em andamento: espere ele terminar.",
            "You already have a withdrawal under way: wait until it has come to its end.",
        ),
        Code::WithdrawalDecided => (
            "Saque já decidido",
            "Withdrawal already decided",
            "Este saque já foi aprovado, recusado ou cancelado.",
            "This withdrawal has already been approved, rejected or cancelled.",
        ),
        Code::CancellationOff => (
            "Cancelamento indisponível",
            "No cancellation",
            "Um saque pedido não pode ser cancelado aqui.",
            "A withdrawal can't be cancelled here once it has been requested.",
        ),
        Code::StakesClosed => (
            "Novas partidas valendo suspensas",
            "No new staked matches",
            "No momento não começam novas partidas valendo; as que estão em andamento continuam.",
            "New staked matches do not begin at the moment; those under way go on.",
        ),
        Code::StakeChanged => (
            "Aposta diferente",
            "Stake changed",
            "A aposta não é a que você aceitou.",
            "The stake is not the one you agreed to.",
        ),
        Code::HostAway => (
            "Adversário ausente",
            "Host away",
            "Quem propôs a partida não está presente.",
            "Whoever proposed the match is not there.",
        ),
        Code::HostPlaying => (
            "Anfitrião jogando",
            "Host playing",
            "Quem abriu a mesa está em outra partida.",
            "Whoever opened the table is in another match.",
        ),
        Code::TableGone => (
            "Mesa indisponível",
            "Table gone",
            "Esta mesa expirou, já foi usada, foi fechada ou não existe.",
            "This table has expired, was used, was closed or never was.",
        ),
        Code::SeekGone => (
            "Proposta indisponível",
            "Seek gone",
            "Esta proposta não está mais aberta.",
            "This seek is no longer open.",
        ),
        Code::OwnSeek => {
            ("Proposta própria", "Own seek", "Você não pode jogar contra si mesmo.", "You can't play against yourself.")
        }
        Code::OwnTable => {
            ("Mesa própria", "Own table", "Você não pode jogar contra si mesmo.", "You can't play against yourself.")
        }
        Code::Frozen => (
            "Conta bloqueada",
            "Account frozen",
            "Sua conta está bloqueada para novas partidas, treinos e depósitos; terminar a partida, ler e sacar continua possível.",
            "Your account is frozen for new matches, practice and deposits; you can still finish your match, read and withdraw.",
        ),
        Code::IdentityNeeded => (
            "Identidade não verificada",
            "Identity not verified",
            "Para isto sua identidade precisa estar verificada.",
            "This needs your identity to be verified.",
        ),
        Code::OwnRequest => (
            "Pedido próprio",
            "Own request",
            "Quem pediu não aprova: outro administrador precisa decidir.",
            "Whoever asked does not approve: another administrator has to decide.",
        ),
        Code::AlreadyDecided => (
            "Já decidido",
            "Already decided",
            "Isto já foi aprovado ou recusado.",
            "This has been approved or rejected already.",
        ),
        Code::AskerGone => (
            "Quem pediu saiu da função",
            "The asker has lost the role",
            "Quem pediu não é mais administrador: isto só pode ser recusado, e pedido de novo por outra pessoa.",
            "Whoever asked is no administrator any more: this can only be rejected, and asked for anew by somebody else.",
        ),
        Code::NotSubmitted => (
            "Não está a caminho",
            "Not under way",
            "Este saque não espera pelo provedor de pagamentos.",
            "This withdrawal does not wait for the payment provider.",
        ),
        Code::NotCorrectable => (
            "Não pode ser corrigida",
            "Can't be corrected",
            "Esta transferência faz parte de algo maior, ou não está em suspenso, ou é de outra moeda: não pode ser corrigida assim.",
            "This transfer is part of something larger, or not in suspense, or in another currency: it can't be corrected like this.",
        ),
        Code::AlreadyCorrected => (
            "Já corrigida",
            "Already corrected",
            "Esta transferência já foi estornada ou atribuída, ou espera por isso.",
            "This transfer has been reversed or assigned already, or waits for that.",
        ),
        Code::BalanceOutOfBounds => (
            "Saldo fora dos limites",
            "Balance out of bounds",
            "O saldo do jogador não permite este ajuste.",
            "The player's balance does not allow this adjustment.",
        ),
        Code::OnBreak => (
            "Em pausa",
            "Taking a break",
            "Você pediu uma pausa: até ela acabar não há novas partidas, treinos nem depósitos.",
            "You asked for a break: until it ends there are no new matches, no practice and no deposits.",
        ),
        Code::LimitReached => (
            "Limite atingido",
            "Limit reached",
            "Isto passaria de um limite que você definiu.",
            "This would be above a limit that you have set.",
        ),
        Code::AccountInUse => (
            "Conta em uso",
            "Account in use",
            "A conta ainda tem saldo, depósito pendente, saque em andamento ou partida em andamento.",
            "The account still has money, a pending deposit, a withdrawal under way or a live match.",
        ),
        Code::AlreadyReported => (
            "Partida já denunciada",
            "Already reported",
            "Você já denunciou esta partida.",
            "You have reported this match already.",
        ),
        Code::OwnAccount => (
            "Conta própria",
            "Own account",
            "Ninguém da equipe age sobre a própria conta: peça a um colega.",
            "Nobody of the staff acts on their own account: ask a colleague.",
        ),
        Code::NoOpenOffer => (
            "Sem proposta de empate",
            "No open offer",
            "O adversário não tem proposta de empate aberta.",
            "Your rival has no draw offer open.",
        ),
        Code::MatchNotOver => (
            "Partida em andamento",
            "Match not over",
            "A partida ainda não terminou: isto vem depois do fim.",
            "The match goes on: this comes after its end.",
        ),
        Code::RematchGone => (
            "Revanche indisponível",
            "Rematch gone",
            "Nenhuma proposta de revanche está aberta, ou quem a fez não pode mais jogar.",
            "No proposal of a rematch is open, or whoever made it can no longer play.",
        ),
        Code::OfferGone => (
            "Proposta de empate encerrada",
            "Offer gone",
            "Esta proposta de empate não está mais aberta.",
            "This draw offer is no longer open.",
        ),
        Code::OfferOpen => (
            "Proposta já aberta",
            "Offer already open",
            "Sua proposta de empate ainda está aberta.",
            "Your draw offer is still open.",
        ),
        Code::OfferTooSoon => (
            "Cedo demais",
            "Too soon",
            "Espere um lance do adversário antes de propor empate de novo.",
            "Wait for a move of your rival before you offer a draw again.",
        ),
        Code::TooSlow => (
            "Conexão lenta",
            "Too slow",
            "A conexão não leu o que foi enviado.",
            "The connection did not read what was sent to it.",
        ),
        Code::TooMany => (
            "Conexões demais",
            "Too many connections",
            "Uma conexão mais nova tomou o lugar desta.",
            "A newer connection took the place of this one.",
        ),
        Code::Protocol => (
            "Mensagem inválida",
            "Protocol error",
            "Só são aceitas mensagens JSON em texto de até 4 KiB.",
            "Only JSON text frames of at most 4 KiB are accepted.",
        ),
        Code::BotsBusy => (
            "Robôs ocupados",
            "Bots are busy",
            "Todos os robôs estão ocupados com outras partidas: tente de novo em instantes.",
            "All bots are busy with other games: try again in a moment.",
        ),
        Code::Overloaded => (
            "Serviço ocupado",
            "Overloaded",
            "O serviço está ocupado: tente de novo em instantes.",
            "The service is busy: try again in a moment.",
        ),
        Code::Paused => (
            "Serviço em pausa",
            "Paused",
            "O serviço não consegue gravar agora e os relógios estão parados. O que você pediu pode ter sido feito mesmo assim: confira antes de repetir.",
            "The service can't write at the moment, and clocks stand still. What you asked for may have been done all the same: look before you repeat it.",
        ),
        Code::Stopping => (
            "Servidor reiniciando",
            "Server stopping",
            "O servidor está reiniciando: volte em instantes.",
            "The server is restarting: come back in a moment.",
        ),
        Code::Internal => {
            ("Erro interno", "Internal error", "Algo falhou do nosso lado.", "Something failed on our side.")
        }
    }
}
