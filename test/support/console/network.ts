/** Network conditions for a page: a slow connection and processor, refusals, failures, no answer. */
import type { Page } from "playwright-core";

export interface SlowLine {
  /** Kilobits per second, both ways. */
  readonly kbps: number;
  /** Round trip, milliseconds. */
  readonly latency: number;
  /** CPU slowdown factor. */
  readonly cpu: number;
}

/** The connection and processor of the console's performance budgets. */
export const SLOW_LINE: SlowLine = { kbps: 1_600, latency: 150, cpu: 4 };

export async function throttle(page: Page, { kbps, latency, cpu }: SlowLine = SLOW_LINE): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  const bytesPerSecond = (kbps * 1_000) / 8;
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: cpu });
}

export interface Refusal {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** The sentence of the answer. */
  readonly detail?: string;
  /** Only for requests with this method. */
  readonly method?: string;
}

/**
 * Playwright's `route`, for an open page. The page applies its first interception a moment after Playwright reports it: a request
 * in that moment would reach the server.
 */
export async function intercept(page: Page, ...route: Parameters<Page["route"]>): Promise<void> {
  await page.route(...route);
  await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
}

/** The request id of answers that a test sends instead of the server. */
export const REFUSED_REQUEST_ID = "req_refused-by-the-test";

/**
 * Answers requests instead of the server, in the format of the registry's refusals, until the returned function is called.
 * @param path a pattern of Playwright over the whole address, such as `**\/v1/domains*`.
 */
export async function refuse(page: Page, path: string | RegExp, refusal: Refusal): Promise<() => Promise<void>> {
  const { status, retryAfter, detail = `Refused with ${status} by the test.`, method } = refusal;
  const handler: Parameters<Page["route"]>[1] = async (route) => {
    if (method !== undefined && route.request().method() !== method) return route.fallback();
    await route.fulfill({
      status,
      headers: {
        "Content-Type": "application/problem+json",
        "X-Request-Id": REFUSED_REQUEST_ID,
        ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }),
      },
      body: JSON.stringify({ type: "about:blank", title: "Refused", status, code: "refused", detail }),
    });
  };
  await intercept(page, path, handler);
  return () => page.unroute(path, handler);
}

/** Aborts requests without an answer, until the returned function is called. */
export async function cut(page: Page, path: string | RegExp): Promise<() => Promise<void>> {
  const handler: Parameters<Page["route"]>[1] = (route) => route.abort("connectionrefused");
  await intercept(page, path, handler);
  return () => page.unroute(path, handler);
}
