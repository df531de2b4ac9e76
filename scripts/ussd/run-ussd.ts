/** One run of `npm run ussd`: a phone in the terminal or a replay, then an exit code. The process is passed in. */
import { unreachable } from "../server-address.ts";
import { defaults, type UssdOptions } from "./arguments.ts";
import type { TextMode } from "../../shared/gateway-formats.ts";
import { exitCodes, openCall, UssdFailure, type Call, type ExitCode, type GatewayOutcome } from "./gateway.ts";
import { replayFiles, type ReplayProcess } from "./replay.ts";
import { drawScreen } from "./screen.ts";

/** The program's dependencies on its process. */
export interface UssdProcess extends ReplayProcess {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly lines: AsyncIterable<string>;
  /** A person types: an error is reported and not fatal, and typed text is already on the screen. */
  readonly isInteractive: boolean;
  readonly colours: boolean;
  /** Asks for the next line. */
  readonly prompt: () => void;
  readonly fetch: typeof fetch;
  readonly newSessionId: () => string;
  readonly interrupted: AbortSignal;
}

export async function runUssd(options: UssdOptions, process: UssdProcess): Promise<ExitCode> {
  const { url, format, task } = options;
  const { environment, fetch, newSessionId, interrupted, note } = process;
  const pathSecret = setting(environment["USSD_PATH_SECRET"]);
  const call = (mode: TextMode, phoneNumber: string, serviceCode: string): Call =>
    openCall({ url, pathSecret, format, mode, fetch, newSessionId, interrupted }, phoneNumber, serviceCode);
  try {
    if (task.kind === "replay") return await replayFiles(task, options, process, call);
    const { phoneNumber = defaults.phoneNumber, serviceCode = defaults.serviceCode, mode = "cumulative" } = options;
    note(`${phoneNumber} dials ${serviceCode} at ${url}`);
    return await runPhone(url, process, () => call(mode, phoneNumber, serviceCode));
  } catch (error) {
    if (interrupted.aborted) return exitCodes.interrupted;
    if (!(error instanceof UssdFailure)) throw error;
    note(`npm run ussd: ${error.message}`);
    return error.exitCode;
  }
}

/** Dials, shows each screen and sends each line, until the lines end. A new call drops the last one without notice. */
async function runPhone(url: string, process: UssdProcess, newCall: () => Call): Promise<ExitCode> {
  const { lines, isInteractive, colours, print, note, prompt, wait } = process;
  let call = newCall();
  let isLive = false;

  /** A rate-limited request has changed nothing: a person is informed, a script's request is sent again. */
  async function show(send: () => Promise<GatewayOutcome>): Promise<void> {
    let outcome = await send();
    while (outcome.kind === "wait") {
      const { seconds } = outcome;
      if (isInteractive) return note(`Rate limit reached; try again in ${seconds} s.`);
      note(`Rate limit reached; continuing in ${seconds} s.`);
      await wait(seconds * 1_000);
      outcome = await send();
    }
    isLive = outcome.kind === "CON";
    for (const line of drawScreen(outcome, colours)) print(line);
    if (!isLive && isInteractive) note("An empty line dials again, /quit leaves.");
  }

  async function handle(line: string): Promise<void> {
    const command = line.trim();
    if (command === "/redial" || (!isLive && command === "")) {
      call = newCall();
      return show(() => call.send(""));
    }
    if (command === "/again") return show(() => call.repeat());
    if (command === "/state") return print(await debugRecord(url, call.sessionId, process));
    if (!isLive) throw new UssdFailure(exitCodes.failed, "the call is over; an empty line or /redial dials again");
    await show(() => call.send(line));
  }

  if (isInteractive) note("Type what a caller types; also /redial, /again, /state, /quit.");
  await show(() => call.send(""));
  prompt();
  for await (const line of lines) {
    if (line.trim() === "/quit") break;
    if (!isInteractive) print(`> ${line}`);
    try {
      await handle(line);
    } catch (error) {
      // A person can continue; a script that types into a closed call cannot.
      if (!isInteractive || !(error instanceof UssdFailure) || error.exitCode === exitCodes.interrupted) throw error;
      note(error.message);
    }
    prompt();
  }
  return exitCodes.done;
}

async function debugRecord(url: string, sessionId: string, process: UssdProcess): Promise<string> {
  const { fetch, environment, interrupted: signal } = process;
  const token = setting(environment["USSD_OPERATOR_TOKEN"]);
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  try {
    const address = `${url}/api/ussd/debug/${encodeURIComponent(sessionId)}`;
    const response = await fetch(address, { headers, redirect: "error", signal });
    return JSON.stringify(await response.json(), undefined, 2);
  } catch (error) {
    throw new UssdFailure(exitCodes.unreachable, unreachable(url, error));
  }
}

function setting(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
