/**
 * An OpenAI-compatible service that bills like hosted ones: each request's prompt when it arrives, and each token of an answer when
 * it is sent, whatever happens to the connection. The last message selects how it answers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";

/** UTF-8 bytes per token of a prompt. */
const BYTES_OF_A_TOKEN = 4;
const WORD = "word ";
/** Tokens of a title. */
const TITLE_TOKENS = 4;

/**
 * `answers`: as long as `max_tokens` allows. `hangs`: sends nothing, not even a status. `silent`: sends a status and no body.
 * `breaks`: reads the prompt and drops the connection. `gateway`: reads it and answers 502. `untitled`: its title is billed and
 * lost.
 */
export type Behaviour = "answers" | "hangs" | "silent" | "breaks" | "gateway" | "untitled";

export interface BillingModel {
  /** The value for `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  /** Tokens so far. */
  billed(): number;
  /** How many of them for titles. */
  billedForTitles(): number;
  /** The highest bill of one request. */
  dearest(): number;
  /** How many requests had no maximum answer length. */
  unbounded(): number;
  /** Resolves when a request has arrived whose last message contains that text. */
  asked(text: string): Promise<void>;
  close(): Promise<void>;
}

interface Body {
  readonly messages: readonly unknown[];
  readonly max_tokens?: number;
  readonly stream?: boolean;
}

export async function startBillingModel(): Promise<BillingModel> {
  const bills: number[] = [];
  const questions: string[] = [];
  const waiting = new Set<{ readonly text: string; readonly resolve: () => void }>();
  let unbounded = 0;
  let forTitles = 0;

  function arrived(question: string): void {
    questions.push(question);
    for (const each of waiting) if (question.includes(each.text)) each.resolve();
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages, max_tokens: longest, stream } = JSON.parse(await bodyOf(incoming)) as Body;
    const promptTokens = Math.ceil(Buffer.byteLength(JSON.stringify(messages)) / BYTES_OF_A_TOKEN);
    const place = bills.push(promptTokens) - 1;
    if (longest === undefined) unbounded += 1;
    const bill = (): void => void (bills[place] = (bills[place] ?? 0) + 1);
    const question = JSON.stringify(messages.at(-1));
    const has = (behaviour: Behaviour): boolean => question.includes(`model ${behaviour}`);
    arrived(question);

    const usage = (completionTokens: number) => ({ prompt_tokens: promptTokens, completion_tokens: completionTokens });
    if (stream !== true) {
      for (let token = 0; token < TITLE_TOKENS; token += 1) bill();
      forTitles += promptTokens + TITLE_TOKENS;
      if (has("untitled")) return void response.destroy();
      const message = { role: "assistant", content: "A title" };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      response.writeHead(200, { "Content-Type": "application/json" });
      return void response.end(JSON.stringify({ choices, usage: usage(TITLE_TOKENS) }));
    }
    if (has("breaks")) return void response.destroy();
    if (has("gateway")) return void response.writeHead(502).end();
    if (has("hangs")) return;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.flushHeaders();
    if (has("silent")) return;

    const send = async (chunk: object): Promise<void> => {
      await new Promise<void>((resolve) => void response.write(`data: ${JSON.stringify(chunk)}\n\n`, () => resolve()));
      await turnOfTheLoop();
    };
    const length = longest ?? 0;
    for (let token = 0; token < length && !response.destroyed; token += 1) {
      bill();
      await send({ choices: [{ index: 0, delta: { content: WORD }, finish_reason: null }] });
    }
    await send({ choices: [{ index: 0, delta: {}, finish_reason: "length" }] });
    await send({ choices: [], usage: usage(length) });
    response.end("data: [DONE]\n\n");
  }

  const server = createServer((incoming, response) => {
    // A killed caller aborts its request: only what has arrived is billed.
    serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    billed: () => bills.reduce((sum, each) => sum + each, 0),
    billedForTitles: () => forTitles,
    dearest: () => Math.max(0, ...bills),
    unbounded: () => unbounded,
    async asked(text) {
      if (questions.some((question) => question.includes(text))) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add({ text, resolve });
      await promise;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
