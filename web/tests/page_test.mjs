// The page in Chromium as a person uses it.
//
//   node tests/page_test.mjs KORIDOR SHOTS GAME=MODEL... [--run DIR] [--static DIR]
//
// Plays a whole game of each GAME against its model by clicks, and compares every move of the model with `koridor
// engine`; undoes, hints, reviews, saves, loads, sets up; looks for faults of accessibility with axe; takes pictures
// into the folder SHOTS. Exits with 1 at the first fault. With --static the page is the one that `koridor page` writes
// into DIR, and nothing but its files may be asked for; a server besides is asked what is right.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import axe from "axe-core";
import { ask, clickAction, openBrowser, openPage, pointOf, shownMoves, status } from "./browser.mjs";
import { startEngine } from "./engine.mjs";
import { playSteps } from "./play_steps.mjs";
import { startServer } from "./server.mjs";
import { startStatic } from "./static_server.mjs";

const [koridor, shots, ...rest] = process.argv.slice(2);
const values = (option) => rest.flatMap((word, i) => (rest[i - 1] === option ? [word] : []));
const runs = values("--run");
const [folder] = values("--static");
const pairs = rest
  .filter((word, i) => !word.startsWith("--") && !rest[i - 1]?.startsWith("--"))
  .map((word) => [word.slice(0, word.lastIndexOf("=")), word.slice(word.lastIndexOf("=") + 1)]);
mkdirSync(shots, { recursive: true });
const LEVEL = "hard";

async function step(name, work) {
  const begin = Date.now();
  try {
    await work();
  } catch (error) {
    console.log(`FAILED ${name}`);
    throw error;
  }
  console.log(`ok     ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
}

function link(game, seats, moves = []) {
  return `${site}/#play?${new URLSearchParams({ game, seats: seats.join(" "), moves: moves.join(" ") })}`;
}

/** Serious faults that axe finds, as text. */
async function accessibility(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
}

/** Waits until the person in seat 0 is to move, or the game is over; returns the picture. */
async function waitForTurn(page, base, game) {
  await page.waitForFunction(
    () => {
      const text = document.querySelector("[data-testid=status]")?.textContent ?? "";
      return / wins|A draw|gives the game up/.test(text) || (/ to move|places a wall/.test(text) && !/:/.test(text));
    },
    null,
    { timeout: 60000 },
  );
  const moves = await shownMoves(page);
  return (await ask(base, "/api/position", { game, moves })).picture;
}

/** Plays a game to its end; person: by the moves of greedy play. Returns all moves. */
async function wholeGame(page, base, game, model, modelFile) {
  const probe = (await ask(base, "/api/position", { game, moves: [] })).picture;
  const seats = ["person", ...Array(probe.players - 1).fill(`model/${model}/${LEVEL}`)];
  await page.goto(link(game, seats));
  const engine = startEngine(koridor, game, modelFile, LEVEL, folder ? ["--backend", "simd"] : []);
  let picture = await waitForTurn(page, base, game);
  let compared = 0;
  let checked = 0;
  const compare = async (moves) => {
    for (; checked < moves.length; checked++) {
      if (picture.moves[checked].seat === 0) continue;
      assert.equal(moves[checked], await engine.choose(moves.slice(0, checked)), `ply ${checked + 1} of ${game}`);
      compared++;
    }
  };
  for (let turn = 0; picture.outcome === null && turn < 200; turn++) {
    const moves = picture.moves.map((m) => m.text);
    await compare(moves);
    const wanted = await ask(base, "/api/choose", { game, moves, player: "greedy" });
    const action = picture.legal.find((a) => a.text === wanted.text);
    await clickAction(page, picture, action);
    await page.waitForFunction((n) => document.querySelectorAll(".moves button").length > n, moves.length);
    assert.equal((await shownMoves(page))[moves.length], wanted.text);
    picture = await waitForTurn(page, base, game);
    if (turn === 3) await page.screenshot({ path: `${shots}/game-${probe.game.replace(/\W+/g, "-")}.png` });
  }
  await compare(picture.moves.map((m) => m.text));
  engine.stop();
  assert.notEqual(picture.outcome, null, `${game} did not end`);
  assert.ok(compared > 0);
  assert.match(await status(page), /wins|draw/);
  return { moves: picture.moves.map((m) => m.text), compared };
}

const browser = await openBrowser();
const server = await startServer(koridor, [...pairs.map(([, model]) => model), ...runs]);
const { base } = server;
let files = null;
if (folder) {
  console.log(execFileSync(koridor, ["page", ...pairs.map(([, model]) => model), "--out", folder], { encoding: "utf8" }));
  files = await startStatic(folder);
}
const site = files ? files.base : base;
const page = await openPage(browser);
page.on("request", (request) => new URL(request.url()).protocol === "http:" && origins.add(new URL(request.url()).origin));
const origins = new Set();
let quoridor = [];

try {
  for (const [i, [game, model]] of pairs.entries()) {
    await step(`a whole game of ${game} against its model`, async () => {
      const { moves, compared } = await wholeGame(page, base, game, `m${i}`, folder ? `${folder}/models/m${i}.koridor` : model);
      if (i === 0) quoridor = moves;
      console.log(`       ${moves.length} plies, ${compared} of them compared with the engine's`);
      await page.screenshot({ path: `${shots}/end-${game.replace(/\W+/g, "-")}.png` });
    });
  }
  const [game] = pairs[0];

  await step("undo, redo and a move in the middle of a game", async () => {
    await page.goto("about:blank");
    await page.goto(link(game, ["person", `model/m0/${LEVEL}`], quoridor));
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll(".moves button.undone").length > 3);
    await page.getByRole("button", { name: "Redo" }).click();
    assert.ok((await shownMoves(page)).length >= 1);
    await page.getByRole("button", { name: "Undo" }).click();
    const picture = (await ask(base, "/api/position", { game, moves: [] })).picture;
    const other = picture.legal.find((a) => a.text !== quoridor[0] && a.kind === "horizontal");
    await page.waitForFunction(() => document.querySelectorAll(".moves button:not(.undone)").length === 0);
    await clickAction(page, picture, other);
    await page.waitForFunction(() => document.querySelectorAll(".moves button").length === 2);
    assert.equal((await shownMoves(page))[0], other.text);
  });

  await step("an illegal wall is shown with its reason", async () => {
    const moves = await shownMoves(page);
    const { picture } = await ask(base, "/api/position", { game, moves });
    const refused = picture.illegal.find((a) => a.reason === "overlaps");
    const columns = picture.board.columns;
    assert.ok(refused && columns);
    await clickAction(page, picture, refused);
    assert.equal(await page.getByTestId("said").innerText(), refused.message);
    assert.equal(await page.locator(".ghost.bad").count(), 1);
    assert.deepEqual(await shownMoves(page), moves);
  });

  await step("a pawn and a wall are dragged", async () => {
    const before = await shownMoves(page);
    let { picture } = await ask(base, "/api/position", { game, moves: before });
    const wall = picture.legal.find((a) => a.kind === "vertical");
    await page.getByRole("button", { name: /^Standing walls/ }).hover();
    await page.mouse.down();
    const to = await pointOf(page, wall);
    await page.mouse.move(to.x, to.y, { steps: 8 });
    assert.equal(await page.locator(".ghost").count(), 1);
    await page.mouse.up();
    await page.waitForFunction((n) => document.querySelectorAll(".moves button").length >= n + 2, before.length);
    const moves = await shownMoves(page);
    assert.equal(moves[before.length], wall.text);
    await page.getByRole("button", { name: "Auto" }).click();
    ({ picture } = await ask(base, "/api/position", { game, moves }));
    const step = picture.legal.find((a) => a.kind === "pawn");
    const from = await pointOf(page, { kind: "pawn", at: step.from });
    const target = await pointOf(page, step);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(target.x, target.y, { steps: 8 });
    await page.mouse.up();
    await page.waitForFunction((n) => document.querySelectorAll(".moves button").length >= n + 2, moves.length);
    assert.equal((await shownMoves(page))[moves.length], step.text);
  });

  await step("a move by the keyboard alone, with what a screen reader hears", async () => {
    await page.goto("about:blank");
    await page.goto(link(game, ["person", `model/m0/${LEVEL}`]));
    await page.getByTestId("status").waitFor();
    const moves = await shownMoves(page);
    const before = moves.length;
    const { picture } = await ask(base, "/api/position", { game, moves });
    const { from, at } = picture.legal.find((a) => a.kind === "pawn");
    await page.locator(".table .board").focus();
    await page.keyboard.press("ArrowUp");
    assert.match(await page.getByTestId("said").innerText(), /player 1's pawn/);
    for (let i = 0; i < Math.abs(at[0] - from[0]); i++) await page.keyboard.press(at[0] < from[0] ? "ArrowUp" : "ArrowDown");
    for (let i = 0; i < Math.abs(at[1] - from[1]); i++) await page.keyboard.press(at[1] < from[1] ? "ArrowLeft" : "ArrowRight");
    assert.match(await page.getByTestId("said").innerText(), /can be played/);
    await page.keyboard.press("Enter");
    await page.waitForFunction((n) => document.querySelectorAll(".moves button").length >= n + 2, before);
    await page.getByPlaceholder("a move").fill("nonsense");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /nonsense/.test(document.querySelector("[data-testid=said]").textContent));
  });

  await step("hints and analysis while one plays", async () => {
    await page.goto("about:blank");
    await page.goto(link(game, ["person", "person"]));
    await page.evaluate(() => {
      let last = performance.now();
      window.longestPause = 0;
      setInterval(() => {
        window.longestPause = Math.max(window.longestPause, performance.now() - last);
        last = performance.now();
      }, 10);
    });
    await page.getByRole("button", { name: "Hint" }).click();
    await page.locator(".candidates tbody tr").first().waitFor();
    assert.ok((await page.locator(".heat rect").count()) > 0);
    assert.equal(await page.locator(".winbar span").count(), 2);
    await page.waitForFunction(() => !/searching/.test(document.querySelector("main").textContent));
    const pause = await page.evaluate(() => window.longestPause);
    console.log(`       while it searched, the page paused for ${pause.toFixed(0)} ms at most`);
    assert.ok(pause < 1500, `the page paused for ${pause} ms`); // a hint searches for two seconds
    const first = await page.locator(".candidates tbody th").first().innerText();
    await page.locator(".candidates tbody tr").first().hover();
    assert.ok((await page.locator("g.line circle").count()) > 0);
    await page.screenshot({ path: `${shots}/analysis.png` });
    await page.locator(".candidates tbody button").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".moves button").length === 1);
    assert.deepEqual(await shownMoves(page), [first]);
    await page.waitForFunction(() => document.activeElement.classList.contains("board")); // the button is gone
    await page.getByLabel("Analyse while playing").check();
    await page.locator(".candidates tbody tr").first().waitFor();
    await page.getByLabel("Analyse while playing").uncheck();
  });

  await step("a review marks bad moves", async () => {
    await page.goto("about:blank");
    await page.goto(link(game, ["person", "person"], quoridor));
    await page.getByTestId("review").selectOption("50");
    await page.waitForFunction(() => document.querySelector(".graph")?.getAttribute("aria-label")?.match(/over (\d+) plies, (\d+) known/)?.slice(1).reduce((a, b) => Number(b) - Number(a)) === 1, null, { timeout: 120000 });
    await page.screenshot({ path: `${shots}/review.png` });
    console.log(`       ${await page.locator(".graph").getAttribute("aria-label")}`);
  });

  await step("save and load", async () => {
    await page.getByRole("button", { name: "Save, load, share" }).click();
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save to a file" }).click()]);
    const text = readFileSync(await saved.path(), "utf8");
    assert.match(text, /\[Game "/);
    await page.goto("about:blank");
    await page.goto(`${site}/`);
    await page.getByRole("button", { name: "Save, load, share" }).click();
    await page.locator("textarea").fill(text);
    await page.getByRole("button", { name: "Load this text" }).click();
    await page.waitForFunction((n) => document.querySelectorAll(".moves button").length === n, quoridor.length);
    assert.deepEqual(await shownMoves(page), quoridor);
  });

  await step("a new game by its form, and a position set up by hand", async () => {
    await page.getByRole("button", { name: "New game" }).click();
    await page.locator("form[aria-label='New game'] select").first().selectOption("quoridor");
    await page.getByLabel("Columns").fill("5");
    await page.getByLabel("Rows").fill("5");
    await page.getByLabel("Walls each").fill("3");
    await page.locator("form[aria-label='New game'] select").nth(2).selectOption("random");
    await page.screenshot({ path: `${shots}/new-game.png` });
    await page.getByRole("button", { name: "Begin", exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll(".moves button").length === 0);
    await page.getByRole("button", { name: "Set up" }).click();
    const small = page.locator("section[aria-label='Set up a position'] .board svg");
    const at = async (x, y) => {
      const point = await small.evaluate((svg, [px, py]) => {
        const p = new DOMPoint(px, py).matrixTransform(svg.getScreenCTM());
        return [p.x, p.y];
      }, [x, y]);
      await page.mouse.click(point[0], point[1]);
    };
    await at(250, 250);
    await at(230, 200);
    await page.getByRole("button", { name: "Use this position" }).click();
    await page.locator(".table .wall").waitFor();
    assert.equal(await page.locator(".table .wall").count(), 1);
    assert.match(await page.locator("pre").textContent(), /1/);
  });

  if (pairs.some(([g]) => g.startsWith("go"))) {
    await step("Go is saved as SGF", async () => {
      const [goGame] = pairs.find(([g]) => g.startsWith("go"));
      await page.goto("about:blank");
      await page.goto(link(goGame, ["person", "person"], ["C3", "D3", "pass"]));
      await page.getByRole("button", { name: "Save, load, share" }).click();
      const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save to a file" }).click()]);
      assert.match(readFileSync(await saved.path(), "utf8"), /^\(;.*;B\[cc\];W\[dc\];B\[\]\)/s);
    });
  }

  await step("seats that nobody is named for are persons'", async () => {
    const status = "Player 2 to move";
    await page.goto("about:blank");
    await page.goto(link("quoridor4", ["person"], ["e8"]));
    await page.waitForFunction((text) => document.querySelector("[data-testid=status]")?.textContent === text, status);
    await page.goto("about:blank");
    await page.goto(link(game, ["person", "person"]));
    await page.getByRole("button", { name: "Save, load, share" }).click();
    await page.locator("textarea").fill('[Game "quoridor4"]\n\n1. e8 *\n');
    await page.getByRole("button", { name: "Load this text" }).click();
    await page.waitForFunction((text) => document.querySelector("[data-testid=status]").textContent === text, status);
    for (const seat of [3, 4]) {
      const { picture } = await ask(base, "/api/position", { game: "quoridor4", moves: await shownMoves(page) });
      await page.getByPlaceholder("a move").fill(picture.legal.find((a) => a.kind === "pawn").text);
      await page.keyboard.press("Enter");
      await page.waitForFunction((s) => document.querySelector("[data-testid=status]").textContent === `Player ${s} to move`, seat);
    }
  });

  await step("a record that somebody resigned stays as it is, until a person goes on", async () => {
    await page.goto("about:blank");
    await page.goto(link(game, ["person", `model/m0/${LEVEL}`]));
    await page.getByRole("button", { name: "Save, load, share" }).click();
    const [first] = (await ask(base, "/api/position", { game, moves: [] })).picture.legal;
    await page.locator("textarea").fill(`[Game "${game}"]\n\n1. ${first.text} 1-0\n`);
    await page.getByRole("button", { name: "Load this text" }).click();
    await page.getByTestId("status").filter({ hasText: "Player 2 gives the game up" }).waitFor();
    await page.waitForTimeout(500);
    assert.deepEqual(await shownMoves(page), [first.text]);
  });

  await step("a board that is set up gives its walls back, is heard, and may be scrolled over", async () => {
    await page.goto("about:blank");
    await page.goto(link(game, ["person", "person"], quoridor.slice(0, 3)));
    await page.getByRole("button", { name: "Set up" }).click();
    const form = page.locator("section[aria-label='Set up a position']");
    const board = form.locator(".board");
    await board.focus();
    for (const key of ["ArrowUp", "h", "Enter"]) await page.keyboard.press(key);
    assert.match(await form.getByRole("status").innerText(), /placed|taken away/);
    assert.match(await board.getAttribute("aria-label"), /Enter places or removes/);
    await form.getByRole("button", { name: "No walls" }).click();
    const walls = form.locator(".wall");
    assert.equal(await walls.count(), 0);
    const svg = board.locator("svg");
    const box = await svg.boundingBox();
    const middle = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, isPrimary: true, button: 0, pointerType: "touch" };
    await svg.dispatchEvent("pointerdown", middle);
    await svg.dispatchEvent("pointercancel", middle);
    await svg.dispatchEvent("pointerup", middle);
    assert.equal(await walls.count(), 0);
    await form.getByRole("button", { name: "Use this position" }).click();
    await form.waitFor({ state: "detached" });
  });

  await step("what could not be read of a record is said", async () => {
    await page.getByRole("button", { name: "Save, load, share" }).click();
    await page.locator("textarea").fill("(;FF[4]GM[1]SZ[9]KM[5.5];B[ee](;W[cc])(;W[dd];B[gg]))");
    await page.getByRole("button", { name: "Load this text" }).click();
    await page.waitForFunction(() => /skipped/.test(document.querySelector("[data-testid=said]").textContent));
  });

  await step("a refused game or position leaves the game and the form", async () => {
    await page.goto("about:blank");
    await page.goto(link(game, ["person", "person"], quoridor.slice(0, 2)));
    await page.getByRole("button", { name: "New game" }).click();
    const form = page.locator("form[aria-label='New game']");
    await form.getByLabel("Players").fill("99999999999");
    await page.waitForTimeout(100);
    assert.equal(await form.getByLabel(/^Player \d/).count(), 4);
    await form.getByLabel("Players").fill("2");
    await form.getByLabel("Further rules").fill("repetiton=3");
    await form.getByRole("button", { name: "Begin", exact: true }).click();
    assert.match(await form.getByRole("alert").innerText(), /repetiton/);
    await page.getByRole("button", { name: "Set up" }).click();
    const setUp = page.locator("section[aria-label='Set up a position']");
    await setUp.locator("input[type=number]").first().fill("99");
    await setUp.getByRole("button", { name: "Use this position" }).click();
    assert.match(await setUp.getByRole("alert").innerText(), /player 1 has from 0 to \d+ walls left/);
    assert.deepEqual(await shownMoves(page), quoridor.slice(0, 2));
  });

  await step("only the main button plays, and the browser's keys are its own", async () => {
    await page.goto("about:blank");
    await page.goto(link(game, ["person", "person"]));
    await page.locator(".table .board").waitFor();
    const { picture } = await ask(base, "/api/position", { game, moves: [] });
    const wall = picture.legal.find((a) => a.kind === "horizontal");
    const { x, y } = await pointOf(page, wall);
    for (const button of ["right", "middle"]) await page.mouse.click(x, y, { button });
    // A click on a tool that ends before the page is drawn again carries nothing.
    await page.getByRole("button", { name: /^Lying walls/ }).evaluate((tool) => {
      for (const type of ["pointerdown", "pointerup"]) tool.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1 }));
    });
    await page.mouse.move(5, 5);
    await page.mouse.down();
    await page.mouse.move(x, y, { steps: 3 });
    await page.mouse.up();
    const kept = await page.locator(".table .board").evaluate((board) =>
      board.dispatchEvent(new KeyboardEvent("keydown", { key: "p", ctrlKey: true, bubbles: true, cancelable: true })),
    );
    assert.ok(kept);
    await page.waitForTimeout(200);
    assert.deepEqual(await shownMoves(page), []);
  });

  await step("marks of expected play go with their position", async () => {
    await page.getByRole("button", { name: "Hint" }).click();
    await page.locator(".candidates tbody tr").first().hover();
    await page.locator("g.line circle").first().waitFor();
    await page.getByPlaceholder("a move").focus();
    await page.keyboard.type(quoridor[0]);
    await page.keyboard.press("Enter");
    await page.locator(".moves button").waitFor();
    await page.waitForFunction(() => document.querySelectorAll("g.line circle").length === 0);
  });

  await step("a dragged pawn moves itself or nothing", async () => {
    const blockade = "blockade:5x7,walls=3";
    await page.goto("about:blank");
    await page.goto(link(blockade, ["person", "person"]));
    await page.locator(".table .board").waitFor();
    const { picture } = await ask(base, "/api/position", { game: blockade, moves: [] });
    const [one, other] = picture.pawns.filter((p) => p.seat === picture.mover);
    const reach = (pawn) => picture.legal.filter((a) => a.kind === "pawn" && a.pawn === pawn.pawn);
    const target = reach(other).find((a) => !reach(one).some((b) => String(b.at) === String(a.at)));
    const from = await pointOf(page, { kind: "pawn", at: one.at });
    const to = await pointOf(page, target);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(300);
    assert.deepEqual(await shownMoves(page), []);
  });

  await step("a touched wall is shown, and played by the second touch", async () => {
    const view = await openPage(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await view.goto(link(game, ["person", "person"]));
    await view.locator(".table .board").waitFor();
    const { picture } = await ask(base, "/api/position", { game, moves: [] });
    const wall = picture.legal.find((a) => a.kind === "horizontal");
    const { x, y } = await pointOf(view, wall);
    await view.touchscreen.tap(x, y);
    await view.waitForTimeout(200);
    assert.equal(await view.locator(".ghost").count(), 1);
    await view.touchscreen.tap(x, y);
    await view.locator(".moves button").waitFor();
    assert.deepEqual(await shownMoves(view), [wall.text]);
    await view.context().close();
  });

  if (!files) {
    await step("late answers are dropped, and a search without a slot is asked for again", async () => {
      const view = await openPage(browser);
      const name = "\u00e9".repeat(150); // 300 bytes
      await view.route("**/api/info", async (route) => {
        const info = await (await route.fetch()).json();
        await route.fulfill({ json: { ...info, models: info.models.map((m) => ({ ...m, name })) } });
      });
      await view.goto(link(game, ["person", `model/m0/${LEVEL}`], quoridor.slice(0, 2)));
      await view.locator(".moves button").first().waitFor();
      await view.route("**/api/position", async (route) => {
        if (route.request().postData().includes('"play"')) await view.waitForTimeout(500);
        await route.continue();
      });
      await view.getByPlaceholder("a move").fill(quoridor[2]);
      const answer = view.waitForResponse((r) => r.request().postData()?.includes('"play"'));
      await view.keyboard.press("Enter");
      await view.getByRole("button", { name: "Undo" }).click();
      await (await answer).finished();
      await view.waitForTimeout(200);
      assert.deepEqual(await shownMoves(view), []);
      let refusals = 0;
      await view.route("**/api/analyze", (route) =>
        refusals++ < 1 ? route.fulfill({ status: 503, json: { error: "all slots are taken" } }) : route.continue(),
      );
      await view.getByRole("button", { name: "Hint" }).click();
      await view.locator(".candidates tbody tr").first().waitFor();
      // A long name is saved as it is.
      await view.getByRole("button", { name: "Save, load, share" }).click();
      const [request] = await Promise.all([view.waitForRequest("**/api/write"), view.getByRole("button", { name: "Save to a file" }).click()]);
      assert.deepEqual(request.postDataJSON().names, ["You", `${name}, ${LEVEL}`]);
      await view.context().close();
    });
    await step("a model's turn waits for a server that is away", async () => {
      const view = await openPage(browser);
      let away = true;
      const unlessAway = (route) => (away ? route.abort() : route.continue());
      await view.route("**/api/choose", unlessAway);
      await view.goto(link(game, ["person", `model/m0/${LEVEL}`], quoridor.slice(0, 1)));
      const said = (pattern) => view.getByTestId("said").filter({ hasText: pattern }).waitFor();
      await said(/The server does not answer/);
      away = false;
      await view.locator(".moves button").nth(1).waitFor();
      await said(/^\s*$/);
      // So does a position that one goes back to.
      away = true;
      await view.route("**/api/position", unlessAway);
      await view.locator(".moves button").first().click();
      await said(/The server does not answer/);
      away = false;
      await view.locator(".moves button.here").first().waitFor();
      await said(/^\s*$/);
      await view.context().close();
    });
    await step("a model's turn comes before the page's own analysis where there is one slot", async () => {
      const narrow = await startServer(koridor, ["--slots", "1", ...pairs.map(([, model]) => model)]);
      try {
        const view = await openPage(browser);
        await view.route("**/api/choose", async (route) => {
          await view.waitForTimeout(300); // the analysis has the slot by then
          await route.continue();
        });
        const words = new URL(link(game, ["person", `model/m0/${LEVEL}`])).hash;
        await view.goto(`${narrow.base}/${words}`);
        await view.getByLabel("Analyse while playing").check();
        await view.locator(".candidates tbody tr").first().waitFor();
        const refused = view.waitForResponse((r) => r.url().endsWith("/api/choose") && r.status() === 503);
        await view.getByPlaceholder("a move").fill(quoridor[0]);
        await view.keyboard.press("Enter");
        await refused;
        await view.locator(".moves button").nth(1).waitFor({ timeout: 10000 }); // an analysis takes 30 seconds
        await view.context().close();
      } finally {
        await narrow.stop();
      }
    });
  }

  await playSteps({ browser, base, site, link, step, game, moves: quoridor, served: !files });

  for (const scheme of ["light", "dark"]) {
    for (const [device, viewport] of [["desktop", { width: 1280, height: 900 }], ["phone", { width: 390, height: 844 }]]) {
      await step(`axe and pictures, ${device}, ${scheme}`, async () => {
        const view = await openPage(browser, { viewport, colorScheme: scheme, hasTouch: device === "phone", isMobile: device === "phone" });
        for (const [g] of pairs) {
          await view.goto("about:blank");
          await view.goto(link(g, ["person", "person", "person", "person"], g === game ? quoridor.slice(0, 7) : []));
          await view.getByTestId("status").waitFor();
          await view.locator(".board svg").first().waitFor();
          const faults = await accessibility(view);
          assert.deepEqual(faults, []);
          const width = await view.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= viewport.width, `${g}: ${width} pixels wide on ${viewport.width}`);
          await view.screenshot({ path: `${shots}/${device}-${scheme}-${g.replace(/\W+/g, "-")}.png`, fullPage: device === "phone" });
        }
        if (runs.length > 0) {
          await view.goto(`${site}/#run`);
          await view.locator(".chart svg").first().waitFor({ timeout: 30000 });
          assert.equal(await view.getByTestId("live").innerText(), "finished");
          assert.deepEqual(await accessibility(view), []);
          const width = await view.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= viewport.width, `runs: ${width} pixels wide on ${viewport.width}`);
          await view.screenshot({ path: `${shots}/${device}-${scheme}-runs.png`, fullPage: true });
        }
        assert.deepEqual(view.faults, []);
        await view.context().close();
      });
    }
  }

  if (runs.length > 0) {
    await step("a game stays while one looks at the runs", async () => {
      await page.goto("about:blank");
      await page.goto(link(game, ["person", "person"], quoridor.slice(0, 1)));
      await page.getByPlaceholder("a move").fill(quoridor[1]);
      await page.keyboard.press("Enter");
      await page.locator(".moves button").nth(1).waitFor();
      await page.waitForURL((url) => url.hash.includes(`${quoridor[0]}+${quoridor[1]}`));
      await page.getByLabel("Analyse while playing").check();
      const back = [() => page.getByRole("link", { name: "Play" }).click(), () => page.goBack()];
      for (const comeBack of back) {
        await page.getByRole("link", { name: "Runs" }).click();
        await page.locator(".chart svg").first().waitFor();
        await comeBack();
        await page.locator(".table .board").waitFor();
        assert.deepEqual(await shownMoves(page), quoridor.slice(0, 2));
        assert.ok(await page.getByLabel("Analyse while playing").isChecked());
        await page.waitForURL((url) => url.hash.includes(`${quoridor[0]}+${quoridor[1]}`));
      }
    });
    await step("games of a run's generation are replayed with the search's values", async () => {
      await page.goto(`${site}/#run`);
      await page.locator("summary", { hasText: /^Games of / }).first().click();
      await page.locator(".replay .board svg").first().waitFor({ timeout: 60000 });
      for (let i = 0; i < 6; i++) await page.getByRole("button", { name: "On" }).first().click();
      await page.waitForTimeout(300);
      assert.ok((await page.locator(".replay .moves button.here").count()) === 1);
      await page.locator(".replay").first().scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${shots}/replay.png` });
      // Games that are there belong to the generation that is named beside them.
      const games = page.getByRole("combobox", { name: "Game", exact: true });
      assert.ok((await games.locator("option").count()) > 0);
      const refusal = { status: 400, json: { error: "they cannot be read" } };
      await page.route("**/api/run/games", (route) => route.fulfill(refusal));
      await page.getByRole("spinbutton", { name: "Generation" }).fill("1");
      await page.keyboard.press("Enter");
      await page.getByText("they cannot be read").waitFor();
      assert.equal(await games.locator("option").count(), 0);
      await page.unroute("**/api/run/games");
    });
    await step("twelve runs differ in their lines, and stand in their order", async () => {
      const view = await openPage(browser);
      const labels = Array.from({ length: 12 }, (_, i) => `run ${i}`);
      await view.route("**/api/info", async (route) => {
        await route.fulfill({ json: { ...(await (await route.fetch()).json()), runs: labels } });
      });
      await view.route("**/api/run", async (route) => {
        const { run } = route.request().postDataJSON();
        const answer = await (await route.fetch({ postData: JSON.stringify({ run: 0 }) })).json();
        await route.fulfill({ json: { ...answer, label: labels[run] } });
      });
      await view.goto(`${site}/#run`);
      for (const label of ["run 10", "run 6"]) await view.getByRole("checkbox", { name: label, exact: true }).check();
      await view.getByRole("region", { name: "Progress of run 10" }).waitFor();
      await view.getByRole("region", { name: "Progress of run 6" }).waitFor();
      assert.deepEqual((await view.locator(".side h2").allInnerTexts()).slice(-2), ["run 6", "run 10"]);
      const lines = await view.locator(".toolbar .swatch .course").evaluateAll((paths) =>
        paths.map((path) => `${getComputedStyle(path).stroke} ${getComputedStyle(path).strokeDasharray}`),
      );
      assert.equal(new Set(lines).size, 12);
      await view.unrouteAll({ behavior: "ignoreErrors" }); // the page asks every two seconds
      await view.context().close();
    });
  }
  if (files) {
    await step("nothing but the page's own files was asked for", async () => {
      assert.deepEqual([...origins], [new URL(site).origin]);
      assert.deepEqual(files.strays, []);
      assert.ok(files.asked.has("koridor-engine.wasm") && files.asked.has("models/m0.koridor"));
    });
    await step("a missing model is named", async () => {
      const view = await openPage(browser);
      await view.route("**/models/m0.koridor*", (route) => route.fulfill({ status: 404 }));
      await view.goto(`${site}/`);
      await view.getByRole("alert").waitFor();
      assert.match(await view.getByRole("alert").innerText(), /models\/m0\.koridor could not be loaded: status 404/);
      await view.context().close();
    });
  }
  // A refused question is an answer of the server with a status above 399, which Chromium writes to the console.
  assert.deepEqual(page.faults.filter((fault) => !/status of (400|503)/.test(fault)), []);
} finally {
  await browser.close();
  await server.stop();
  await files?.stop();
}
console.log("the page does what a person asks");
