// A headless Chromium, and the page in it, for the tests beside this file.
import { chromium } from "playwright-core";

/** The first Chromium that this machine has. */
export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

/** A page that fails the test by whatever it writes to the console as an error. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  return page;
}

export const status = (page) => page.getByTestId("status").innerText();

/** What the page's own server says. */
export async function ask(base, path, body) {
  const response = await fetch(base + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** The moves that the page shows as played, as texts. */
export async function shownMoves(page) {
  const texts = await page.locator(".moves button:not(.undone)").allInnerTexts();
  return texts.map((text) => text.trim().split(/\s+/).at(-1));
}

/** A place of the screen for an action of the picture, for a board that is not turned. */
export async function pointOf(page, action) {
  const [row, column] = action.at;
  const wall = action.kind === "horizontal" || action.kind === "vertical";
  const x = wall ? (column + 1) * 100 + (action.kind === "horizontal" ? 30 : 0) : column * 100 + 50;
  const y = wall ? (row + 1) * 100 + (action.kind === "vertical" ? 30 : 0) : row * 100 + 50;
  // A wall's groove is nearest to its own middle, a little off it: there two grooves cross.
  return page.locator(".table .board svg").evaluate(
    (svg, [px, py]) => {
      const point = new DOMPoint(px, py).matrixTransform(svg.getScreenCTM());
      return { x: point.x, y: point.y };
    },
    [x, y],
  );
}

/** Clicks an action as a person does. */
export async function clickAction(page, picture, action) {
  // The board takes no click before the position that it is to show has come.
  await page.waitForSelector("svg.live");
  if (action.kind === "pass") return page.getByRole("button", { name: "Pass", exact: true }).click();
  if (action.kind === "pawn" && picture.legal.filter((a) => a.kind === "pawn" && a.text !== action.text && String(a.at) === String(action.at)).length) {
    // Both pawns can go there: choose this one first.
    const from = await pointOf(page, { kind: "pawn", at: action.from });
    await page.mouse.click(from.x, from.y);
  }
  const { x, y } = await pointOf(page, action);
  await page.mouse.move(x, y);
  await page.mouse.click(x, y);
}
