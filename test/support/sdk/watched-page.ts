/**
 * A page in the browser as a test sees it: what it asked the oracle for, what is still open, what it complained about, and
 * what can befall it: a slow processor, no network, a frozen tab.
 */
import type { Page, Request, WebSocket } from "playwright-core";

/** A request to the oracle, since the page was opened; reloads of the page do not reset it. */
export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Undefined until the answer begins, and when nobody answered. */
  status: number | undefined;
  /** Its answer still comes. */
  open: boolean;
}

export interface Traffic {
  readonly requests: readonly SeenRequest[];
  /** Messages posted, without aborts. */
  posts(): readonly SeenRequest[];
  /** Answers of runs: of a posted message, or of a run that was joined again. */
  streams(): readonly SeenRequest[];
  /** Runs that were joined again. */
  resumes(): readonly SeenRequest[];
  /** Sockets that were opened, and those that still are. */
  readonly sockets: readonly { open: boolean }[];
  openStreams(): number;
  openSockets(): number;
}

export interface WatchedPage {
  readonly page: Page;
  readonly traffic: Traffic;
  /** Errors and warnings of the console (React's too) and uncaught errors; without those about failed requests. */
  readonly faults: readonly string[];
  /** Slows the page's processor down so many times; 1 for as it is. */
  throttle(rate: number): Promise<void>;
  /** Cuts the network of all pages of this browser context, or brings it back. */
  setOffline(offline: boolean): Promise<void>;
  /** As a browser freezes a tab in the background: no timer and no task runs, and nothing in the page can be asked. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Closes the page, and its browser context when nobody gave it one. */
  close(): Promise<void>;
}

export async function watchPage(page: Page, oracleUrl: string): Promise<WatchedPage> {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.stack ?? error.message));
  page.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning";
    // The browser's own notes on requests; what was asked, and how it ended, stands in `traffic`.
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
      // Without a window Chromium lets a frozen page go on; the debugger stops it at its next statement.
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
    // Playwright reports no end of the sockets of a page that was left.
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
