/**
 * One run of `npm run chat`: from the words of the command line to an exit code. Everything of the process (its
 * terminal, clock, network and Ctrl-C) comes in as an argument, so that the tests can run it too.
 */
import { join } from "node:path";
import { defaultUrl, parseArguments, usage, type Arguments, type Command } from "./arguments.ts";
import { ChatFailure, exitCodes, type ExitCode } from "./failure.ts";
import { loadIdentity } from "./identity.ts";
import { describeModel, printModels, printPreferences, printSessions, printTranscript } from "./listings.ts";
import { createOracleClient, type OracleClient } from "./oracle-client.ts";
import { createScreen, type Screen, type Terminal } from "./screen.ts";
import { openStateFile, type ChatState, type StateFile } from "./state-file.ts";
import { showTurn, type TurnToShow } from "./turn.ts";
import * as wire from "./wire.ts";

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where `.twinedge` lies unless TWINEDGE_HOME says otherwise. */
  readonly projectDirectory: string;
  readonly terminal: Terminal;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects when `interrupted` fires. */
  wait(milliseconds: number): Promise<void>;
  randomSeed(): Uint8Array;
  readonly interrupted: AbortSignal;
}

/** What every command works with. */
interface Chat {
  readonly url: string;
  readonly json: boolean;
  readonly client: OracleClient;
  readonly screen: Screen;
  readonly stateFile: StateFile;
  /** The last session's state, when it is one of this server's. */
  readonly last: ChatState | undefined;
  readonly surroundings: Surroundings;
}

export async function runChat(words: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const screen = createScreen(surroundings.terminal);
  let ofEarlierSession = false;
  try {
    const parsed = parseArguments(words);
    if (parsed.command.kind === "help") {
      surroundings.terminal.answer(usage);
      return exitCodes.ok;
    }
    ofEarlierSession = goesOn(parsed.command);
    return await carryOut(parsed.command, await openChat(parsed, screen, surroundings));
  } catch (error) {
    if (surroundings.interrupted.aborted) {
      screen.note("Interrupted. The server goes on with its answer: --resume shows the rest, --abort stops it.");
      return exitCodes.interrupted;
    }
    if (!(error instanceof ChatFailure)) throw error;
    screen.error(error.message);
    if (error.exitCode === exitCodes.usage) screen.note("See npm run chat -- --help");
    if (error.status === 404 && ofEarlierSession) {
      screen.note(
        'A server that was reset has forgotten its sessions. Start a new one: npm run chat -- "your message"',
      );
    }
    return error.exitCode;
  }
}

async function openChat(parsed: Arguments, screen: Screen, surroundings: Surroundings): Promise<Chat> {
  const { environment, fetch, now, interrupted } = surroundings;
  const home = environment["TWINEDGE_HOME"] ?? join(surroundings.projectDirectory, ".twinedge");
  const directory = join(home, "chat");
  const stateFile = openStateFile(directory);
  const state = stateFile.read();
  const url = parsed.url ?? (goesOn(parsed.command) ? state?.url : undefined) ?? defaultUrl(environment);
  const identity = await loadIdentity(directory, surroundings.randomSeed);
  const client = createOracleClient({ url, identity, fetch, now, interrupted });
  const last = state?.url === url ? state : undefined;
  return { url, json: parsed.json, client, screen, stateFile, last, surroundings };
}

/** Commands about the last session speak to the server that it is on, wherever the default points by now. */
function goesOn(command: Command): boolean {
  if (command.kind === "ask") return command.session.kind === "last";
  return command.kind === "resume" || command.kind === "history" || command.kind === "abort";
}

async function carryOut(command: Exclude<Command, { kind: "help" }>, chat: Chat): Promise<ExitCode> {
  const { client, screen } = chat;
  switch (command.kind) {
    case "ask":
      return await ask(command, chat);
    case "resume":
      return await resume(command.sessionId, chat);
    case "sessions":
      return print(chat, await client.call("GET", "/sessions?limit=100", wire.sessionList), ({ sessions, total }) =>
        printSessions(screen, sessions, total, chat.last?.sessionId),
      );
    case "history": {
      const path = `/messages/${sessionOf(command.sessionId, chat)}`;
      return print(chat, await client.call("GET", path, wire.transcript), ({ messages }) =>
        printTranscript(screen, messages),
      );
    }
    case "abort": {
      const body = { sessionId: sessionOf(command.sessionId, chat) };
      return print(chat, await client.call("POST", "/messages/abort", wire.abortReply, body), ({ success }) =>
        screen.note(success ? "Stopped." : "No answer was being written."),
      );
    }
    case "preferences":
      return print(chat, await client.call("GET", "/user-preferences", wire.preferences), (preferences) =>
        printPreferences(screen, preferences),
      );
    case "models":
      return print(chat, await client.call("GET", "/models", wire.modelList), (list) => printModels(screen, list));
  }
}

function print<Reply>(chat: Chat, reply: Reply, asText: (reply: Reply) => void): ExitCode {
  if (chat.json) chat.surroundings.terminal.answer(`${JSON.stringify(reply)}\n`);
  else asText(reply);
  return exitCodes.ok;
}

function sessionOf(named: string | undefined, chat: Chat): string {
  const sessionId = named ?? chat.last?.sessionId;
  if (sessionId === undefined) throw new ChatFailure(exitCodes.usage, `There is no last session at ${chat.url} yet.`);
  return sessionId;
}

async function ask(command: Extract<Command, { kind: "ask" }>, chat: Chat): Promise<ExitCode> {
  const { client, screen, url } = chat;
  const { message, model, session } = command;
  const models = await client.call("GET", "/models", wire.modelList);
  const sessionId =
    session.kind === "new"
      ? (await client.call("POST", "/sessions", wire.sessionRecord)).sessionId
      : sessionOf(session.kind === "named" ? session.id : undefined, chat);
  screen.note(`session ${sessionId}, model ${describeModel(models, model)}`);
  // Remembered before it is sent: if the server falls over just now, --resume asks whether it took the message.
  chat.stateFile.write({ version: 1, url, sessionId });
  const opened = await client.ask(sessionId, { message, ...(model === undefined ? {} : { model }) });
  return await show({ url, sessionId, runId: opened.runId, lastId: 0, text: "", opened }, chat);
}

async function resume(named: string | undefined, chat: Chat): Promise<ExitCode> {
  const { client, screen, url } = chat;
  const sessionId = sessionOf(named, chat);
  const known = chat.last?.sessionId === sessionId ? chat.last.run : undefined;
  if (known !== undefined && !known.ended) {
    screen.note(`session ${sessionId}, going on after the ${known.text.length} characters that were shown`);
    return await show({ url, sessionId, ...known }, chat);
  }
  // A turn that this terminal never saw (another one began it) is shown from its start.
  const { run } = await client.call("GET", `/sessions/${sessionId}/run`, wire.activeRun);
  if (run !== null) return await show({ url, sessionId, runId: run.runId, lastId: 0, text: "" }, chat);
  screen.note("Nothing to resume: no answer is being written in this session. --history shows the last one.");
  return exitCodes.ok;
}

async function show(turn: TurnToShow, chat: Chat): Promise<ExitCode> {
  const { client, screen, stateFile, surroundings } = chat;
  const printFrame = chat.json
    ? (frame: object) => surroundings.terminal.answer(`${JSON.stringify(frame)}\n`)
    : undefined;
  const { wait, interrupted } = surroundings;
  const ending = await showTurn(turn, { client, screen, stateFile, printFrame, wait, interrupted });
  return ending === "finished" ? exitCodes.ok : exitCodes.turnFailed;
}
