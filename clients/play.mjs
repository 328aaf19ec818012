// Plays a practice session and a friendly match against a bot, as a guest, by chance.
//
//     node clients/play.mjs [http://127.0.0.1:8080]
//
// Needs Node.js 22 or later (20 with --experimental-websocket), and nothing else.

const server = process.argv[2] ?? "http://127.0.0.1:8080";
const anyOf = (moves) => moves[Math.floor(Math.random() * moves.length)];

/** POST; gives the answer, or throws the sentence that says what is wrong. */
async function call(path, body, token) {
  const headers = { "content-type": "application/json", "accept-language": "en" };
  if (token) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(server + path, { method: "POST", headers, body: JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.detail);
  return told;
}

const guest = await call("/v1/auth/guest", {});
const [me, token] = [guest.player.id, guest.access_token];

// Practice: each answer has the bot's move in it, and the state after it.
let session = await call("/v1/practice", { game: "oware", level: "easy" }, token);
while (session.status === "live") {
  const move = { ply: session.ply + 1, move: anyOf(session.legal) };
  session = await call(`/v1/practice/${session.id}/moves`, move, token);
}
console.log("practice:", session.outcome.ending, "after", session.ply, "moves, I was", session.seat);

// A friendly match: told by the socket as it goes, like one against anybody.
const { match_id: match } = await call("/v1/practice/matches", { game: "mu_torere", level: "easy" }, token);
const socket = new WebSocket(`${server.replace("http", "ws")}/v1/ws`);
const send = (frame) => socket.send(JSON.stringify(frame));
let seat;

socket.onopen = () => {
  send({ type: "hello", token });
  send({ type: "watch", match });
};

socket.onmessage = ({ data }) => {
  const frame = JSON.parse(data);
  if (frame.type === "error") throw new Error(`refused: ${frame.code}`);
  const state = frame.type === "match" ? frame.match : frame;
  if (frame.type === "match") seat = state.players.first.id === me ? "first" : "second";
  if ((frame.type === "match" || frame.type === "moved") && state.to_move === seat) {
    send({ type: "move", match, ply: state.ply + 1, move: anyOf(state.legal) });
  }
  if (frame.type === "ended") {
    console.log("match:", match, frame.outcome.ending, "won by", frame.outcome.winner, "I was", seat);
    socket.close();
  }
};
