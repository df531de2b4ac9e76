/** The console as the real runtime serves it from the real build: page, files, headers, off, and development sign-in. */
import { request as httpRequest } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { readDevVarsFile } from "../../../scripts/start/dev-vars.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../../support/browser/browser.ts";
import { intercept } from "../../support/console/network.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../../support/server/running-server.ts";

const SIGN_IN = "/console/development-sign-in";
let server: RunningServer;
let closed: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  [server, closed] = await Promise.all([
    startRunningServer().then(started),
    startRunningServer({ CONSOLE_ENABLED: "false" }).then(started),
  ]);
});

/** The scripts and style sheets that the page names. */
async function filesOfPage(): Promise<readonly string[]> {
  const page = await (await fetch(`${server.url}/console`)).text();
  return [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
}

/** With headers that `fetch` sets itself, such as the host. */
function signIn(headers: Readonly<Record<string, string>>): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${server.url}${SIGN_IN}`, { method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    sent.on("error", reject).end();
  });
}

describe("the page", () => {
  test("answers every path of a screen, protected, and is sent once [CN-1, CN-2, CN-5, CN-6]", async () => {
    const page = await fetch(`${server.url}/console/registry/did:web:a.example?q=1`, {
      headers: { Origin: "https://elsewhere.test" },
    });
    expect(page.status).toBe(200);
    const headers = Object.fromEntries(page.headers);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self'"),
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    const known = { "If-None-Match": headers["etag"] ?? "" };
    const again = await fetch(`${server.url}/console/registry/did:web:b.example`, { headers: known });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const post = await fetch(`${server.url}/console`, { method: "POST" });
    expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("contains its settings, and nothing inline that its policy would block [CN-5, CN-7]", async () => {
    const page = await (await fetch(`${server.url}/console`)).text();
    const [, settings = ""] = /<meta name="twinedge-settings" content="([^"]*)"/.exec(page) ?? [];
    expect(JSON.parse(settings.replaceAll("&quot;", '"'))).toEqual({
      environment: "development",
      surfaces: ["oracle", "registry", "ussd", "query-gateway"],
      developmentSignIn: true,
    });
    expect(page).not.toMatch(/<style| style=| on\w+=|<script(?![^>]* src=)/);
    expect(page).not.toMatch(/(?:src|href)="(?!\/\w|data:image\/svg)/);
  });

  test("its files are cached for a year, and an unknown one is a 404 [CN-3, CN-5]", async () => {
    const files = await filesOfPage();
    expect(files.some((path) => path.endsWith(".js"))).toBe(true);
    for (const path of files) {
      const file = await fetch(`${server.url}${path}`);
      expect([file.status, file.headers.get("Cache-Control")]).toEqual([200, "public, max-age=31536000, immutable"]);
      expect(file.headers.get("Content-Type")).toMatch(/javascript|css|svg/);
      expect(file.headers.get("X-Content-Type-Options")).toBe("nosniff");
      await file.body?.cancel();
    }
    expect((await fetch(`${server.url}/console/assets/index-00000000.js`)).status).toBe(404);
  });

  test("when it is off, page, files and sign-in are a 404, and health is unaffected [CN-4]", async () => {
    for (const path of ["/console", "/console/votes", ...(await filesOfPage())]) {
      expect((await fetch(`${closed.url}${path}`)).status, path).toBe(404);
    }
    const headers = { Origin: closed.url };
    expect((await fetch(`${closed.url}${SIGN_IN}`, { method: "POST", headers })).status).toBe(404);
    expect((await fetch(`${closed.url}/health`)).status).toBe(200);
  });
});

describe("development sign-in", () => {
  test("the console's own page gets this machine's keys, which no log line contains [CN-8, CN-9]", async () => {
    const secrets = readDevVarsFile(".dev.vars");
    const { status, text } = await signIn({ Origin: server.url, "Sec-Fetch-Site": "same-origin" });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      apiKey: secrets.get("DEV_API_KEY"),
      operatorToken: secrets.get("ADMIN_TOKEN"),
      phoneOperatorToken: secrets.get("USSD_OPERATOR_TOKEN"),
    });
    for (const key of Object.values(JSON.parse(text) as Record<string, string>))
      expect(server.log()).not.toContain(key);
  });

  test.each([
    ["another site's page", { Origin: "https://elsewhere.test" }],
    ["a form of another site", { Origin: "null", "Content-Type": "application/x-www-form-urlencoded" }],
    ["no page", {}],
    ["a rebound name", { Host: "rebound.example", Origin: "http://rebound.example" }],
    ["an address of the network", { Host: "192.168.1.7", Origin: "http://192.168.1.7" }],
    ["another port of this machine", { Origin: "http://localhost:5173", "Sec-Fetch-Site": "same-site" }],
  ])("%s is refused [CN-9]", async (_, headers) => {
    const { status, text } = await signIn(headers);
    expect([status, text]).toEqual([403, expect.stringContaining("Development sign-in")]);
  });

  test("a tunnel that claims to be this machine is refused [CN-9]", async () => {
    expect((await signIn({ Origin: server.url, "X-Forwarded-For": "203.0.113.7" })).status).toBe(403);
  });

  test("its key alone suffices to create and verify a domain [CN-13]", async () => {
    const { apiKey } = JSON.parse((await signIn({ Origin: server.url })).text) as { apiKey: string };
    const call = async (method: string, path: string, body: unknown) => {
      const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
      const response = await fetch(`${server.url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json<{ readonly id: string }>() };
    };
    const domain = { type: "Project", protocol: "did:ixo:protocol/clean-cooking", metadata: { name: "Stoves" } };
    const { id } = (await call("POST", "/domains", domain)).body;
    expect((await call("PUT", "/voters/did:web:localhost", { weight: 1 })).status).toBe(201);
    const wish = { title: "Verify Stoves", package: {} };
    const proposed = await call("POST", `/domains/${id}/proposals`, wish);
    expect(proposed).toMatchObject({ status: 201 });
    const vote = await call("POST", `/proposals/${proposed.body.id}/votes`, { option: "yes" });
    expect(vote).toMatchObject({ status: 201 });
    const headers = { Authorization: `Bearer ${apiKey}` };
    const after = await (await fetch(`${server.url}/v1/domains/${id}`, { headers })).json();
    expect(after).toMatchObject({ verificationStatus: "Verified" });
  });
});

describe.runIf(hasBrowser)("in a browser", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser().then(started);
  });

  test("the page violates no rule of its policy, and no text becomes markup or code [CN-5]", async () => {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("console", (line) => {
      if (line.type() === "error") faults.push(line.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url)) faults.push(request.url());
    });
    await page.goto(`${server.url}/console`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(faults).toEqual([]);
    const refused = await page.evaluate(
      'try { document.body.innerHTML = "<b>text</b>"; } catch (error) { `${error}` }',
    );
    expect(refused).toContain("TrustedHTML");
    await page.close();
  });

  test("a foreign page gets nothing by any request that it can make [CN-9]", async () => {
    const page = await browser.newPage();
    // On this machine, so that the browser permits the requests; another port is another origin.
    await page.goto(`${closed.url}/health`);
    const target = `${server.url}${SIGN_IN}`;
    const answers = await page.evaluate(`Promise.all(
      [{}, { headers: { "Content-Type": "application/json" } }, { mode: "no-cors" }].map(async (init) => {
        try {
          const response = await fetch("${target}", { method: "POST", ...init });
          return [response.type, response.status, await response.text()];
        } catch {
          return "refused";
        }
      }),
    )`);
    expect(answers).toEqual(["refused", "refused", ["opaque", 0, ""]]);
    const [posted] = await Promise.all([
      page.waitForResponse(target),
      page.evaluate(`{
        const form = Object.assign(document.createElement("form"), { method: "post", action: "${target}" });
        document.body.append(form);
        form.submit();
      }`),
    ]);
    expect(posted.status()).toBe(403);
    await page.close();
  });

  test("a part whose file cannot be loaded affects nothing else of the page, and loads when the browser is online [CN-36]", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/console/chat`);
    const message = page.getByRole("textbox", { name: "Message" });
    await message.fill("Half a sentence");
    await page.context().setOffline(true);
    const panel = page.getByRole("complementary");
    await page.getByRole("navigation", { name: "Views of the chat" }).getByRole("link", { name: "Models" }).click();
    await panel.getByRole("alert").getByText("the server does not answer").waitFor();
    await panel.getByRole("alert").getByRole("button", { name: "Try again" }).waitFor();
    await page.context().setOffline(false);
    await panel.getByRole("group", { name: "Models" }).waitFor();
    expect(await panel.getByRole("alert").count()).toBe(0);
    expect(await message.inputValue()).toBe("Half a sentence");
    await page.close();
  });

  test("a page that a deployment has replaced reports it, and reloads when its user wants [CN-14]", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/console`);
    const votes = page.getByRole("link", { name: "Votes" }).first();
    await votes.waitFor();
    await page.evaluate(() => Reflect.set(globalThis, "mark", "same document"));
    await intercept(page, "**/console/assets/votes-screen-*.js", (route) => route.fulfill({ status: 404 }));
    // The next version's page, whose script has another name.
    await intercept(page, "**/console", (route) =>
      route.fulfill({ body: '<script src="/console/assets/index-2.js">' }),
    );
    await votes.click();
    const alert = page.locator("main").getByRole("alert");
    await alert.getByText("The console has been updated since you opened this page.").waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, "mark"))).toBe("same document");
    await page.unrouteAll();
    const reloaded = page.waitForEvent("load");
    await alert.getByRole("button", { name: "Reload" }).click();
    await reloaded;
    expect(new URL(page.url()).pathname).toBe("/console/votes");
    await page.getByRole("heading", { level: 1, name: "Votes" }).waitFor();
    await page.close();
  });
});
