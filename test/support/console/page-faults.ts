/**
 * Watches a browser context for faults that no page of the console may have: errors, failed requests, requests to another origin,
 * violations of the content security policy, and a secret in the wrong place. Each is one line, by which a test can allow it:
 *
 *     page error: …          console error: …          csp: script-src …          foreign: GET https://…
 *     answer: 404 GET /v1/…  secret: in the address | a request's address | the history | the console | localStorage | IndexedDB | the log
 */
import type { BrowserContext, Page } from "playwright-core";
import type { RunningServer } from "../server/running-server.ts";

export interface PageFaults {
  /** The faults found so far, except the allowed ones. */
  found(): readonly string[];
  /** Allows these faults from now on, and those already found. */
  allow(...patterns: readonly RegExp[]): void;
  /** Adds another secret to watch: an issued key, a PIN. */
  watchSecret(secret: string): void;
  /** Forgets the faults found, and allows only these from now on. */
  startOver(allow: readonly RegExp[]): void;
  /** Checks address, history and storage of the open pages now; runs automatically at the end. */
  lookAtStorage(): Promise<void>;
}

interface Watching {
  readonly secrets: readonly string[];
  readonly allow: readonly RegExp[];
}

export async function watchForFaults(
  context: BrowserContext,
  server: RunningServer,
  given: Watching,
): Promise<PageFaults> {
  const secrets = new Set(given.secrets);
  let allowed = [...given.allow];
  const faults: string[] = [];
  /** Kept, so that a secret that becomes known later is searched too. */
  const heard: { readonly where: string; readonly text: string }[] = [];

  await context.exposeBinding("reportToTheTest", (_source, fault: unknown) => void faults.push(String(fault)));
  await context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    reportToTheTest("csp: " + event.effectiveDirective + " " + event.blockedURI + " " + event.sourceFile + ":" + event.lineNumber), true)`);
  context.on("weberror", (error) => faults.push(`page error: ${error.error().stack ?? error.error().message}`));
  context.on("console", (message) => {
    const text = message.text();
    heard.push({ where: "the console", text });
    if (/content security policy|trusted ?types?\b.*(requires|policy)/i.test(text)) faults.push(`csp: ${text}`);
    // A status is reported as `answer:` with its method and path.
    else if (message.type() === "error" && !/responded with a status of \d/.test(text))
      faults.push(`console error: ${text}`);
  });
  context.on("request", (request) => {
    const url = request.url();
    heard.push({ where: "a request's address", text: url });
    if (!/^(data|blob):/.test(url) && new URL(url).origin !== server.url)
      faults.push(`foreign: ${request.method()} ${url}`);
  });
  context.on("response", (response) => {
    if (response.status() < 400) return;
    const { pathname, search } = new URL(response.url());
    faults.push(`answer: ${response.status()} ${response.request().method()} ${pathname}${search}`);
  });
  context.on("page", (page) => {
    page.on("framenavigated", (frame) => void heard.push({ where: "the address", text: frame.url() }));
    page.on("websocket", (socket) => {
      heard.push({ where: "a request's address", text: socket.url() });
      if (new URL(socket.url()).host !== new URL(server.url).host) faults.push(`foreign: socket ${socket.url()}`);
    });
  });

  const leaks = (): string[] =>
    [...heard, { where: "the log", text: server.log() }].flatMap(({ where, text }) =>
      [...secrets].some((secret) => contains(text, secret)) ? [`secret: in ${where}`] : [],
    );
  return {
    found: () => [...faults, ...new Set(leaks())].filter((fault) => !allowed.some((pattern) => pattern.test(fault))),
    allow: (...patterns) => void allowed.push(...patterns),
    watchSecret: (secret) => void secrets.add(secret),
    startOver(allow) {
      faults.length = 0;
      heard.length = 0;
      allowed = [...allow];
    },
    async lookAtStorage() {
      for (const page of context.pages()) heard.push(...(await storedBy(page)));
    },
  };
}

/** Raw, and percent-encoded as in an address. */
function contains(text: string, secret: string): boolean {
  return text.includes(secret) || text.includes(encodeURIComponent(secret));
}

async function storedBy(page: Page): Promise<{ readonly where: string; readonly text: string }[]> {
  if (page.isClosed() || !page.url().startsWith("http")) return [];
  const protocol = await page.context().newCDPSession(page);
  const { entries } = await protocol.send("Page.getNavigationHistory");
  await protocol.detach();
  const kept =
    await page.evaluate<Readonly<Record<"address" | "history" | "localStorage" | "IndexedDB", string>>>(READ_ALL);
  return [
    { where: "the address", text: kept.address },
    { where: "the history", text: `${entries.map(({ url, title }) => `${url} ${title}`).join("\n")}\n${kept.history}` },
    { where: "localStorage", text: kept.localStorage },
    { where: "IndexedDB", text: kept.IndexedDB },
  ];
}

/** Everything that the page stores beyond its tab, as text, including bytes. */
const READ_ALL = `(async () => {
  const settled = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const printed = (value) => JSON.stringify(value, (_key, member) => {
    if (member instanceof ArrayBuffer || ArrayBuffer.isView(member)) return new TextDecoder().decode(member);
    if (member instanceof Map || member instanceof Set) return [...member];
    return member;
  });
  let databases = "";
  for (const { name, version } of await indexedDB.databases()) {
    const database = await settled(indexedDB.open(name, version));
    for (const store of database.objectStoreNames) {
      const reading = database.transaction(store).objectStore(store);
      databases += printed(await settled(reading.getAllKeys())) + printed(await settled(reading.getAll()));
    }
    database.close();
  }
  return {
    address: location.href + " " + document.title,
    history: printed(history.state) ?? "",
    localStorage: JSON.stringify({ ...localStorage }),
    IndexedDB: databases,
  };
})()`;
