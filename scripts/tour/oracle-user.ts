/** A user of the tour: a fresh key, signed requests over HTTP, and turns read to their end. */
import { randomBytes } from "node:crypto";
import { io } from "socket.io-client";
import { setTimeout as delay } from "node:timers/promises";
import { seedIssuer } from "../../sdk/src/core/key-issuer.ts";
import { readFrames, textOf, type ReadFrame } from "../../test/support/oracle/frame-reader.ts";
import { mintInvocation } from "../chat/tokens.ts";
import { expectThat } from "./expect-that.ts";

type Json = { readonly [member: string]: unknown };

export interface TourTurn {
  /** The status of the response to the message: 200, or a refusal's. */
  readonly status: number;
  /** The body of a refusal. */
  readonly refusal: Json;
  /** The text that the user read. */
  readonly text: string;
  /** Ended tool calls, in order. */
  readonly toolCalls: readonly { readonly name: string; readonly status: string; readonly output: string }[];
  /** Tools that waited for the user's approval and got it. */
  readonly approved: readonly string[];
  readonly frames: readonly ReadFrame[];
}

export interface TourPage {
  /** The first event of that name since the page was opened; rejects after the time limit. */
  event(name: string): Promise<Json>;
  close(): void;
}

/** How long a page waits for an event; milliseconds. */
const EVENT_PATIENCE_MS = 60_000;
const LOOK_MS = 20;

export interface TourUser {
  readonly did: string;
  /** A signed request; `body` is sent as JSON. */
  fetch(path: string, init?: { readonly method?: string; readonly body?: unknown }): Promise<Response>;
  /** The JSON of a signed request that must succeed. */
  ask(path: string, init?: { readonly method?: string; readonly body?: unknown }): Promise<Json>;
  newSession(): Promise<string>;
  /** Opens a page of the session: connected when this resolves. */
  openPage(sessionId: string): Promise<TourPage>;
  /** One turn. `more`: further members of the message's body, such as attachments. */
  say(sessionId: string, message: string, more?: Json): Promise<TourTurn>;
}

export async function createTourUser(url: string): Promise<TourUser> {
  const key = await seedIssuer(new Uint8Array(randomBytes(32)));
  const document = (await (await fetch(`${url}/.well-known/did.json`)).json()) as { readonly id: string };
  const token = await mintInvocation(key, document.id, Math.floor(Date.now() / 1000));

  const signed: TourUser["fetch"] = (path, { method = "GET", body } = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        "X-Auth-Type": "ucan",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  const ask: TourUser["ask"] = async (path, init) => {
    const response = await signed(path, init);
    const text = await response.text();
    expectThat(response.ok, `${init?.method ?? "GET"} ${path} to succeed`, `${response.status} ${text}`);
    return JSON.parse(text) as Json;
  };

  return {
    did: key.did,
    fetch: signed,
    ask,
    newSession: async () => String((await ask("/sessions", { method: "POST" }))["sessionId"]),
    async openPage(sessionId) {
      const socket = io(url, { query: { sessionId }, auth: { invocation: token }, forceNew: true });
      const seen = new Map<string, Json>();
      socket.onAny((name: string, payload: Json) => void (seen.has(name) || seen.set(name, payload)));
      const page: TourPage = {
        async event(name) {
          const late = AbortSignal.timeout(EVENT_PATIENCE_MS);
          while (!seen.has(name) && !late.aborted) await delay(LOOK_MS);
          const payload = seen.get(name);
          expectThat(payload !== undefined, `the event ${name}`, [...seen.keys()]);
          return payload;
        },
        close: () => void socket.disconnect(),
      };
      await page.event("connected");
      return page;
    },
    async say(sessionId, message, more = {}) {
      const body = { ...more, message, stream: true };
      const response = await signed(`/messages/${sessionId}`, { method: "POST", body });
      if (!response.ok || response.body === null) {
        const refusal = (await response.json()) as Json;
        return { status: response.status, refusal, text: "", toolCalls: [], approved: [], frames: [] };
      }
      const runId = response.headers.get("X-Run-Id") ?? "";
      const reader = readFrames(response.body);
      const frames: ReadFrame[] = [];
      const approved: string[] = [];
      for (let frame = await reader.next(); frame !== undefined; frame = await reader.next()) {
        frames.push(frame);
        const { event, data } = frame;
        const isQuestion = event === "action_call" && data["toolName"] === "approve_tool";
        if (!isQuestion || data["status"] !== "isRunning") continue;
        await ask(`/runs/${runId}/approvals/${textIn(data["toolCallId"])}`, {
          method: "POST",
          body: { approved: true },
        });
        approved.push(textIn((data["args"] as Json)["toolName"]));
      }
      const toolCalls = endedCalls(frames);
      return { status: response.status, refusal: {}, text: textOf(frames), toolCalls, approved, frames };
    },
  };
}

function endedCalls(frames: readonly ReadFrame[]): TourTurn["toolCalls"] {
  return frames
    .filter(({ event, data }) => event === "tool_call" && data["status"] !== "isRunning")
    .map(({ data }) => ({
      name: textIn(data["toolName"]),
      status: textIn(data["status"]),
      output: textIn(data["output"] ?? data["error"]),
    }));
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
