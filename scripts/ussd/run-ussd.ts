/**
 * One run of `npm run ussd`: a phone or a replay, then an exit code. Everything of the process comes in as an argument,
 * so that the tests can run it too.
 */
import { defaults, type UssdOptions } from "./arguments.ts";
import type { TextMode } from "./dialect.ts";
import { unreachable } from "../server-address.ts";
import { exitCodes, UssdFailure, type ExitCode } from "./failure.ts";
import { openCall, type Call } from "./gateway.ts";
import { replayFiles, type ReplayParts } from "./replay-files.ts";
import { runPhone, type PhoneParts } from "./run-phone.ts";

/** What the program takes from its process. */
export interface UssdProcess
  extends
    Pick<PhoneParts, "lines" | "isInteractive" | "colours" | "print" | "note" | "prompt" | "wait">,
    Pick<ReplayParts, "readFile" | "freshPhone"> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  readonly newSessionId: () => string;
  readonly interrupted: AbortSignal;
}

export async function runUssd(options: UssdOptions, process: UssdProcess): Promise<ExitCode> {
  const { url, dialect, task } = options;
  const { fetch, newSessionId, interrupted, environment, note } = process;
  const pathSecret = presence(environment["USSD_PATH_SECRET"]);
  const call = (mode: TextMode, phoneNumber: string, serviceCode: string): Call =>
    openCall({ url, pathSecret, dialect, mode, fetch, newSessionId, interrupted }, phoneNumber, serviceCode);
  try {
    if (task.kind === "replay") return await replayFiles(task, options, { ...process, openCall: call });
    const { phoneNumber = defaults.phoneNumber, serviceCode = defaults.serviceCode, mode = "cumulative" } = options;
    note(`${phoneNumber} dials ${serviceCode} at ${url}`);
    return await runPhone({
      ...process,
      openCall: () => call(mode, phoneNumber, serviceCode),
      stateOf: (sessionId) => debugRecord(url, sessionId, process),
    });
  } catch (error) {
    if (interrupted.aborted) return exitCodes.interrupted;
    if (!(error instanceof UssdFailure)) throw error;
    note(`npm run ussd: ${error.message}`);
    return error.exitCode;
  }
}

async function debugRecord(
  url: string,
  sessionId: string,
  { fetch, environment, interrupted }: UssdProcess,
): Promise<string> {
  const token = presence(environment["USSD_OPERATOR_TOKEN"]);
  try {
    const response = await fetch(`${url}/api/ussd/debug/${encodeURIComponent(sessionId)}`, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      redirect: "error",
      signal: interrupted,
    });
    return JSON.stringify(await response.json(), undefined, 2);
  } catch (error) {
    throw new UssdFailure(exitCodes.unreachable, unreachable(url, error));
  }
}

function presence(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
