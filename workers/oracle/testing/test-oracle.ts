/**
 * `testOracle`: a whole oracle inside the test pool. A test's message takes the path of a client's: a signed request to
 * the Worker, its limits and routes, the session's object, and back as a stream, together with a socket.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { APPROVE_TOOL } from "../../../protocol/socket-events.ts";
import type { OracleSettings } from "../../../oracle/settings.ts";
import type { SendMessageInput } from "../../../protocol/requests.ts";
import { composeOracle } from "../../compose-oracle.ts";
import type { JsonObject } from "../../../platform/json.ts";
import type { OracleAppOptions } from "../../../oracle/framework/app-options.ts";
import type { OracleSurface } from "../oracle-surface.ts";
import { describeBootError } from "../../../oracle/boot/boot-errors.ts";
import { createPluginKv, type PluginKv } from "../../../oracle/framework/storage.ts";
import { evict, executionContext, kill, poolEnv } from "./objects-in-pool.ts";
import { sessionsOf, storesOf, type OracleUnderTest } from "./oracles-under-test.ts";
import { recordingModels } from "./recording-model.ts";
import { openTestSocket, type ClientHandler, type SocketEvent, type TestSocket } from "./test-socket.ts";
import { createTestContext, type TestContext } from "./test-context.ts";
import { createTestUser, type TestUser } from "./test-user.ts";
import { readFrames, turnOf, type TestFrame, type TestTurn } from "./test-turn.ts";

/** The key of every oracle under test; bindings and `env` can set another. */
const SIGNING_SEED = "0a".repeat(32);
const ORIGIN = "https://oracle.test";
/** How often a broken stream is rejoined before a turn counts as lost. */
const REJOINS = 10;

/** The options of `createOracleApp`, except that bundled plugins run only if they are listed. */
export interface TestOracleOptions extends Omit<OracleAppOptions, "config"> {
  readonly config?: Partial<OracleAppOptions["config"]>;
  /** Variables and bindings, in addition to the pool's own. */
  readonly env?: Readonly<Record<string, unknown>>;
  /** Replaces the local model, which echoes, and calls a tool on `/tool <name> <JSON>`. */
  readonly model?: LanguageModelV4;
  /** The browser tools of the user's page, by name: declared with each message and run when the oracle calls them. */
  readonly browserTools?: Readonly<Record<string, ClientHandler>>;
  /** `approve_tool` answers for the user if a tool needs their approval: `({ toolName }) => ({ approved: true })`. */
  readonly actions?: Readonly<Record<string, ClientHandler>>;
}

export type SayOptions = Partial<Omit<SendMessageInput, "message" | "stream">> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** A user in a session of the oracle. */
export interface TestOracle {
  /** The DID to which tokens are addressed. */
  readonly did: string;
  readonly user: Pick<TestUser, "did" | "invocation">;
  readonly sessionId: string;
  /**
   * Sends a message and waits for the end of its turn, across kills and evictions. Rejects if a tool waits for an
   * approval and `actions` has no `approve_tool`.
   */
  say(message: string, options?: SayOptions): Promise<TestTurn>;
  /** Every frame and socket event of this session so far. */
  readonly frames: readonly TestFrame[];
  readonly events: readonly SocketEvent[];
  /** The tools in the model's latest request; empty before the first. */
  readonly tools: readonly string[];
  /** The model's requests, in all sessions: prompts and tools as they left the oracle. */
  readonly modelRequests: readonly LanguageModelV4CallOptions[];
  /** The session's object leaves memory, once its work has ended. Storage and sockets remain. */
  evict(): Promise<void>;
  /** The session's object loses its memory at once, in the middle of a turn, as in a crash. */
  kill(): Promise<void>;
  /** A request to the Worker, signed by the user unless it is `anonymous`. */
  fetch(path: string, init?: RequestInit & { readonly anonymous?: boolean }): Promise<Response>;
  /** Runs the schedules of the plugins once, and waits for their end. `time`: Unix milliseconds, now by default. */
  schedule(time?: number): Promise<void>;
  /** A plugin's storage for the user: its `ctx.kv`. */
  kv(plugin: string): PluginKv;
  /** Another session of this user. */
  anotherSession(): Promise<TestOracle>;
  /** Another user of this oracle, in a new session. */
  anotherUser(): Promise<TestOracle>;
}

/** Starts an oracle with these plugins and opens a session for a new user. */
export async function testOracle(options: TestOracleOptions): Promise<TestOracle> {
  const modelRequests: LanguageModelV4CallOptions[] = [];
  const { config, model } = options;
  const { oracle: surface, fetch } = composeOracle({
    bundledPlugins: options.bundledPlugins ?? [],
    plugins: options.plugins,
    features: options.features,
    manifestOverrides: options.manifestOverrides,
    hooks: options.hooks,
    authExcludedRoutes: options.authExcludedRoutes,
    config: { name: "Test oracle", ...config },
  });
  const pool = poolEnv();
  let settings: OracleSettings | undefined;
  const oracle: OracleUnderTest = {
    env: {
      ORACLE_SIGNING_SEED: SIGNING_SEED,
      LLM_PROVIDER: "local",
      ...pool,
      ...options.env,
      CHAT_SESSION: sessionsOf(pool.CHAT_SESSION, () => oracle),
      USER_VAULT: storesOf(pool.USER_VAULT, crypto.randomUUID()),
    } as unknown as Env,
    async sessionSettings(env) {
      const own = settings ?? (await surface.sessionSettings(env));
      settings ??= { ...own, models: recordingModels(own.models, model, modelRequests) };
      return settings;
    },
    channelSettings: (env) => surface.channelSettings(env),
  };
  const did = await didOf(surface, oracle.env);
  const running: RunningOracle = {
    env: oracle.env,
    options,
    modelRequests,
    context: createTestContext(),
    schedule: (time) => surface.scheduled(oracle.env, executionContext(), time),
    call: (path, init) => fetch(new Request(`${ORIGIN}${path}`, init), oracle.env, executionContext()),
    did,
    newUser: () => createTestUser(did),
  };
  return openSession(running, await running.newUser());
}

interface RunningOracle {
  readonly did: string;
  readonly env: Env;
  readonly options: TestOracleOptions;
  readonly modelRequests: readonly LanguageModelV4CallOptions[];
  readonly call: (path: string, init: RequestInit) => Promise<Response>;
  readonly schedule: (time: number) => Promise<void>;
  readonly newUser: () => Promise<TestUser>;
  readonly context: TestContext;
}

async function didOf(surface: OracleSurface, env: Env): Promise<string> {
  const runtime = await surface.runtime(env);
  if (!runtime.ok) {
    const { error } = surface.plugins.status(env);
    throw new Error(
      `the oracle does not start: ${error === undefined ? runtime.error.message : describeBootError(error)}`,
    );
  }
  return runtime.value.identity.did;
}

async function openSession(oracle: RunningOracle, user: TestUser): Promise<TestOracle> {
  const { env, options, modelRequests, context } = oracle;
  const { browserTools = {}, actions = {} } = options;
  const frames: TestFrame[] = [];
  const events: SocketEvent[] = [];

  async function signed(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${await user.token()}`);
    headers.set("X-Auth-Type", "ucan");
    return oracle.call(path, { ...init, headers });
  }

  const created = await signed("/sessions", { method: "POST" });
  if (created.status !== 201) throw new Error(`no session: ${created.status} ${await created.text()}`);
  const { sessionId } = await created.json<{ sessionId: string }>();
  const object = () => env.CHAT_SESSION.getByName(sessionId) as unknown as DurableObjectStub;
  /** Tools that wait for the user although the test has no answer for them. */
  const unapproved: string[] = [];
  let socket = await connect();

  /** Otherwise the turn would wait for a day. */
  function endUnapproved({ name, payload }: SocketEvent): void {
    if (name !== "action_call" || payload["toolName"] !== APPROVE_TOOL || actions[APPROVE_TOOL] !== undefined) return;
    unapproved.push((payload["args"] as { readonly toolName: string }).toolName);
    void signed("/messages/abort", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sessionId }),
    });
  }

  function connect(): Promise<TestSocket> {
    return openTestSocket({
      open: () =>
        oracle.call(`/socket.io/?EIO=4&transport=websocket&sessionId=${sessionId}`, {
          headers: { Upgrade: "websocket" },
        }),
      token: user.token,
      handlerOf: (kind, name) => (kind === "tool" ? browserTools : actions)[name],
      onEvent(event) {
        events.push(event);
        endUnapproved(event);
      },
    });
  }

  /** All frames of a run, whatever happens to the object meanwhile. */
  async function wholeRun(runId: string, first: ReadableStream): Promise<readonly TestFrame[]> {
    const own: TestFrame[] = [];
    const keep = (frame: TestFrame): void => {
      own.push(frame);
      frames.push(frame);
    };
    await readFrames(first, keep).catch(() => undefined);
    for (let joined = 0; own.at(-1)?.event !== "done"; joined += 1) {
      if (joined === REJOINS) throw new Error(`the turn ${runId} was lost`);
      const response = await signed(`/runs/${runId}?after=${own.at(-1)?.id ?? 0}`).catch(() => undefined);
      if (response?.ok === true && response.body !== null) await readFrames(response.body, keep).catch(() => undefined);
    }
    return own;
  }

  async function say(message: string, { headers = {}, ...body }: SayOptions): Promise<TestTurn> {
    const before = events.length;
    const response = await signed(`/messages/${sessionId}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({
        tools: Object.keys(browserTools).map(declared),
        agActions: Object.keys(actions)
          .filter((name) => name !== APPROVE_TOOL)
          .map(declared),
        ...body,
        message,
        stream: true,
      }),
    });
    if (!response.ok || response.body === null) {
      const error = await response.json<JsonObject>();
      return { status: "refused", text: "", toolCalls: [], notices: [], frames: [], events: [], runId: "", error };
    }
    const runId = response.headers.get("x-run-id") ?? "";
    const turn = turnOf(await wholeRun(runId, response.body));
    await socket.settled();
    const [waiting] = unapproved.splice(0);
    if (waiting !== undefined)
      throw new Error(
        `${waiting} waits for an approval: pass actions: { ${APPROVE_TOOL}: () => ({ approved: true }) }`,
      );
    return { ...turn, runId, events: events.slice(before) };
  }

  return {
    did: oracle.did,
    user: { did: user.did, invocation: (content) => user.invocation(content) },
    sessionId,
    frames,
    events,
    modelRequests,
    get tools() {
      return (modelRequests.at(-1)?.tools ?? []).map(({ name }) => name);
    },
    async say(message, body = {}) {
      await context.enter();
      return context.during(() => say(message, body));
    },
    async evict() {
      await context.enter();
      await evict(object());
    },
    async kill() {
      await context.enter();
      kill(object());
      await socket.closed;
      socket = await connect();
    },
    async fetch(path, { anonymous = false, ...init } = {}) {
      await context.enter();
      return anonymous ? oracle.call(path, init) : signed(path, init);
    },
    async schedule(time = Date.now()) {
      await context.enter();
      await oracle.schedule(time);
    },
    kv: (plugin) => createPluginKv(() => env.USER_VAULT.getByName(user.did), plugin),
    async anotherSession() {
      await context.enter();
      return openSession(oracle, user);
    },
    async anotherUser() {
      await context.enter();
      return openSession(oracle, await oracle.newUser());
    },
  };
}

function declared(name: string) {
  return { name, description: name, schema: { type: "object" } };
}
