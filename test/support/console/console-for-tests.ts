/**
 * The console for a test file: one server and one browser for all its tests, a fresh browser context for each page. After each
 * test, its pages are closed, and the test fails if a page did something forbidden (page-faults.ts).
 *
 *     const app = startConsoleForTests();
 *     test("…", async () => {
 *       const { page } = await app.open({ path: "/registry", width: 320, touch: true });
 *     });
 *
 * The tests of a `describe` that are the ordered steps of one journey share a page of `app.journey()`.
 */
import { afterAll, afterEach, beforeAll } from "vitest";
import { startBrowser, type TestBrowser } from "../browser/browser.ts";
import { startRunningServer, type RunningServer } from "../server/running-server.ts";
import { openConsolePage, type ConsolePage, type ConsolePageOptions } from "./console-page.ts";

export interface ConsoleForTests {
  readonly server: RunningServer;
  readonly browser: TestBrowser;
  /** Resolves when the first heading of the screen is visible. */
  open(options?: ConsolePageOptions): Promise<ConsolePage>;
  /** Called in a `describe`: one page for all its tests, each of which fails if the page did something forbidden in it. */
  journey(options?: ConsolePageOptions): Pick<ConsolePage, "context" | "faults" | "goto" | "page">;
}

type Variables = Readonly<Record<string, string>>;

/**
 * Called at the top of a file, or of a `describe.runIf(hasBrowser)`.
 * @param variables of the Worker, overriding those of `.dev.vars`; a function if they are known only after other set-up.
 * @param config a wrangler.toml of another Worker, which then serves the console instead of ours.
 */
export function startConsoleForTests(
  variables: Variables | (() => Promise<Variables>) = {},
  config?: string,
): ConsoleForTests {
  let started: { readonly server: RunningServer; readonly browser: TestBrowser } | undefined;
  const opened: ConsolePage[] = [];
  beforeAll(async () => {
    const given = typeof variables === "function" ? await variables() : variables;
    const [server, browser] = await Promise.allSettled([
      startRunningServer({ LLM_PROVIDER: "local", ...given }, config),
      startBrowser(),
    ]);
    if (server.status === "fulfilled" && browser.status === "fulfilled") {
      started = { server: server.value, browser: browser.value };
      return;
    }
    if (server.status === "fulfilled") await server.value.dispose();
    if (browser.status === "fulfilled") await browser.value.close();
    throw new Error("the console could not be started", {
      cause: server.status === "rejected" ? server.reason : (browser as PromiseRejectedResult).reason,
    });
  });
  afterEach(async () => {
    const faults: string[] = [];
    for (const { close } of opened.splice(0)) faults.push(...(await close()));
    throwFaults(faults);
  });
  afterAll(async () => {
    await started?.browser.close();
    await started?.server.dispose();
  });
  const running = (): NonNullable<typeof started> => {
    if (started === undefined)
      throw new Error("the console is started before the first test, not while tests are collected");
    return started;
  };
  return {
    get server() {
      return running().server;
    },
    get browser() {
      return running().browser;
    },
    async open(options = {}) {
      const page = await openConsolePage(running(), options);
      opened.push(page);
      return page;
    },
    journey(options = {}) {
      let opened: ConsolePage | undefined;
      beforeAll(async () => {
        opened = await openConsolePage(running(), options);
      });
      afterEach(async () => {
        await opened?.faults.lookAtStorage();
        throwFaults(opened?.faults.found() ?? []);
      });
      afterAll(() => opened?.close());
      const there = (): ConsolePage => {
        if (opened === undefined) throw new Error("the page of a journey is opened before its first test");
        return opened;
      };
      return {
        get context() {
          return there().context;
        },
        get faults() {
          return there().faults;
        },
        get page() {
          return there().page;
        },
        goto: (path) => there().goto(path),
      };
    },
  };
}

function throwFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`The pages of this test had faults:\n${[...new Set(faults)].join("\n")}`);
}
