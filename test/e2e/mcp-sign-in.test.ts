/** Sign-in to an MCP server on a real Worker: from the link in the chat to a working tool, with a kill in between. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasBrowser, startBrowser } from "../support/browser/browser.ts";
import { createBrowser, startSignInServer, type SignInServer } from "../support/peers/sign-in-server.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { createSocketUser, type SocketUser } from "../support/oracle/socket-user.ts";

let peer: SignInServer;
let server: RunningServer;
const started = disposeAfterTests();

beforeAll(async () => {
  peer = await startSignInServer();
  server = started(await startRunningServer(peer.variables));
});
afterAll(() => peer.stop());

async function textOfTurn(user: SocketUser, sessionId: string, message: string): Promise<string> {
  const { frames } = await user.send(sessionId, { message });
  return (await frames.rest())
    .flatMap(({ event, data }) => (event === "message" ? [String(data["content"])] : []))
    .join("");
}

async function signInOutput(user: SocketUser) {
  const sessionId = await user.openSession();
  const tab = user.connect(sessionId);
  await tab.event("connected");
  const text = await textOfTurn(user, sessionId, "/tool calendar__sign_in {}");
  const event = await tab.event("mcp_auth_required");
  tab.socket.disconnect();
  return { sessionId, text, event, link: new URL(String(event["url"]), server.url).href };
}

test("the chat shows a link, the browser signs in, and the tool works as that user [OR-300]", async () => {
  const user = await createSocketUser(server.url, 11);
  const { sessionId, text, event, link } = await signInOutput(user);
  expect(text).toContain("The user has to sign in to calendar first");
  expect(event).toMatchObject({ server: "calendar" });
  expect(await peer.signIn(link, "ada")).toContain("You are signed in to calendar");
  expect(await textOfTurn(user, sessionId, '/tool calendar__read_note {"id":"7"}')).toContain("note 7");
  expect(new Set(peer.callers)).toEqual(new Set(["ada"]));
  // Another user has no sign-in.
  const other = await createSocketUser(server.url, 12);
  expect(await textOfTurn(other, await other.openSession(), "/tool calendar__sign_in {}")).toContain("has to sign in");
  await expect.poll(() => server.log()).toContain("mcp-signed-in");
  for (const secret of peer.login.secrets) expect(server.log()).not.toContain(secret);
});

test.skipIf(!hasBrowser)("in Chromium, the pages lead there and back under their policy [OR-303]", async () => {
  const user = await createSocketUser(server.url, 14);
  const { link } = await signInOutput(user);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(link);
    expect(await page.locator("dl").textContent()).toContain("calendar (127.0.0.1:");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("textbox").fill("dan");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "You are signed in to calendar" }).waitFor();
    expect(await page.context().cookies(server.url)).toEqual([]);
    // The browser also reports the missing icon.
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  } finally {
    await browser.close();
  }
  const { servers }: { servers: unknown } = await (await user.call("GET", "/mcp/oauth")).json();
  expect(servers).toEqual([expect.objectContaining({ name: "calendar", signedIn: true })]);
});

test("a sign-in that a restart interrupts leaves nothing behind [OR-300]", async () => {
  const user = await createSocketUser(server.url, 13);
  const { sessionId, link } = await signInOutput(user);
  const browser = createBrowser();
  const start = await browser.open(link);
  const consent = await browser.submit(start.url, await start.text(), {});
  const back = await browser.submit(
    consent.url,
    await consent.text(),
    { person: "cyn", answer: "yes" },
    `${server.url}/mcp/oauth/callback`,
  );
  await server.kill();
  await server.startAgain();
  const done = await browser.open(back.url);
  expect(await done.text()).toContain("You are signed in to calendar");
  peer.login.expireAccess();
  expect(await textOfTurn(user, sessionId, '/tool calendar__read_note {"id":"8"}')).toContain("note 8");
  expect(peer.callers.at(-1)).toBe("cyn");
  expect((await browser.open(back.url)).status).toBe(400);
});
