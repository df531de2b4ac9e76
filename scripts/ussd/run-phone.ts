/** The phone in the terminal: dials, shows each screen, sends each line, until the lines end. */
import { exitCodes, UssdFailure, type ExitCode } from "./failure.ts";
import type { Answer, Call } from "./gateway.ts";
import { drawScreen } from "./phone-screen.ts";

export interface PhoneParts {
  /** A new call; the last one is dropped, as a line drops: nobody is told. */
  readonly openCall: () => Call;
  /** What the server says of a session, for people. */
  readonly stateOf: (sessionId: string) => Promise<string>;
  readonly lines: AsyncIterable<string>;
  /** Somebody sits there: a mistake is told, not fatal, and what is typed is on the screen already. */
  readonly isInteractive: boolean;
  readonly colours: boolean;
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  /** Asks for the next line. */
  readonly prompt: () => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export async function runPhone(parts: PhoneParts): Promise<ExitCode> {
  const { openCall, stateOf, lines, isInteractive, colours, print, note, prompt, wait } = parts;
  let call = openCall();
  let isLive = false;

  /** What is refused for haste has changed nothing: a person is told, for a script the same goes out again in time. */
  async function show(send: () => Promise<Answer>): Promise<void> {
    let answer = await send();
    while (answer.kind === "wait") {
      const { seconds } = answer;
      if (isInteractive) return note(`Rate limit reached; try again in ${seconds} s.`);
      note(`Rate limit reached; continuing in ${seconds} s.`);
      await wait(seconds * 1_000);
      answer = await send();
    }
    isLive = answer.kind === "CON";
    for (const line of drawScreen(answer, colours)) print(line);
    if (!isLive && isInteractive) note("An empty line dials again, /quit leaves.");
  }

  async function dial(): Promise<void> {
    call = openCall();
    await show(() => call.press(""));
  }

  async function carryOut(line: string): Promise<void> {
    const command = line.trim();
    if (command === "/redial" || (!isLive && command === "")) return dial();
    if (command === "/again") return show(() => call.again());
    if (command === "/state") return print(await stateOf(call.sessionId));
    if (!isLive) throw new UssdFailure(exitCodes.failed, "the call is over; an empty line or /redial dials again");
    await show(() => call.press(line));
  }

  if (isInteractive) note("Type what a caller types; also /redial, /again, /state, /quit.");
  await show(() => call.press(""));
  prompt();
  for await (const line of lines) {
    if (line.trim() === "/quit") break;
    if (!isInteractive) print(`> ${line}`);
    try {
      await carryOut(line);
    } catch (error) {
      // Whoever types can go on; a script that types into nothing cannot.
      if (!isInteractive || !(error instanceof UssdFailure) || error.exitCode === exitCodes.interrupted) throw error;
      note(error.message);
    }
    prompt();
  }
  return exitCodes.done;
}
