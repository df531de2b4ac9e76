/** One run of `npm run pins -- rotate`: requests one batch after the other until nothing is left, and reports progress. */
import { isThisMachine, unreachable } from "../server-address.ts";
import type { PinsOptions } from "./arguments.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 3, unauthorised: 4 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The program's dependencies on its process. */
export interface PinsProcess {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The variables of the local server. */
  readonly localVariables: () => ReadonlyMap<string, string>;
  readonly standardInput: () => Promise<string>;
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly fetch: typeof fetch;
  readonly wait: (seconds: number) => Promise<void>;
}

/** Seconds, if a 429 names no time. */
const DEFAULT_RETRY_SECONDS = 10;

/** The response to one batch. */
interface RotationReport {
  readonly resealed: number;
  /** Sealed values that no configured key opens. */
  readonly unreadable: number;
  /** The `after` of the next batch; null if this was the last. */
  readonly next: number | null;
}

export async function runPins(options: PinsOptions, process: PinsProcess): Promise<ExitCode> {
  const token = await operatorToken(options, process);
  if (token === undefined) {
    process.note("npm run pins: no operator token; set USSD_OPERATOR_TOKEN, or give it with --token-stdin");
    return exitCodes.unauthorised;
  }
  let resealed = 0;
  let unreadable = 0;
  for (let after: number | null = 0; after !== null;) {
    let response: Response;
    try {
      response = await process.fetch(`${options.url}/api/ussd/ops/pins/rotate`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ after }),
      });
    } catch (error) {
      process.note(`npm run pins: ${unreachable(options.url, error)}`);
      return exitCodes.unreachable;
    }
    if (response.status === 429) {
      // More than 5,000 customers need more batches than one address may request in a minute.
      const retryAfter = Number(response.headers.get("Retry-After"));
      const seconds = retryAfter > 0 ? retryAfter : DEFAULT_RETRY_SECONDS;
      process.note(`Rate limit reached; continuing in ${seconds} s.`);
      await process.wait(seconds);
      continue;
    }
    if (!response.ok) return reportFailure(response.status, process);
    const report = (await response.json()) as RotationReport;
    resealed += report.resealed;
    unreadable += report.unreadable;
    after = report.next;
    if (after !== null) process.note(`${resealed} re-encrypted so far ...`);
  }
  if (resealed + unreadable === 0) {
    process.print("nothing to do: every PIN is encrypted with the current key");
    return exitCodes.done;
  }
  process.print(`${resealed} re-encrypted, ${unreadable} could not be read`);
  if (unreadable === 0) return exitCodes.done;
  process.note("npm run pins: keep the old keys; reset the PINs that none of them decrypts");
  return exitCodes.failed;
}

function reportFailure(status: number, { note }: PinsProcess): ExitCode {
  if (status === 401 || status === 404) {
    note("npm run pins: the server rejected this token; it must be its USSD_OPERATOR_TOKEN");
    return exitCodes.unauthorised;
  }
  note(`npm run pins: the server responded ${status}; the work so far is kept, so run it again`);
  return exitCodes.failed;
}

async function operatorToken(
  { url, tokenFromInput }: PinsOptions,
  { environment, localVariables, standardInput }: PinsProcess,
): Promise<string | undefined> {
  const given = tokenFromInput ? await standardInput() : environment["USSD_OPERATOR_TOKEN"];
  const token = given ?? (isThisMachine(url) ? localVariables().get("USSD_OPERATOR_TOKEN") : undefined);
  return token === undefined || token.trim() === "" ? undefined : token.trim();
}
