/** Layout stability of the screens: every list, narrow and wide, with slow answers. */
import type { Page, Request } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { UNREACHABLE_HOST } from "../../support/console/addresses.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { throttle } from "../../support/console/network.ts";
import { callRegistry, registrySample, type RegistrySample } from "../../support/console/registry-sample.ts";

/** Maximum cumulative layout shift (CLS) while a screen loads, as web-vitals defines it. */
const LAYOUT_SHIFT = 0.1;
const WIDTHS = [1440, 768, 320];
/** So slow that the answers of a screen arrive one after the other. */
const SLOW_ANSWERS = { kbps: 8_000, latency: 300, cpu: 1 };

const encoded = encodeURIComponent;

describe.runIf(hasBrowser)("a screen that loads slowly", () => {
  const app = startConsoleForTests({ REGISTRY_WEBHOOK_HOSTS: UNREACHABLE_HOST });
  let sample: RegistrySample;
  beforeAll(async () => {
    sample = await registrySample(app.server);
    for (const place of ["Kisumu", "Naivasha", "Mombasa and the villages south of it", "Eldoret"]) {
      const body = {
        type: "Project",
        class: "did:ixo:protocol/clean-cooking",
        metadata: { name: `Stoves of ${place}` },
      };
      const { id } = await callRegistry(app.server, "POST", "/v1/domains", { body });
      await callRegistry(app.server, "POST", `/v1/domains/${encoded(id)}/proposals`, {
        body: { title: `Verify the stoves of ${place}`, package: {} },
      });
    }
    await callRegistry(app.server, "POST", "/v1/webhooks", {
      body: { url: `http://${UNREACHABLE_HOST}/hook`, description: "Dashboard" },
    });
  });

  const paths: readonly (readonly [name: string, path: () => string])[] = [
    ["home", () => "/"],
    ["the list of domains", () => "/registry"],
    ["a domain", () => `/registry/domains/${encoded(sample.verified)}`],
    ["the history of a domain", () => `/registry/domains/${encoded(sample.verified)}?tab=history`],
    ["the list of votes", () => "/votes"],
    ["an open vote", () => `/votes/${sample.openProposal}`],
    ["a finished vote", () => `/votes/${sample.passedProposal}`],
    ["the voter roll", () => "/votes/roll"],
    ["the audit trail", () => "/votes/audit"],
    ["the list of keys", () => "/keys"],
    ["the list of webhooks", () => "/keys/webhooks"],
    ["the phone", () => "/phone"],
    ["the phone operator's sessions", () => "/phone/operator"],
    ["the chat", () => "/chat"],
    ["the queries", () => "/queries"],
  ];

  test.each(paths)("%s shifts little, narrow or wide [CN-296]", async (_name, path) => {
    const moved = await Promise.all(WIDTHS.map(async (width) => [width, await shiftOf(path(), width)] as const));
    expect(moved.filter(([, shift]) => shift > LAYOUT_SHIFT)).toEqual([]);
  });

  async function shiftOf(path: string, width: number): Promise<number> {
    let open: ReadonlySet<Request> = new Set();
    const { page } = await app.open({
      path,
      width,
      prepare: async (fresh) => {
        open = openRequests(fresh);
        await throttle(fresh, SLOW_ANSWERS);
        await fresh.addInitScript(`globalThis.moved = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.moved += entry.value;
          }).observe({ type: "layout-shift", buffered: true });`);
      },
    });
    do {
      await expect.poll(() => open.size, { timeout: 30_000 }).toBe(0);
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    } while (open.size > 0);
    return page.evaluate<number>("moved");
  }
});

/** The page's pending requests, without those that stay open. */
function openRequests(page: Page): ReadonlySet<Request> {
  const open = new Set<Request>();
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const staysOpen = pathname.startsWith("/socket.io/") || (pathname === "/v1/changes" && searchParams.has("after"));
    if (!staysOpen) open.add(request);
  });
  const close = (request: Request): void => void open.delete(request);
  page.on("requestfinished", close);
  page.on("requestfailed", close);
  return open;
}
