// A run is watched in Chromium while it trains: its page must show each generation as it comes.
//
//   node tests/live_test.mjs KORIDOR CONFIG RUN SHOTS
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { openBrowser, openPage } from "./browser.mjs";
import { startServer } from "./server.mjs";

const [koridor, config, run, shots] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const training = spawn(koridor, ["train", config, "--run", run], { stdio: "ignore" });
process.on("exit", () => training.kill());
const ended = new Promise((resolve) => training.on("exit", resolve));
while (!existsSync(`${run}/models/gen-0000.koridor`)) {
  assert.equal(training.exitCode, null, "the training ended before it began");
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const server = await startServer(koridor, [run]);
const browser = await openBrowser();
try {
  const page = await openPage(browser);
  await page.goto(`${server.base}/#run`);
  const generations = async () => Number((await page.getByTestId("generations").innerText()).split(" ")[0]);
  const seen = new Set();
  let live = false;
  while (training.exitCode === null) {
    seen.add(await generations());
    if ((await page.getByTestId("live").innerText()) === "running") {
      if (!live) await page.screenshot({ path: `${shots}/live.png` });
      live = true;
    }
    await page.waitForTimeout(250);
  }
  assert.equal(await ended, 0);
  await page.waitForFunction(() => parseInt(document.querySelector("[data-testid=generations]").textContent) >= 2, null, { timeout: 10000 });
  await page.waitForTimeout(4500);
  const last = await generations();
  assert.equal(await page.getByTestId("live").innerText(), "finished");
  assert.ok(live, "the page never said that the run is running");
  assert.ok(seen.size >= 3, `the page showed only ${[...seen]} generations on the way`);
  assert.ok((await page.locator(".chart").count()) > 5);
  const elo = await page.locator("table tbody tr").count();
  assert.ok(elo >= last, `${elo} lines in the table of ratings of ${last} generations`);
  await page.screenshot({ path: `${shots}/live-end.png`, fullPage: true });
  assert.deepEqual(page.faults, []);
  console.log(`a run watched live: ${[...seen].join(", ")} and at its end ${last} generations`);
} finally {
  await browser.close();
  await server.stop();
}
