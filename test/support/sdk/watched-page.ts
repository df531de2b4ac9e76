/**
 * A page in the browser with its observations for a test: its requests to the oracle, which of them are open, and its errors; and
 * injected conditions: a slow processor, no network, a frozen tab.
 */
import type { Page, Request, WebSocket } from "playwright-core";

/** A request to the oracle since the page was opened; reloads of the page do not reset the list. */
export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Undefined until the answer begins, and if there is none. */
  status: number | undefined;
  /** Its answer is still arriving. */
  open: boolean;
}

export interface Traffic {
  readonly requests: readonly SeenRequest[];
  /** Posted messages, without aborts. */
  posts(): readonly SeenRequest[];
  /** Streams of runs: of a posted message, or of a joined run. */
  streams(): readonly SeenRequest[];
  /** Joined runs. */
  resumes(): readonly SeenRequest[];
  /** All sockets that were opened, with their state. */
  readonly sockets: readonly { open: boolean }[];
  openStreams(): number;
  openSockets(): number;
}

export interface WatchedPage {
  readonly page: Page;
  readonly traffic: Traffic;
  /** Errors and warnings in the console (React's too) and uncaught errors, except those about failed requests. */
  readonly faults: readonly string[];
  /** Slows the page's processor down by this factor; 1 for full speed. */
  throttle(rate: number): Promise<void>;
  /** Takes all pages of this browser context offline, or online again. */
  setOffline(offline: boolean): Promise<void>;
  /** Like a frozen background tab: timers and tasks stop, and the page cannot be inspected. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Closes the page, and its browser context unless the test provided it. */
  close(): Promise<void>;
}

export async function watchPage(page: Page, oracleUrl: string): Promise<WatchedPage> {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.stack ?? error.message));
  page.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning";
    // The browser's own messages about requests; `traffic` has the requests and their results.
    const isAboutRequest = /^Failed to load resource|^WebSocket connection to|net::ERR_/.test(message.text());
    if (isFault && !isAboutRequest) faults.push(message.text());
  });
  const protocol = await page.context().newCDPSession(page);
  return {
    page,
    faults,
    traffic: watchTraffic(page, oracleUrl),
    throttle: async (rate) => void (await protocol.send("Emulation.setCPUThrottlingRate", { rate })),
    setOffline: (offline) => page.context().setOffline(offline),
    async freeze() {
      await protocol.send("Page.setWebLifecycleState", { state: "frozen" });
      // Without a window, Chromium does not suspend a frozen page; the debugger stops it at its next statement.
      await protocol.send("Debugger.enable");
      await protocol.send("Debugger.pause");
    },
    async thaw() {
      await protocol.send("Debugger.disable");
      await protocol.send("Page.setWebLifecycleState", { state: "active" });
    },
    close: () => page.close(),
  };
}

function watchTraffic(page: Page, oracleUrl: string): Traffic {
  const requests: SeenRequest[] = [];
  const sockets: { open: boolean }[] = [];
  const seen = new Map<Request, SeenRequest>();
  const end = (request: Request): void => {
    const entry = seen.get(request);
    if (entry !== undefined) entry.open = false;
  };
  page.on("request", (request) => {
    if (!request.url().startsWith(oracleUrl) || request.method() === "OPTIONS") return;
    const path = request.url().slice(oracleUrl.length);
    const entry: SeenRequest = { method: request.method(), path, status: undefined, open: true };
    requests.push(entry);
    seen.set(request, entry);
  });
  page.on("response", (response) => {
    const entry = seen.get(response.request());
    if (entry !== undefined) entry.status = response.status();
  });
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  page.on("websocket", (socket: WebSocket) => {
    const entry = { open: true };
    sockets.push(entry);
    socket.on("close", () => {
      entry.open = false;
    });
  });

  page.on("framenavigated", (frame) => {
    // Playwright does not report the end of a closed page's sockets.
    if (frame === page.mainFrame()) for (const socket of sockets) socket.open = false;
  });

  const posts = (): SeenRequest[] =>
    requests.filter(({ method, path }) => method === "POST" && /^\/messages\/(?!abort$)/.test(path));
  const resumes = (): SeenRequest[] =>
    requests.filter(({ method, path }) => method === "GET" && path.startsWith("/runs/"));
  return {
    requests,
    sockets,
    posts,
    resumes,
    streams: () => [...posts(), ...resumes()],
    openStreams: () => [...posts(), ...resumes()].filter(({ open }) => open).length,
    openSockets: () => sockets.filter(({ open }) => open).length,
  };
}
