/** The whole Worker as a browser on the console's origin calls it, with a cookie jar of one cookie. */
import { env } from "cloudflare:workers";
import { createDispatcher } from "../../../workers/dispatch.ts";
import { createPagesApp } from "../../../workers/pages/app.ts";
import { readPagesConfig } from "../../../workers/pages/config.ts";
import { createRegistryApp } from "../../../workers/registry/app.ts";
import { createStaffApp } from "../../../workers/staff/app.ts";
import { createUssdApp } from "../../../workers/ussd/app.ts";
import type { StaffRole } from "../../../platform/staff/roles.ts";
import type { Received } from "../server/received.ts";
import { softwareAuthenticator, type SoftwareAuthenticator } from "./software-authenticator.ts";

export const ORIGIN = "https://edge.test";
export const ADMIN_TOKEN = "operator-token-of-32-characters!";

export interface StaffCall {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StaffAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Received;
}

export interface StaffBrowser {
  cookie: string | undefined;
  call(method: string, path: string, call?: StaffCall): Promise<StaffAnswer>;
}

export function staffEdge(settings: object = {}, origin = ORIGIN) {
  // The phone gateway reads the time itself.
  const clock = { now: Date.now() };
  const complete = {
    ...env,
    ENVIRONMENT: "test",
    ADMIN_TOKEN,
    USSD_OPERATOR_TOKEN: "phone-operator-token-of-32-chars",
    USSD_RATE_LIMIT_PER_MINUTE: "1000000",
    REGISTRY_WRITES_PER_MINUTE: "100000",
    ...settings,
  } as unknown as Env;
  const now = () => clock.now;
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const registry = createRegistryApp({ clock: now, randomBytes });
  const ussd = createUssdApp();
  const lines: string[] = [];
  const write = (event: string, members?: object) => void lines.push(`${event} ${JSON.stringify(members ?? {})}`);
  const dispatch = createDispatcher({
    apps: {
      registry,
      ussd,
      shared: createPagesApp({ surfaces: { registry, ussd }, staff: createStaffApp({ registry, ussd }, now) }),
    },
    hosts: readPagesConfig,
    log: () => ({ info: write, warn: write, error: write }),
  });
  const pending: Promise<unknown>[] = [];
  const context = {
    waitUntil: (work: Promise<unknown>) => void pending.push(work),
    passThroughOnException: () => undefined,
    props: {},
  } as unknown as ExecutionContext;

  /** A browser's page of `origin`. */
  function browser(): StaffBrowser {
    const jar: StaffBrowser = {
      cookie: undefined,
      async call(method, path, { body, headers = {} } = {}) {
        const request = new Request(`${origin}${path}`, {
          method,
          headers: {
            "Sec-Fetch-Site": "same-origin",
            ...(method === "GET" ? {} : { Origin: origin }),
            ...(jar.cookie === undefined ? {} : { Cookie: jar.cookie }),
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const response = await dispatch(request, complete, context);
        const set = response.headers.get("Set-Cookie")?.split(";")[0];
        if (set !== undefined) jar.cookie = set;
        const text = new TextDecoder().decode(await response.arrayBuffer());
        const isJson =
          /^application\/(?:problem\+)?json/.test(response.headers.get("Content-Type") ?? "") && text !== "";
        return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
      },
    };
    return jar;
  }

  async function invite(role: StaffRole, name = `A ${role}`): Promise<Received> {
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    return (await browser().call("POST", "/staff/members", { headers, body: { name, role } })).body;
  }

  async function accept(page: StaffBrowser, token: string, authenticator: SoftwareAuthenticator) {
    const begun = await page.call("POST", "/staff/invitations/options", { body: { token } });
    const { challenge } = begun.body.options;
    const passkey = await authenticator.create({ challenge, origin });
    return page.call("POST", "/staff/invitations/accept", { body: { token, passkey } });
  }

  async function signIn(page: StaffBrowser, authenticator: SoftwareAuthenticator, at = origin) {
    const begun = await page.call("POST", "/staff/sign-in/options");
    return page.call("POST", "/staff/sign-in", {
      body: await authenticator.sign({ challenge: begun.body.challenge, origin: at }),
    });
  }

  /** A browser that is signed in with a new person of this role. */
  async function signedIn(role: StaffRole) {
    const [invited, authenticator, page] = [await invite(role), await softwareAuthenticator(), browser()];
    await accept(page, invited.token, authenticator);
    return { page, authenticator, id: String(invited.id) };
  }

  const send = (request: Request) => dispatch(request, complete, context);
  /** Waits for the work after responses, including work that other work has begun. */
  async function settled(): Promise<void> {
    while (pending.length > 0) await Promise.all(pending.splice(0));
  }
  return { clock, lines, send, settled, browser, invite, accept, signIn, signedIn, env: complete };
}
