/**
 * The oracle's questions to its user in the chat, answered in a browser with the keyboard: approvals, forms of MCP servers,
 * sign-ins.
 */
import type { Locator, Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { chatTexts } from "../../../console/src/texts/chat.ts";
import { kitTexts } from "../../../console/src/texts/kit.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { faultsInEveryLook } from "../../support/console/every-look.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { cut, REFUSED_REQUEST_ID, refuse } from "../../support/console/network.ts";
import { oracleConfig } from "../../support/oracle/oracle-config.ts";
import { startMcpPeer, type McpPeer } from "../../support/peers/mcp-servers.ts";
import { startSignInServer, type SignInServer } from "../../support/peers/sign-in-server.ts";

const words = chatTexts.question;

const field = (page: Page): Locator => page.getByRole("textbox", { name: chatTexts.message, exact: true });
const log = (page: Page): Locator => page.getByRole("log");
const approval = (page: Page): Locator => page.getByRole("region", { name: words.title });
const form = (page: Page): Locator => page.getByRole("form", { name: words.formTitle("tables") });
/** The message is visible for some seconds, so the wait must begin before its cause. */
const said = (page: Page, text: string): Promise<void> => page.getByText(text, { exact: true }).first().waitFor();

/** Pixels between the top of the visible conversation and the question. */
const QUESTION_FROM_TOP = `document.querySelector(".chat-questions > *").getBoundingClientRect().top - document.querySelector("[role=log]").getBoundingClientRect().top`;

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

/** Moves back from the message field, which follows the questions, and presses Enter. */
async function press(page: Page, target: Locator): Promise<void> {
  await field(page).focus();
  await tabTo(page, target, "Shift+Tab");
  await page.keyboard.press("Enter");
}

/** Leaves the page as it was opened. */
async function everybodyCanUse(page: Page, name: string): Promise<void> {
  expect(await faultsInEveryLook(page, name)).toEqual({});
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  await page.setViewportSize({ width: 1280, height: 800 });
}

describe.runIf(hasBrowser)("the chat's oracle asks", () => {
  const config = oracleConfig("asking-oracle");
  let tables: McpPeer;
  let calendar: SignInServer;
  const app = startConsoleForTests(async () => {
    [tables, calendar] = await Promise.all([startMcpPeer({ name: "tables" }), startSignInServer({ name: "calendar" })]);
    return { MCP_SERVERS: JSON.stringify([tables.entry, calendar.tools.entry]) };
  }, config.path);
  afterAll(async () => {
    await Promise.all([tables.stop(), calendar.stop()]);
    config.dispose();
  });
  const open = (path = "/chat") => app.open({ path, signedIn: false });

  test("to approve a call: it is shown again after a reload, runs once, and another tab sees its end; or it is refused [CN-135, CN-143]", async () => {
    const { page, context } = await open();
    await say(page, '/tool pay {"to":"Ada","amount":3,"lines":["stove","pot"]}');
    for (const text of [words.effect("pay"), "Ada", "3", '["stove","pot"]'])
      await approval(page).getByText(text, { exact: true }).waitFor();
    await everybodyCanUse(page, "chat-approval");
    // On a phone it is taller than the visible part, and read from its beginning.
    await page.setViewportSize({ width: 320, height: 568 });
    await page.reload();
    await approval(page).waitFor();
    await expect.poll(async () => Math.abs(await page.evaluate<number>(QUESTION_FROM_TOP))).toBeLessThan(1);
    await page.setViewportSize({ width: 1280, height: 800 });
    const other = await context.newPage();
    await other.goto(page.url());
    await approval(other).waitFor();

    await Promise.all([
      said(page, words.approved),
      said(other, words.over),
      press(page, approval(page).getByRole("button", { name: words.approve })),
    ]);
    await field(page).and(page.locator(":focus")).waitFor();
    for (const tab of [page, other])
      await log(tab).getByText("Tool pay returned: Paid 3 to Ada: payment number 1", { exact: true }).waitFor();
    expect(await approval(other).count()).toBe(0);

    await say(page, '/tool pay {"to":"Eve","amount":4}');
    await Promise.all([
      said(page, words.refused),
      press(page, approval(page).getByRole("button", { name: words.refuse })),
    ]);
    await log(page)
      .getByText(/Tool pay returned: .*not/)
      .waitFor();
    await log(page).getByText(chatTexts.tool.notRun, { exact: true }).waitFor();
    // The next one is the second: neither the reload nor the refusal has paid.
    await say(page, '/tool pay {"to":"Ada","amount":5}');
    await press(page, approval(page).getByRole("button", { name: words.approve }));
    await log(page).getByText("payment number 2").waitFor();
  });

  test("and restores a refused answer with its question, the reason and the request id; the next one counts [CN-231]", async () => {
    const sentence = "Too many answers in a short time.";
    const { page } = await app.open({
      path: "/chat",
      signedIn: false,
      allow: [/^answer: 429 POST \/runs\//, /WebSocket/, /ERR_CONNECTION_REFUSED/],
      // Without a socket an answer is a request.
      prepare: async (fresh) => {
        await fresh.routeWebSocket(/socket\.io/, (socket) => socket.close());
        await cut(fresh, /socket\.io/);
      },
    });
    await say(page, '/tool pay {"to":"Ada","amount":7}');
    await approval(page).waitFor();
    const refusal = {
      status: 429,
      headers: { "X-Request-Id": REFUSED_REQUEST_ID },
      json: { message: sentence, statusCode: 429, retryAfterMs: 2_000 },
    };
    await page.route("**/approvals/*", (route) => route.fulfill(refusal), { times: 1 });
    await press(page, approval(page).getByRole("button", { name: words.approve }));
    const why = await approval(page).getByRole("alert").innerText();
    for (const text of [sentence, REFUSED_REQUEST_ID]) expect(why).toContain(text);
    await approval(page).getByText(words.answerAgain, { exact: true }).waitFor();
    await everybodyCanUse(page, "chat-answer-refused");
    await press(page, approval(page).getByRole("button", { name: words.approve }));
    await log(page)
      .getByText(/Tool pay returned: Paid 7 to Ada/)
      .waitFor();
  });

  test("to fill in a form: errors are shown at their fields, entries survive other screens and a reload, and are sent once; or it is declined [CN-135, CN-142, CN-146]", async () => {
    const { page, context } = await open();
    await say(page, "/tool tables__book {}");
    const people = form(page).getByRole("textbox", { name: "people" });
    const send = form(page).getByRole("button", { name: words.submit("tables") });
    await form(page).getByText("How many people?").waitFor();
    await press(page, send);
    await form(page).getByText(words.faults.missing, { exact: true }).waitFor();
    await people.and(page.locator(":focus")).waitFor();
    await page.keyboard.insertText("two");
    await page.keyboard.press("Enter");
    await form(page).getByText(words.faults.number, { exact: true }).waitFor();
    expect(await people.getAttribute("aria-invalid")).toBe("true");
    await everybodyCanUse(page, "chat-form");
    // Entries survive other screens and a reload.
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
    await people.waitFor({ state: "detached" });
    await page.goBack();
    await people.waitFor();
    expect(await people.inputValue()).toBe("two");
    await page.reload();
    await people.waitFor();
    expect(await people.inputValue()).toBe("two");
    const other = await context.newPage();
    await other.goto(page.url());
    await form(other).waitFor();

    await tabTo(page, people);
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("2");
    await Promise.all([said(page, words.sent), said(other, words.over), page.keyboard.press("Enter")]);
    for (const tab of [page, other])
      await log(tab).getByText("Tool tables__book returned: booked for 2", { exact: true }).waitFor();
    expect(tables.calls).toEqual(["book"]);

    await say(page, "/tool tables__book {}");
    await press(page, form(page).getByRole("button", { name: words.decline }));
    await log(page).getByText("Tool tables__book returned: not booked", { exact: true }).waitFor();
  });

  test("to sign in: the link is shown after a reload, the card says when it is done, and the user can sign out again; a failed list is retried [CN-144, CN-148]", async () => {
    let answerAgain = async (): Promise<void> => undefined;
    const { page } = await app.open({
      path: "/chat?panel=identity",
      signedIn: false,
      allow: [/^answer: 500 GET \/mcp\/oauth$/],
      prepare: async (fresh) => {
        answerAgain = await refuse(fresh, "**/mcp/oauth", { status: 500 });
      },
    });
    const services = page.getByRole("region", { name: chatTexts.identity.services });
    await services.getByRole("alert").getByText(REFUSED_REQUEST_ID).waitFor();
    await answerAgain();
    await services.getByRole("button", { name: kitTexts.retry }).click();
    await services.getByText(chatTexts.identity.signedOut, { exact: true }).waitFor();
    await page.getByRole("link", { name: chatTexts.panels.sessions, exact: true }).click();
    await say(page, "/tool calendar__sign_in {}");
    const link = page.getByRole("region", { name: words.signIn("calendar") }).getByRole("link");
    await link.waitFor();
    await everybodyCanUse(page, "chat-sign-in");
    await page.reload();
    await link.waitFor();
    await calendar.signIn((await link.getAttribute("href")) ?? "", "Ada");
    // The page becomes visible, as when the user returns from the other tab.
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    const done = page.getByRole("region", { name: words.signedIn("calendar") });
    await done.waitFor();
    await page.getByRole("link", { name: chatTexts.panels.identity, exact: true }).click();
    await services.getByText(chatTexts.identity.signedIn, { exact: true }).waitFor();
    await everybodyCanUse(page, "chat-signed-in");
    await press(page, done.getByRole("button", { name: words.askAgain }));
    await log(page).getByText("There is no tool named calendar__sign_in.").waitFor();
    await say(page, '/tool calendar__read_note {"id":"7"}');
    await log(page).getByText("Tool calendar__read_note returned: note 7", { exact: true }).waitFor();
    expect(new Set(calendar.callers)).toEqual(new Set(["Ada"]));

    await services.getByRole("button", { name: chatTexts.identity.signOut("calendar") }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: chatTexts.identity.signOut("calendar") })
      .click();
    await services.getByText(chatTexts.identity.signedOut, { exact: true }).waitFor();
  });
});
