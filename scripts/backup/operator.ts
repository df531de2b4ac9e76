/** Requests of a backup or a restore to the server, with the operator's token. A limit of the server is waited for. */
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { Row } from "../../shared/tables/table.ts";
import { readErrorBody } from "../../shared/error-body.ts";
import { exitCodes } from "../keys/run-keys.ts";
import { unreachable } from "../server-address.ts";

const endSchema = z.object({ isEnd: z.boolean() });
const rowsSchema: z.ZodType<readonly Row[]> = z.array(z.array(z.union([z.string(), z.null()])));

interface NextRows {
  readonly rows: readonly Row[];
  readonly isEnd: boolean;
}

/** Ends the command: the sentence for the operator, and the exit code. */
export class Refusal extends Error {
  readonly exitCode: number;

  constructor(sentence: string, exitCode: number = exitCodes.refused) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

export interface Operator {
  readonly url: string;
  json(path: string, body: object): Promise<unknown>;
  lines(path: string, body: object): Promise<readonly unknown[]>;
  /** The next rows of a table, and whether it ends with them. */
  rows(backup: string, table: string, after?: Row): Promise<NextRows>;
  /** The status and the body of an answer without credentials. */
  publicAnswer(path: string): Promise<string>;
}

const TOO_MANY = 429;
const UNAUTHENTICATED = 401;
/** Milliseconds of one request: D1 ends a statement after 30 s. */
const TIME_LIMIT = 120_000;

export function createOperator(url: string, token: string, send: typeof fetch): Operator {
  async function ask(path: string, init: RequestInit): Promise<string> {
    for (;;) {
      const response = await request(path, init);
      const text = await response.text();
      if (response.ok) return text;
      if (response.status === TOO_MANY) {
        await delay(1000 * Math.max(1, Number(response.headers.get("Retry-After") ?? 1)));
        continue;
      }
      const { sentence = "the server refused" } = readErrorBody(text, new Headers());
      const code = response.status === UNAUTHENTICATED ? exitCodes.unauthorised : exitCodes.refused;
      throw new Refusal(`${sentence} (${response.status})`, code);
    }
  }

  async function request(path: string, init: RequestInit): Promise<Response> {
    try {
      // A redirect would send the token elsewhere.
      return await send(`${url}${path}`, { ...init, redirect: "error", signal: AbortSignal.timeout(TIME_LIMIT) });
    } catch (error) {
      throw new Refusal(unreachable(url, error), exitCodes.unreachable);
    }
  }

  const post = (path: string, body: object) =>
    ask(path, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  async function lines(path: string, body: object): Promise<readonly unknown[]> {
    const text = await post(path, body);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as unknown);
  }

  return {
    url,
    json: async (path, body) => JSON.parse(await post(path, body)) as unknown,
    lines,
    async rows(backup, table, after) {
      const body = { backup, table, ...(after === undefined ? {} : { after }) };
      const found = await lines("/staff/backups/rows", body);
      // A response that was cut off has no last line.
      return { rows: rowsSchema.parse(found.slice(0, -1)), ...endSchema.parse(found.at(-1)) };
    },
    async publicAnswer(path) {
      // The document of a DID alone: a whole result of its resolution contains the time of the request.
      const response = await request(path, { headers: { Accept: "application/did, */*;q=0.1" } });
      return `${response.status}\n${await response.text()}`;
    },
  };
}
