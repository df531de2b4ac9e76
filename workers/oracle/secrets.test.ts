/**
 * Secrets of the environment at the edge: no response of any route and no log line contains one, even if settings are
 * wrong.
 */
import { expect, test } from "vitest";
import { chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { createEdge, openSession } from "../../test/support/oracle/oracle-edge.ts";
import { oracleObjectsInNode } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { canariesIn, canaryEnv } from "../../test/support/auth/secret-canaries.ts";
import { mintInvocation, signer } from "../../test/support/auth/ucan.ts";
import { createDispatcher } from "../dispatch.ts";
import { createLogger, withoutSecretsOf } from "../../platform/log.ts";
import { createPagesApp } from "../pages/app.ts";
import { readPagesConfig } from "../pages/config.ts";
import { createOracleSurface } from "./oracle-surface.ts";
import { agui, portal } from "../../oracle/plugins/client-tools/client-tools.ts";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";

const everything = JSON.stringify(canaryEnv);
const broken = plugin("broken", {
  getRoutes: () => [
    {
      method: "get",
      path: "/broken",
      public: true,
      handler: () => {
        throw new Error(everything);
      },
    },
  ],
});

/** A plugin that throws a secret from every hook. */
const careless = plugin("careless", {
  getSharedState: () => ({ promptSection: everything }),
  getTools: ({ logger, onTurnEnd }) => {
    logger.warn("tools-loaded", { settings: everything });
    onTurnEnd(() => {
      throw new Error(everything);
    });
    return [
      tool("dump", () => canaryEnv),
      tool("break", () => {
        throw new Error(everything);
      }),
    ];
  },
});

test("a turn in the deployed objects, including its console log [OR-228]", async () => {
  const { objects, bindings } = oracleObjectsInNode(canaryEnv);
  objects.settings = chatSettings({ plugins: [careless] });
  const lines: string[] = [];
  const { info, warn, error } = console;
  const edge = await createEdge(bindings);
  try {
    Object.assign(
      console,
      Object.fromEntries(["info", "warn", "error"].map((level) => [level, (line: string) => lines.push(line)])),
    );
    const sessionId = await openSession(edge, 1);
    const body = { message: "/tool dump {}\n/tool break {}", returnAllMessages: true };
    const reply = await (await edge.call("POST", `/messages/${sessionId}`, { as: 1, body })).text();
    expect(reply).toContain("Tool dump returned");
    expect(reply).toContain("[OPENAI_API_KEY]");
    expect(canariesIn(reply)).toEqual([]);
    await expect.poll(() => lines.join("\n")).toContain("plugin-run-end-failed");
  } finally {
    Object.assign(console, { info, warn, error });
  }
  const log = lines.join("\n");
  for (const event of ["tools-loaded", "tool-failed", "run-ended"]) expect(log).toContain(event);
  expect(canariesIn(log)).toEqual([]);
});

/** All responses and logs of the edge in this environment, over every route, signed in and not. */
async function everythingSaid(env: Readonly<Record<string, string>>) {
  const { objects, bindings } = oracleObjectsInNode();
  const complete = { ...bindings, ...env } as unknown as Env;
  const oracle = createOracleSurface({ config: { name: "Oracle" }, plugins: [userPreferences, portal, agui, broken] });
  const logged: string[] = [];
  const dispatch = createDispatcher({
    apps: { oracle, shared: createPagesApp({ surfaces: { oracle } }) },
    hosts: readPagesConfig,
    log: (context, of) =>
      createLogger(
        context,
        withoutSecretsOf(of, (_, line) => void logged.push(line)),
      ),
  });
  const audience = await oracle.runtime(complete);
  const token = audience.ok
    ? await mintInvocation(await signer(1), audience.value.identity.did, Math.floor(Date.now() / 1000) + 600)
    : "none";
  const signedIn = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" };
  const said: string[] = [];

  async function call(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
    const request = new Request(`https://oracle.test${path}`, { method, headers });
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
    const response = await dispatch(request, complete, context as unknown as ExecutionContext);
    // A stream that breaks off says why.
    const body = await response.text().catch((broken: unknown) => String(broken));
    said.push(JSON.stringify([...response.headers]), body);
    return response.status;
  }

  const statuses: number[] = [];
  const routes = oracle
    .routes(complete)
    .map(({ declaration: { method, path } }) => [method.toUpperCase(), path] as const);
  const shared = ["/", "/health", "/openapi.json", "/openapi/oracle.json", "/nowhere"].map(
    (path) => ["GET", path] as const,
  );
  for (const breakage of [undefined, Object.assign(new Error(everything), { remote: true })]) {
    objects.breakage = breakage;
    for (const [method, path] of [...routes, ...shared]) {
      for (const headers of [{}, signedIn, { ...signedIn, Authorization: "Bearer x" }]) {
        statuses.push(await call(method, path.replaceAll(/:\w+/g, crypto.randomUUID()), headers));
      }
    }
  }
  return { statuses, text: said.join("\n"), log: logged.join("\n") };
}

test("with valid settings: every route, with and without a session's object [OR-228]", async () => {
  const { statuses, text, log } = await everythingSaid({ ...canaryEnv, ENVIRONMENT: "development" });
  expect(statuses).toEqual(expect.arrayContaining([200, 401, 404, 500]));
  expect(log).toContain("request-failed");
  expect(canariesIn(text)).toEqual([]);
  expect(canariesIn(log)).toEqual([]);
});

test.each(["ORACLE_SIGNING_SEED", "STATIC_DID_KEYS", "LLM_PROVIDER", "MODELS"])(
  "with an invalid %s that contains secrets [OR-228]",
  async (name) => {
    const wrong = { ...canaryEnv, ENVIRONMENT: "development", [name]: `wrong: ${everything}` };
    const { statuses, text, log } = await everythingSaid(wrong);
    expect(statuses).toEqual(expect.arrayContaining([500, 503]));
    expect(canariesIn(text)).toEqual([]);
    expect(canariesIn(log)).toEqual([]);
  },
);
