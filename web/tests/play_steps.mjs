// Steps of page_test.mjs: what the page says of a game, what it keeps of it, and who may play it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ask, openPage, pointOf, shownMoves, status } from "./browser.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** No model of two players plays it. */
const THREE = "quoridor:5x5,players=3,walls=2";

/** `game`: of two players, with walls, and `moves` a whole game of it; `served`: by `koridor serve`. */
export async function playSteps({ browser, base, site, link, step, game, moves, served }) {
  const seat = (page, title) => page.getByRole("combobox", { name: title, exact: true });
  const undone = (page, count) =>
    page.waitForFunction((n) => document.querySelectorAll(".moves .undone").length === n, count);
  const played = (page, count) => page.locator(".moves button").nth(count - 1).waitFor();
  const type = async (page, text) => {
    await page.getByPlaceholder("a move").fill(text);
    await page.keyboard.press("Enter");
  };
  const legal = async (variant, before) =>
    (await ask(base, "/api/position", { game: variant, moves: before })).picture.legal;
  /** The work on a page of its own. */
  const alone = (name, address, work, options) =>
    step(name, async () => {
      const page = await openPage(browser, options);
      await page.goto(address);
      await page.locator(".table .board svg").waitFor();
      await work(page);
      assert.deepEqual(page.faults.filter((fault) => !/status of 400/.test(fault)), []);
      await page.unrouteAll({ behavior: "ignoreErrors" }); // requests of the page that are still on their way
      await page.context().close();
    });

  await alone("the game fits its window", link(game, ["person", "person"]), async (page) => {
    const size = () =>
      page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    for (const [width, height] of [[1280, 720], [1280, 1000], [320, 800]]) {
      await page.setViewportSize({ width, height });
      const [shownWidth, shownHeight] = await size();
      assert.ok(shownWidth <= width, `${shownWidth} pixels wide on ${width}`);
      if (width > 820) assert.ok(shownHeight <= height, `${shownHeight} pixels high on ${height}`);
    }
  });

  await alone("Go after a wall game on a board of the same size", link("quoridor:5x5,walls=3", ["person", "person"]), async (page) => {
    await page.getByRole("button", { name: "New game" }).click();
    const form = page.locator("form[aria-label='New game']");
    await form.locator("select").first().selectOption("go");
    await form.getByLabel("Columns").fill("5");
    await form.getByLabel("Rows").fill("5");
    await form.getByRole("button", { name: "Begin", exact: true }).click();
    await page.getByRole("heading", { name: /^go:5x5/ }).waitFor();
    const variant = await page.getByRole("heading", { name: /^go:5x5/ }).innerText();
    for (const title of ["black", "white"]) await seat(page, title).selectOption("person");
    const stone = (await legal(variant, [])).find((action) => action.text === "C3");
    const { x, y } = await pointOf(page, stone);
    await page.mouse.click(x, y);
    await played(page, 1);
    assert.deepEqual(await shownMoves(page), ["C3"]);
    assert.equal(await page.locator(".table svg g.stone").count(), 1);
  });

  await alone("a link with a damaged ply shows all moves", `${link(game, ["person", "person"], moves.slice(0, 2))}&ply=x`, async (page) => {
    await played(page, 2);
    assert.equal(await page.locator(".moves .undone").count(), 0);
    await type(page, (await legal(game, moves.slice(0, 2)))[0].text);
    await played(page, 3);
    assert.deepEqual((await shownMoves(page)).slice(0, 2), moves.slice(0, 2));
  });

  await alone("a link with a damaged position says so", `${link(game, ["person", "person"])}&start=%7B`, async (page) => {
    assert.match(await page.getByTestId("said").innerText(), /The link is damaged/);
  });

  await alone("why a game is drawn is said", link("quoridor:repetition=3", ["person", "person"], ["e8", "e2", "e9", "e1", "e8", "e2", "e9", "e1"]), async (page) => {
    await page.waitForFunction(() => /A draw: this position/.test(document.querySelector("[data-testid=status]").textContent));
  });

  await alone("a choice of colours is kept, and nothing else is", `${site}/`, async (page) => {
    assert.equal(await page.evaluate(() => localStorage.length), 0);
    await page.getByLabel("Colours").selectOption("dark");
    assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), { "koridor-theme": "dark" });
    await page.evaluate(() => localStorage.setItem("koridor-theme", "solarized"));
    await page.reload();
    await page.locator(".table .board svg").waitFor();
    assert.equal(await page.getByLabel("Colours").inputValue(), "auto");
  });

  await alone("who cannot play a game is not proposed for it", `${site}/`, async (page) => {
    await page.getByRole("button", { name: "New game" }).click();
    const form = page.locator("form[aria-label='New game']");
    await form.locator("select").first().selectOption("quoridor");
    await form.getByLabel("Columns").fill("5");
    await form.getByLabel("Rows").fill("5");
    await form.getByLabel("Walls each").fill("2");
    await form.getByLabel("Players").fill("3");
    await form.getByRole("button", { name: "Begin", exact: true }).click(); // before the form knows who can play
    await page.getByRole("heading", { name: THREE }).waitFor();
    assert.equal(await seat(page, "player 3").inputValue(), "greedy");
    await type(page, (await legal(THREE, []))[0].text);
    await played(page, 3);
    assert.equal(await page.getByLabel("Analyse while playing").count(), 0);
    await page.getByRole("button", { name: "New game" }).click();
    await form.getByLabel("Players").fill("2");
    const able = form.getByRole("combobox", { name: "Player 2" }).locator("option[value^='model/']");
    await able.first().waitFor({ state: "attached" });
    await form.getByLabel("Players").fill("3");
    await able.first().waitFor({ state: "detached" });
  });

  const unfit = ["person", "model/m0/hard", "greedy"];
  await alone("a player that cannot play says so, and gives its seat to another", link(THREE, unfit), async (page) => {
    await type(page, (await legal(THREE, []))[0].text);
    await page.getByTestId("status").filter({ hasText: /cannot play here/ }).waitFor();
    assert.match(await page.getByTestId("said").innerText(), /2 players, this game has 3/);
    await seat(page, "player 2").selectOption("greedy");
    await played(page, 3);
    assert.equal((await page.getByTestId("said").innerText()).trim(), "");
  });

  await alone("what was played is said", link(game, ["person", "greedy"]), async (page) => {
    await page.locator(".table .board").focus();
    await page.keyboard.press("ArrowUp");
    assert.notEqual((await page.getByTestId("said").innerText()).trim(), "");
    await type(page, moves[0]);
    await played(page, 2);
    const [, answer] = await shownMoves(page);
    await page.getByTestId("played").filter({ hasText: `Player 2 played ${answer}` }).waitFor();
    assert.equal((await page.getByTestId("said").innerText()).trim(), ""); // the cursor was on another position
    await page.locator(".moves button").first().click();
    await page.getByTestId("status").filter({ hasText: "waits until you go on" }).waitFor();
    assert.equal(await page.getByTestId("played").innerText(), "");
    await page.goto("about:blank");
    await page.goto(link("go:5x5", ["person", "person"], ["C3", "pass"]));
    await page.getByTestId("played").filter({ hasText: "White passed" }).waitFor();
  });

  await alone("the keyboard keeps its place", link(game, ["person", "greedy"]), async (page) => {
    const said = (text) => page.getByTestId("said").filter({ hasText: text }).waitFor();
    const inBoard = () => document.activeElement.classList.contains("board");
    await page.getByPlaceholder("a move").focus();
    for (const count of [2, 4]) {
      const [next] = await legal(game, await shownMoves(page));
      await page.keyboard.type(`${next.text}\n`);
      await played(page, count);
    }
    await page.keyboard.type("zz\n");
    await said("zz");
    await page.locator(".table .board").focus();
    await page.keyboard.press("ArrowUp");
    await said(/can be played|empty|pawn|is too far|not/);
    assert.doesNotMatch(await page.getByTestId("said").innerText(), /zz/);
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.focus();
    for (const count of [2, 4]) {
      await page.keyboard.press("Enter");
      await undone(page, count);
    }
    await page.keyboard.press("Enter"); // nothing is left to undo
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Undo");
    await page.getByRole("button", { name: "End" }).click();
    await page.getByRole("button", { name: "Resign" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(inBoard);
    await page.getByRole("button", { name: "New game" }).click();
    await page.getByRole("button", { name: "Cancel" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.textContent === "New game");
  });

  const refused = link("quoridor", ["person", "person"], ["e8", "e2", "e7h", "e3"]);
  await alone("the first touch after a refused one counts", refused, async (page) => {
    const { x, y } = await pointOf(page, { kind: "pawn", at: [3, 4] });
    await page.touchscreen.tap(x, y);
    await page.getByTestId("said").filter({ hasText: "e4 is too far" }).waitFor();
    const undo = await page.getByRole("button", { name: "Undo" }).boundingBox();
    await page.touchscreen.tap(undo.x + undo.width / 2, undo.y + undo.height - 4);
    await undone(page, 1);
  }, PHONE);

  for (const seats of [["person", "greedy"], ["greedy", "greedy"]]) {
    await alone(`a game that is over is gone through ply by ply: ${seats}`, link(game, seats, moves), async (page) => {
      await page.getByTestId("status").filter({ hasText: /wins|draw/ }).waitFor();
      for (const [button, count] of [["Undo", 1], ["Undo", 2], ["Undo", 3], ["Redo", 2]]) {
        await page.getByRole("button", { name: button }).click();
        await undone(page, count);
      }
    });
  }

  await alone("a person gives the game up, and takes that back", link(game, ["person", "greedy"]), async (page) => {
    const button = (name) => page.getByRole("button", { name, exact: true });
    await type(page, moves[0]);
    await played(page, 2);
    await button("Resign").click();
    await page.getByTestId("status").filter({ hasText: "Player 1 gives the game up" }).waitFor();
    await type(page, moves[2]);
    await page.getByTestId("said").filter({ hasText: "The game is over." }).waitFor();
    assert.equal(await button("Resign").count(), 0);
    await button("Save, load, share").click();
    const saving = page.waitForEvent("download");
    await button("Save to a file").click();
    await saving;
    assert.match(await page.locator("textarea").inputValue(), /\[Result "0-1"\]/);
    await button("Start").click();
    await page.getByTestId("status").filter({ hasText: "Player 1 to move" }).waitFor();
    await button("End").click();
    await page.getByTestId("status").filter({ hasText: "Player 1 gives the game up" }).waitFor();
    await button("Undo").click();
    await page.getByTestId("status").filter({ hasText: "Player 1 to move" }).waitFor();
    assert.equal((await shownMoves(page)).length, 2);
    await undone(page, 0);
    await button("Undo").click();
    await undone(page, 2); // both moves, since a person is to move only before them
    assert.equal(await button("Resign").count(), 0);
    await page.goto("about:blank");
    await page.goto(link(THREE, ["person", "person", "person"]));
    await page.locator(".table .board svg").waitFor();
    assert.equal(await button("Resign").count(), 0);
  });

  await alone("a reload keeps the game and its players", link(game, ["person", "greedy"]), async (page) => {
    await type(page, moves[0]);
    await played(page, 2);
    const before = await shownMoves(page);
    await page.waitForURL((url) => new URLSearchParams(url.hash.split("?")[1]).get("moves") === before.join(" "));
    await page.reload();
    await played(page, 2);
    assert.deepEqual(await shownMoves(page), before);
    assert.equal(await seat(page, "player 2").inputValue(), "greedy");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.waitForURL(/ply=0/);
    await page.reload();
    await undone(page, 2);
  });

  await alone("loaded games and positions by hand keep the players", link(game, ["person", "greedy"]), async (page) => {
    await page.getByRole("button", { name: "Save, load, share" }).click();
    await page.locator("textarea").fill(`[Game "${game}"]\n\n1. ${moves[0]} ${moves[1]} *\n`);
    await page.getByRole("button", { name: "Load this text" }).click();
    await played(page, 2);
    assert.equal(await seat(page, "player 2").inputValue(), "greedy");
    // A player without a model does not play from such a position, and a model takes its seat.
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("button", { name: "Use this position" }).click();
    await page.getByText("No move yet.").waitFor();
    assert.equal(await seat(page, "player 2").inputValue(), "model/m0/hard");
    assert.equal(await seat(page, "player 1").inputValue(), "person");
  });

  await alone("a record that begins with stones set up is loaded and saved", link("go:5x5", ["person", "person"]), async (page) => {
    await page.getByRole("button", { name: "Save, load, share" }).click();
    await page.locator("textarea").fill("(;GM[1]SZ[5]RU[chinese]HA[2]AB[bb][dc];W[cc];B[aa])");
    await page.getByRole("button", { name: "Load this text" }).click();
    await played(page, 2);
    assert.match(await status(page), /White to move/);
    assert.equal(await page.locator(".table svg g.stone").count(), 4);
    await page.getByRole("button", { name: "Save, load, share" }).click();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save to a file" }).click();
    await saving;
    assert.match(await page.locator("textarea").inputValue(), /AB\[bb\]\[dc\]PL\[W\]/);
    await page.waitForURL(/start=/);
    await page.reload();
    await played(page, 2);
    assert.equal(await page.locator(".table svg g.stone").count(), 4);
  });

  const empty = link("go:5x5", ["person", "person"]);
  await alone("a record keeps its result and names until somebody goes on", empty, async (page) => {
    const agreed = ["RE[B+16.5];B[];W[]", /B\+16\.5; as the rules count this board: White wins by/];
    const timed = ["RE[W+T];B[cc];W[]", /The record ends here, with the result W\+T/];
    const button = (name) => page.getByRole("button", { name, exact: true });
    const saved = async () => {
      const saving = page.waitForEvent("download");
      await button("Save to a file").click();
      return readFileSync(await (await saving).path(), "utf8");
    };
    for (const [record, said] of [agreed, timed]) {
      await button("Save, load, share").click();
      await page.locator("textarea").fill(`(;GM[1]SZ[5]RU[tromp-taylor]KM[3.5]PB[Ada]PW[Bo]${record})`);
      await button("Load this text").click();
      await page.getByTestId("status").filter({ hasText: said }).waitFor();
      await button("Start").click();
      await page.getByTestId("status").filter({ hasText: "Black to move" }).waitFor();
      await button("Save, load, share").click();
      assert.match(await saved(), /PB\[Ada\]PW\[Bo\]RE\[(B\+16\.5|W\+T)\]/);
      await button("End").click();
      await page.getByTestId("status").filter({ hasText: said }).waitFor();
      await button("Save, load, share").click();
    }
    await seat(page, "white").selectOption("greedy");
    await page.getByTestId("status").filter({ hasText: "Black to move" }).waitFor();
    await button("Save, load, share").click();
    assert.doesNotMatch(await saved(), /RE\[|Ada|Bo\]/);
  });

  const columns = "ABCDEFGHJKLMNOPQRST";
  const stones = Array.from({ length: 90 }, (_, i) => `${columns[(2 * i) % 19]}${1 + Math.floor((2 * i) / 19)}`);
  await alone("the list of moves follows the game", link("go:19x19", ["person", "person"], stones), async (page) => {
    const seen = () =>
      page.waitForFunction(() => {
        const frame = document.querySelector(".moves").getBoundingClientRect();
        const here = document.querySelector(".moves .here")?.getBoundingClientRect();
        return here && here.top >= frame.top && here.bottom <= frame.bottom + 1;
      });
    await seen();
    await page.getByRole("button", { name: "Start" }).click();
    await undone(page, 90);
    await page.getByRole("button", { name: "Redo" }).click();
    await seen();
    assert.equal(await page.evaluate(() => scrollY), 0);
  });

  await alone("without a clipboard the link is shown", link(game, ["person", "person"]), async (page) => {
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.getByRole("button", { name: "Save, load, share" }).click();
    await page.getByRole("button", { name: "Copy a link" }).click();
    const field = page.getByLabel("Copy this link");
    await field.waitFor();
    const selected = await field.evaluate((input) => input.value.slice(input.selectionStart, input.selectionEnd));
    assert.match(selected, /^http\S+#play\?game=quoridor\S+seats=person\+person$/);
    assert.ok(await field.evaluate((input) => input === document.activeElement));
  });

  await alone("owners lie above stones", link("go:5x5", ["person", "person"], ["C3", "pass", "pass"]), async (page) => {
    await page.locator(".owners rect").first().waitFor();
    const order = await page.locator(".table svg g").evaluateAll((groups) => groups.map((g) => g.classList[0]));
    assert.ok(order.indexOf("owners") > order.indexOf("stone"));
    assert.equal(await page.locator(".owners rect").count(), 24); // none on the stone, which is alive
    await page.goto("about:blank");
    await page.goto(link("go:5x5,japanese", ["person", "person"], ["C3", "pass", "pass"]));
    await page.getByTestId("status").filter({ hasText: "capture dead stones now, then pass" }).waitFor();
  });

  const earlier = link(game, ["person", "person"], moves.slice(0, 1));
  await alone('"back" leads to the game before a link', earlier, async (page) => {
    await type(page, moves[1]);
    await page.waitForURL((url) => url.hash.includes(`moves=${moves[0]}+${moves[1]}&`));
    await page.goto(link("go:5x5", ["person", "person"], ["C3"]));
    await page.getByRole("heading", { name: "go:5x5" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: game }).waitFor();
    await played(page, 2);
    assert.deepEqual(await shownMoves(page), moves.slice(0, 2));
  });

  await alone("no wall is set up that nobody has", link(game, ["person", "person"]), async (page) => {
    await page.getByRole("button", { name: "Set up" }).click();
    const form = page.locator("section[aria-label='Set up a position']");
    const stock = form.getByRole("spinbutton").first();
    await stock.fill("0");
    await form.locator(".board").focus();
    for (const key of ["ArrowUp", "h", "Enter"]) await page.keyboard.press(key);
    assert.match(await form.getByRole("status").innerText(), /player 1 has no walls left/);
    await form.locator("p.objection", { hasText: "player 1 has no walls left" }).waitFor();
    assert.deepEqual([await form.locator(".wall").count(), await stock.inputValue()], [0, "0"]);
    await stock.fill("1");
    await form.locator("p.objection").waitFor({ state: "detached" });
    await form.locator(".board").focus();
    for (const key of ["ArrowUp", "h"]) await page.keyboard.press(key);
    for (const [count, left] of [[1, "0"], [0, "1"]]) {
      await page.keyboard.press("Enter");
      assert.deepEqual([await form.locator(".wall").count(), await stock.inputValue()], [count, left]);
    }
  });

  await alone("a drawing is as wide as its board", link(game, ["person", "person"]), async (page) => {
    const { width, height } = await page.locator(".table .board svg").boundingBox();
    const [, , shownWidth, shownHeight] = (await page.locator(".table .board svg").getAttribute("viewBox")).split(" ");
    assert.ok(Math.abs(width / height - shownWidth / shownHeight) < 0.01, `${width} x ${height}`);
    const frame = await page.locator(".table .board").boundingBox();
    assert.ok(width < frame.width - 40, "a finger beside the board has no room to move the page");
  }, { ...PHONE, viewport: { width: 740, height: 360 } });

  await alone("a wall is named as it lies on the screen", link("quoridor4", Array(4).fill("person")), async (page) => {
    for (let turn = 0; turn < 4; turn++) {
      await page.locator(".table .board").focus();
      for (const [key, kind] of [["h", "horizontal"], ["v", "vertical"]]) {
        await page.keyboard.press(key);
        assert.match(await page.getByTestId("said").innerText(), new RegExp(`^${kind} wall `));
        const { width, height } = await page.locator(".table svg .cursor").boundingBox();
        assert.equal(kind === "horizontal", width > height);
      }
      await page.getByRole("button", { name: "Turn the board" }).click();
    }
  });

  await alone("a seat's number can be read in dark", link(game, ["person", "person"]), async (page) => {
    const colour = (of, property) =>
      page.locator(of).first().evaluate((one, name) => getComputedStyle(one)[name], property);
    assert.equal(await colour(".chip.seat0", "color"), await colour(".table .pawn text", "fill"));
    assert.notEqual(await colour(".chip.seat0", "color"), "rgb(255, 255, 255)");
  }, { colorScheme: "dark" });

  const blockade = "blockade:5x7,walls=3";
  await alone("a typed move is as proposed, or a square", link(blockade, ["person", "person"]), async (page) => {
    const pawns = await legal(blockade, []);
    const field = page.getByPlaceholder("a move");
    assert.equal(await field.getAttribute("placeholder"), `a move, as ${pawns[0].text}`);
    const only = pawns.find((a) => pawns.filter((b) => String(b.at) === String(a.at)).length === 1);
    await type(page, only.text.split("-")[1]);
    await played(page, 1);
    assert.deepEqual(await shownMoves(page), [only.text]);
    const [wall] = await legal(blockade, [only.text]);
    assert.equal(await field.getAttribute("placeholder"), `a move, as ${wall.text}`);
  });

  await alone("a game that begins is seen and has the keyboard", link(game, ["person", "person"]), async (page) => {
    await page.getByRole("button", { name: "New game" }).click();
    await page.getByRole("button", { name: "Begin", exact: true }).click();
    await page.waitForFunction(() => document.activeElement.classList.contains("board"));
    const box = await page.locator(".table .board").boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= PHONE.viewport.height);
  }, PHONE);

  await alone("an unknown part of the address shows the games", `${site}/#nothing`, async (page) => {
    assert.match(await status(page), /to move/);
  });

  await alone('"Play" keeps the game in the address', link(game, ["person", "person"]), async (page) => {
    await type(page, moves[0]);
    const kept = () => page.waitForFunction((move) => location.hash.includes(`moves=${move}&`), moves[0]);
    await kept();
    await page.getByRole("link", { name: "Play" }).click();
    await kept();
    await page.reload();
    await played(page, 1);
    assert.deepEqual(await shownMoves(page), [moves[0]]);
  });

  await alone("a model in a link without its level is one", link(game, ["person", "model/m0"]), async (page) => {
    assert.equal(await seat(page, "player 2").inputValue(), "model/m0/hard");
  });

  if (!served) return;

  await alone('"Cancel" stops a game that is about to begin', link(game, ["person", "person"], moves.slice(0, 2)), async (page) => {
    const button = (name) => page.getByRole("button", { name, exact: true });
    let go = null;
    const wait = new Promise((found) => (go = found));
    await button("New game").click();
    await page.route("**/api/position", async (route) => {
      await wait;
      await route.continue().catch(() => {}); // nobody asks for it any more
    });
    const asked = page.waitForRequest("**/api/position");
    await button("Begin").click();
    await asked;
    await button("Cancel").click();
    go();
    await page.waitForTimeout(500); // in which the answer would come
    assert.equal((await shownMoves(page)).length, 2);
  });

  const begun = link(game, ["person", "person"], moves.slice(0, 3));
  await alone("a review goes on with what it has found", begun, async (page) => {
    const known = (count) => page.locator(`.graph[aria-label*=' ${count} known']`).waitFor();
    await page.getByTestId("review").selectOption("50");
    await known(4);
    let searches = 0;
    page.on("request", (request) => (searches += request.url().endsWith("/api/analyze") ? 1 : 0));
    await type(page, moves[3]);
    await known(5);
    assert.equal(searches, 1);
  });

  // A run that trains makes a generation while the form is open.
  await alone("a generation that the page knows can play where the next one can", `${site}/`, async (page) => {
    await page.route("**/api/info", async (route) => {
      const info = await (await route.fetch()).json();
      await route.fulfill({ json: { ...info, models: info.models.map((m, i) => ({ ...m, id: `r${i}g1` })) } });
    });
    await page.route("**/api/models", async (route) => {
      const able = await (await route.fetch()).json();
      await route.fulfill({ json: { ...able, models: able.models.map((_, i) => `r${i}g2`) } });
    });
    await page.reload();
    await page.getByRole("button", { name: "New game" }).click();
    const form = page.locator("form[aria-label='New game']");
    await form.getByRole("combobox", { name: "Player 2" }).locator("option[value='model/r0g1/hard']").waitFor({ state: "attached" });
  });

  await alone("a new game is proposed with the models that there are now", `${site}/`, async (page) => {
    const name = "a later generation";
    await page.route("**/api/info", async (route) => {
      const info = await (await route.fetch()).json();
      await route.fulfill({ json: { ...info, models: info.models.map((m) => ({ ...m, name })) } });
    });
    await page.getByRole("button", { name: "New game" }).click();
    await page.locator(`form optgroup[label^='${name}']`).first().waitFor({ state: "attached" });
  });
}
