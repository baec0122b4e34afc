#!/usr/bin/env python3
"""A client of KataGo's JSON analysis protocol that checks what a server answers.

Usage: analysis_client.py -- SERVER COMMAND...

The client was written from KataGo's public documentation (Analysis_Engine.md and GTP_Extensions.md) and
without a look at the server. It plays through made-up Go games as a review site does, and it prints a table
of every difference from what the documentation says. It exits with 1 where a client would trip over one.
"""
import json
import random
import subprocess
import sys
import threading

COLUMNS = "ABCDEFGHJKLMNOPQRST"
differences = {}  # (grade, promise) -> [the first thing that came, how often]

def must(holds, promise, came, grade="serious"):
    """Note a difference where what the documentation promises does not hold, and tell whether it holds."""
    if not holds:
        differences.setdefault((grade, promise), [str(came)[:160], 0])[1] += 1
    return bool(holds)

def should(holds, promise, came):
    """The same for a difference that clients do not trip over."""
    return must(holds, promise, came, "harmless")

class Board:
    """A Go board whose own legal moves are those that every set of rules allows."""

    def __init__(self, width, height, stones=()):
        self.width, self.height = width, height
        self.stones = {self.point(where): colour for colour, where in stones}
        self.seen = set()

    def point(self, text):
        return COLUMNS.index(text[0]), int(text[1:]) - 1

    def rows(self):
        """The points as KataGo lists them: row by row, from the top left to the bottom right."""
        return [(x, y) for y in reversed(range(self.height)) for x in range(self.width)]

    def neighbours(self, point):
        near = [(point[0] + dx, point[1] + dy) for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        return [(x, y) for x, y in near if 0 <= x < self.width and 0 <= y < self.height]

    def group(self, point):
        group, liberties, todo = {point}, 0, [point]
        while todo:
            for near in self.neighbours(todo.pop()):
                liberties += near not in self.stones
                if self.stones.get(near) == self.stones[point] and near not in group:
                    group.add(near)
                    todo.append(near)
        return group, liberties

    def after(self, colour, point):
        """The board after a move; None where the point is taken or the move kills its own stones."""
        if point in self.stones:
            return None
        board = Board(self.width, self.height)
        board.stones = {**self.stones, point: colour}
        for near in self.neighbours(point):
            if board.stones.get(near, colour) != colour:
                group, liberties = board.group(near)
                for dead in group if not liberties else ():
                    del board.stones[dead]
        board.seen = self.seen | {frozenset(self.stones.items())}
        return board if board.group(point)[1] else None

    def legal(self, colour):
        """The moves, with the boards after them, that are legal whatever the rules say of suicide and ko."""
        boards = {point: self.after(colour, point) for point in self.rows()}
        return {p: b for p, b in boards.items() if b and frozenset(b.stones.items()) not in b.seen}

class Server:
    """The process, its answers in the order they came, and what was asked under which id."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)
        self.answers, self.asked, self.changed = [], {}, threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if must(line.startswith("{"), "every answer is one line with a JSON object", line):
                with self.changed:
                    self.answers.append(json.loads(line))
                    self.changed.notify_all()

    def send(self, query, boards=None):
        self.asked[query["id"]] = (query, boards)
        self.process.stdin.write(json.dumps(query) + "\n")

    def wait(self, holds, seconds=15):
        with self.changed:
            return self.changed.wait_for(holds, seconds)

    def of(self, query_id, key="id"):
        """The answers to a query that have a field."""
        return [a for a in list(self.answers) if a.get("id") == query_id and key in a]

    def finals(self, query_id):
        return [a for a in self.of(query_id, "isDuringSearch") if a["isDuringSearch"] is False]

    def done(self, query_id):
        """Whether an analysis query has had all its answers."""
        query = self.asked[query_id][0]
        return len(self.finals(query_id)) >= len(query.get("analyzeTurns", [0])) or self.of(query_id, "error")

# What numbers a move and the position have, and those that came in later versions of KataGo.
MOVE_FIELDS = "winrate scoreMean scoreStdev scoreLead scoreSelfplay prior utility lcb utilityLcb visits".split()
NEW_MOVE_FIELDS = "edgeVisits weight edgeWeight playSelectionValue".split()
ROOT_FIELDS = "winrate scoreLead scoreSelfplay utility visits".split()
NEW_ROOT_FIELDS = ("lcb scoreStdev rawWinrate rawLead rawScoreSelfplay rawScoreSelfplayStdev rawNoResultProb "
                   "rawStWrError rawStScoreError rawVarTimeLeft").split()
hashes = {}  # Whose hash each hash was first.

def check_numbers(info, where, fields, new_fields):
    for field in fields + new_fields:
        grade = "serious" if field in fields else "harmless"
        must(type(info.get(field)) in (int, float), f"{where} has the number {field}", info, grade)
    must(0 <= info["winrate"] <= 1 and 0 <= info.get("prior", 0) <= 1, "winrate and prior lie in [0, 1]", info)

def check_move(info, index, query, board, player):
    check_numbers(info, "moveInfos", MOVE_FIELDS, NEW_MOVE_FIELDS)
    must(info.get("order") == index, "moveInfos are sorted by order 0, 1, ...", info)
    pv = info.get("pv")
    if not must(isinstance(pv, list) and pv[:1] in ([], [info["move"]]), "pv is a list that starts with move", info):
        return
    line, colour = board, player
    for step in pv:
        if step != "pass":
            must(line.point(step) not in line.stones, "pv is a line of legal moves", (step, pv))
            # Some rules allow a suicide, and the rest of such a line is not followed.
            line = line.after(colour, line.point(step)) or Board(board.width, board.height)
        colour = "W" if colour == "B" else "B"
    for field, grade in (("pvVisits", "serious"), ("pvEdgeVisits", "harmless")):
        length = len(pv) if query.get("includePVVisits") else 0
        must(len(info.get(field, [])) == length, f"{field} if includePVVisits, as long as pv", info, grade)
    size = board.width * board.height * query.get("includeMovesOwnership", 0)
    must(len(info.get("ownership", [])) == size, "the ownership after each move if asked for", info)
    should("includeNoResultValue" not in query or "noResultValue" in info, "noResultValue if asked for", info)

def check_answer(answer, query, board):
    """Check one analysis answer against the documentation."""
    turn, came = answer["turnNumber"], (query["id"], answer)
    last = query["moves"][turn - 1][0] if turn else "BW".replace(query.get("initialPlayer", "B"), "")
    player = "B" if last == "W" else "W"
    if not must("rootInfo" in answer and "moveInfos" in answer, "an answer has moveInfos and rootInfo", came):
        return
    root, infos = answer["rootInfo"], answer["moveInfos"]
    check_numbers(root, "rootInfo", ROOT_FIELDS, NEW_ROOT_FIELDS)
    must(root.get("currentPlayer") == player, "currentPlayer is who is to move, B or W", (query["id"], turn, root))
    most = query.get("maxVisits", query.get("overrideSettings", {}).get("maxVisits"))
    should(sum(info["visits"] for info in infos) <= root["visits"] <= most, "visits add up within maxVisits", came)
    # KataGo counts the position as its first visit, and it searches on where the game has ended.
    must(infos or most == 1 or answer["isDuringSearch"], "moveInfos has a move, also after two passes", came)
    should(root["scoreLead"] * (root["winrate"] - 0.5) > -2, "winrate and scoreLead agree", (query["rules"], root))
    for index, info in enumerate(infos):
        check_move(info, index, query, board, player)
    known = {info["move"] for info in infos}
    must(len(known) == len(infos), "a move comes once in moveInfos", came)
    # The komi and the rules are no part of what the documentation says a hash stands for.
    key = (board.width, board.height, frozenset(board.stones.items()), player)
    before = hashes.setdefault(root.get("thisHash"), (key, root.get("symHash")))
    must(isinstance(root.get("thisHash"), str) and isinstance(root.get("symHash"), str), "the hashes are texts", root)
    if should(before[0] == key, "thisHash is unique for each position and player", (before[0][:2], key[:2])):
        should(before[1] == root.get("symHash"), "positions of one thisHash have one symHash", (before[1], root))
    size, owner = board.width * board.height, answer.get("ownership", [])
    must(len(owner) == (size if query.get("includeOwnership") else 0), "ownership has a number for each point", came)
    must(all(-1 <= value <= 1 for value in owner), "ownership lies in [-1, 1]", came)
    must(("policy" in answer) == query.get("includePolicy", False), "policy comes if asked for", came)
    if "policy" in answer:
        policy, legal, came = answer["policy"], board.legal(player), (query["id"], turn, answer["policy"])
        must(len(policy) == size + 1 and max(policy) <= 1, "policy has a number for each point and the pass", came)
        must(abs(sum(v for v in policy if v >= 0) - 1) < 1e-3, "policy sums to 1 over the legal moves", came)
        must(policy[-1] >= 0, "the last value of policy is the pass, which is legal", came)
        priors = {"pass": policy[-1]}
        for point, value in zip(board.rows(), policy):
            must(value == -1 or point not in board.stones, "policy is -1 on stones, rows from the top", came)
            must(value >= 0 or point not in legal, "policy is not -1 for a legal move", came)
            priors[COLUMNS[point[0]] + str(point[1] + 1)] = value
        should(all(abs(info["prior"] - priors[info["move"]]) < 0.02 for info in infos), "prior is the policy's", came)
    # The ban, where there is one, is for the player to move.
    must("avoidMoves" not in query or not known & set(BAN["moves"]), "avoidMoves holds", known)
    must("allowMoves" not in query or known <= set(BAN["moves"]), "allowMoves holds", known)

def make_game(rng, width, height, length):
    """A random game: its moves, and the board after each number of them."""
    moves, boards = [], [Board(width, height)]
    for number in range(length):
        colour, legal = "BW"[number % 2], boards[-1].legal("BW"[number % 2])
        point = rng.choice(sorted(legal)) if legal and number % 9 != 8 else None
        moves.append([colour, COLUMNS[point[0]] + str(point[1] + 1) if point else "pass"])
        boards.append(legal[point] if point else boards[-1])
    return moves, boards

def base(query_id, width=5, height=5, **fields):
    return {"id": query_id, "moves": [], "rules": "tromp-taylor", "komi": 7.5, "boardXSize": width,
            "boardYSize": height, "maxVisits": 20, **fields}

RULES = ["tromp-taylor", "chinese", "chinese-ogs", "chinese-kgs", "japanese", "korean", "aga", "bga", "new-zealand",
         "aga-button", "stone-scoring", {"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": True}]
SETTINGS = [{"maxVisits": 7}, {"reportAnalysisWinratesAs": "WHITE"}, {"reportAnalysisWinratesAs": "SIDETOMOVE"},
            {"wideRootNoise": 0.04, "maxTime": 2.0}, {"rootNumSymmetriesToSample": 2}]
BAN = {"player": "W", "moves": ["B3", "C2", "pass"], "untilDepth": 3}
TRANSPOSED = [["B", "B4"], ["W", "D2"], ["B", "C4"]]

def good_queries(rng):
    """Pairs of a query that must be answered and the board at each turn."""
    games = [(5, 5, rules) for rules in RULES] + [(x, y, RULES[0]) for x, y in ((7, 7), (9, 9), (4, 6), (19, 19))]
    for number, (width, height, rules) in enumerate(games):
        moves, boards = make_game(rng, width, height, 12)
        turns = list(range(0, 13, 1 if width == 5 else 6))
        yield base(f"game {number}", width, height, moves=moves, rules=rules, komi=rng.choice([-3, 0, 0.5, 6.5, 24]),
                   analyzeTurns=turns, priorities=[-t for t in turns], includeOwnership=True, includePolicy=True,
                   includePVVisits=number % 2 == 0, includeMovesOwnership=number == 0), boards
    walls = [["B", column + "4"] for column in "ABCDE"] + [["W", column + "2"] for column in "ABCDE"]
    for query_id, moves, fields in (
            ("pair", [["B", "(0,0)"], ["W", "E1"]], {}), ("same colour", [["B", "C3"], ["B", "B3"]], {}),
            ("resumed", [["B", "C3"], ["W", "pass"], ["B", "pass"], ["W", "B2"]], {}),
            ("passes", [["B", "pass"], ["W", "pass"]], {"initialStones": walls}), ("transposed 0", TRANSPOSED, {}),
            ("transposed 1", TRANSPOSED[::-1], {}), ("flipped", [["B", "B2"], ["W", "D4"], ["B", "C2"]], {}),
            ("placed", [], {"initialStones": TRANSPOSED, "initialPlayer": "W"}),
            ("one visit", [], {"maxVisits": 1, "rootPolicyTemperature": 1.0, "rootFpuReductionMax": 0.1}),
            ("newer fields", [], {"analysisPVLen": 3, "includeNoResultValue": True, "whiteHandicapBonus": "0"})):
        stones = [[colour, where.replace("(0,0)", "A5")] for colour, where in moves if where != "pass"]
        query = base(query_id, moves=moves, includePolicy=True, includeOwnership=True, priority=5)
        yield {**query, **fields}, {len(moves): Board(5, 5, fields.get("initialStones", []) + stones)}
    for number, fields in enumerate([{"avoidMoves": [BAN]}, {"allowMoves": [BAN]}] +
                                    [{"overrideSettings": settings} for settings in SETTINGS]):
        query = base(f"with {number}", moves=[["B", "C3"]], **fields)
        if number == 2:
            del query["maxVisits"]  # It is among the settings.
        yield query, {1: Board(5, 5, query["moves"])}

# What is wrong (None: left out) with a query; the error is to name the first of the fields.
WRONG = [{"moves": None}, {"rules": None}, {"boardXSize": None}, {"boardXSize": 0}, {"boardYSize": 1000},
         {"boardXSize": "five"}, {"rules": "klingon"}, {"moves": [["B", "C3"], ["W", "C3"]]}, {"komi": "six"},
         {"moves": [["B", "Z99"]]}, {"moves": [["X", "C3"]]}, {"moves": "C3"}, {"initialStones": [["B", "Z99"]]},
         {"initialPlayer": "green"}, {"komi": 7.3}, {"komi": 1000}, {"analyzeTurns": [5]}, {"maxVisits": 0},
         {"priorities": [1, 2], "analyzeTurns": [0]}, {"includeOwnership": "yes"}, {"action": "dance"},
         {"avoidMoves": [{"player": "B", "moves": ["C3"]}]}, {"terminateId": None, "action": "terminate"}]

def check_good(server, query_id):
    """Check all the answers to an analysis query that is right."""
    query, boards = server.asked[query_id]
    turns = query.get("analyzeTurns", [len(query["moves"])])
    for answer in server.of(query_id):
        if "warning" in answer:
            should(query_id == "unknown", f"no warning of {answer.get('field')}", (query["rules"], answer))
        elif "error" in answer:
            must(False, f"no error of {answer.get('field')}", (query["rules"], answer))
        elif must(answer.get("turnNumber") in turns, "turnNumber was asked for", answer):
            check_answer(answer, query, boards[answer["turnNumber"]])
    if not server.of(query_id, "error"):
        finals = sorted(answer["turnNumber"] for answer in server.finals(query_id))
        must(finals == turns, "exactly one final answer for every turn", (query_id, finals, turns))

def review(server):
    """Many queries in flight at once, right and wrong ones mixed."""
    good = list(good_queries(random.Random(7))) + [(base("unknown", fooBar=1), [Board(5, 5)])]
    wrong = [(base("query with " + json.dumps(change), **change), next(iter(change))) for change in WRONG]
    for query, _ in wrong:
        server.send({key: value for key, value in query.items() if value is not None})
    for line in ("this is no JSON", "[1, 2]", '{"id": 7, "moves": []}', '{"moves": []}'):
        server.process.stdin.write(line + "\n")
    for query, boards in good:
        server.send(query, boards)
    server.wait(lambda: all(server.done(query["id"]) for query, _ in good), 30)
    for query, _ in good:
        check_good(server, query["id"])
    for query, field in wrong:
        answers = server.of(query["id"])
        must(len(answers) == 1, "a wrong query has one answer and no more", (query["id"], answers))
        should([a.get("field") for a in answers if "error" in a] == [field], "error: " + query["id"], answers)
    should([w["field"] for w in server.of("unknown", "warning")] == ["fooBar"], "a warning of fooBar", "none")
    errors = [a for a in server.answers if "error" in a and not isinstance(a.get("id"), str)]
    must(len(errors) == 4, "an error for each line without JSON or without an id", errors)
    one, two, placed, flipped, passes, black, white = (
        (server.finals(query_id) or [{"rootInfo": {}}])[0] for query_id in
        ("transposed 0", "transposed 1", "placed", "flipped", "passes", "with 2", "with 3"))
    for field, same in (("symHash", (one, two, flipped)), ("thisHash", (one, two, placed))):
        values = [answer["rootInfo"].get(field) for answer in same]
        should(len(set(values)) == 1, f"{field} is of the position, whatever moves led to it", values)
    owner = passes.get("ownership", [0])
    must(sum(owner[:10]) > 5 > -5 > sum(owner[15:]), "ownership lists the top first and is positive for black", owner)
    for field, middle in (("winrate", 0.5), ("scoreLead", 0)):
        values = [answer["rootInfo"].get(field, middle) - middle for answer in (black, white)]
        must(values[0] * values[1] < 0, f"reportAnalysisWinratesAs in overrideSettings turns {field}", values)

def act(server, action, promised=(), **fields):
    """Send an action and check that its answer is its echo and the fields promised."""
    query = {"id": f"{action} {len(server.asked)}", "action": action, **fields}
    server.send(query)
    server.wait(lambda: server.of(query["id"]), 5)
    answer, = server.of(query["id"]) or [{}]
    must({**answer, **query} == answer and set(answer) == {*query, *promised}, f"{action}: echo, {promised}", answer)
    return answer

def actions(server):
    act(server, "query_version", ("version", "git_hash"))
    models = act(server, "query_models", ("models",)).get("models", [{}])
    should(all({"name", "internalName", "version"} <= set(model) for model in models), "models have names", models)
    act(server, "clear_cache")
    act(server, "terminate", terminateId="nobody")
    # Nobody could wait for this search to end: it reports while it runs, until it is terminated.
    server.send(base("long", 9, 9, maxVisits=10 ** 8, reportDuringSearchEvery=0.05, analyzeTurns=[0, 1],
                     moves=[["B", "C3"]]), [Board(9, 9), Board(9, 9, [["B", "C3"]])])
    must(server.wait(lambda: len(server.of("long")) > 7), "answers come during the search", server.of("long"))
    act(server, "terminate", terminateId="long", turnNumbers=[1])
    must(server.wait(lambda: [a["turnNumber"] for a in server.finals("long")] == [1]), "terminate of turn 1", "none")
    act(server, "terminate_all")
    server.wait(lambda: server.done("long"))
    check_good(server, "long")
    must(not server.of("long", "noResults"), "a terminated search tells what it has", server.finals("long"))

def end_of_input(server):
    """All that is queued is answered after the end of input, the urgent first, and the exit code is 0."""
    start = len(server.answers)
    for number in range(300):
        server.send(base(f"late {number}", maxVisits=50), [Board(5, 5)])
    server.send(base("urgent", priority=9, maxVisits=50), [Board(5, 5)])
    server.process.stdin.close()
    server.reader.join(20)
    must(server.process.wait(1) == 0, "the server exits with 0 at the end of input", server.process.returncode)
    order = [answer.get("id") for answer in server.answers[start:]]
    must(len(order) == 301 == len(set(order)), "all that is queued is answered at the end of input", len(order))
    should("urgent" in order[:250], "a query of high priority overtakes", order[-1:])

def main():
    if sys.argv[1:2] != ["--"] or len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    server = Server(sys.argv[2:])
    try:
        for part in (review, actions, end_of_input):
            part(server)
    finally:
        server.process.kill()
        for (grade, promise), (came, count) in sorted(differences.items(), reverse=True):
            print(f"{grade:8} | {count:4} x | {promise} | {came}")
    sys.exit(any(grade == "serious" for grade, _ in differences))

if __name__ == "__main__":
    main()
