"""Plays a practice session and a friendly match against a bot, as a guest, by chance.

    python3 clients/play.py [http://127.0.0.1:8080]

Needs Python 3.9 or later and its package `websockets`.
"""

import json
import random
import sys
import urllib.error
import urllib.request

from websockets.sync.client import connect

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


def call(path, body, token=None):
    """POST; gives the answer, or ends with the sentence that says what is wrong."""
    headers = {"content-type": "application/json", "accept-language": "en"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(SERVER + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as problem:
        sys.exit(json.load(problem)["detail"])


guest = call("/v1/auth/guest", {})
me, token = guest["player"]["id"], guest["access_token"]

# Practice: each answer has the bot's move in it, and the state after it.
session = call("/v1/practice", {"game": "oware", "level": "easy"}, token)
while session["status"] == "live":
    move = {"ply": session["ply"] + 1, "move": random.choice(session["legal"])}
    session = call(f"/v1/practice/{session['id']}/moves", move, token)
print("practice:", session["outcome"]["ending"], "after", session["ply"], "moves, I was", session["seat"])

# A friendly match: told by the socket as it goes, like one against anybody.
match = call("/v1/practice/matches", {"game": "mu_torere", "level": "easy"}, token)["match_id"]
with connect(SERVER.replace("http", "ws", 1) + "/v1/ws") as socket:
    socket.send(json.dumps({"type": "hello", "token": token}))
    socket.send(json.dumps({"type": "watch", "match": match}))
    seat = state = None
    for text in socket:
        frame = json.loads(text)
        if frame["type"] == "error":
            sys.exit(f"refused: {frame['code']}")
        if frame["type"] == "match":
            state = frame["match"]
            seat = "first" if state["players"]["first"]["id"] == me else "second"
        elif frame["type"] == "moved":
            state = frame
        elif frame["type"] == "ended":
            print("match:", match, frame["outcome"]["ending"], "won by", frame["outcome"]["winner"], "I was", seat)
            break
        if frame["type"] in ("match", "moved") and state["to_move"] == seat:
            move = {"type": "move", "match": match, "ply": state["ply"] + 1, "move": random.choice(state["legal"])}
            socket.send(json.dumps(move))
