/**
 * `npm run chat` from the words of the command line to an exit code. The process (terminal, clock, network, Ctrl-C) is a parameter,
 * so that tests can run it too.
 */
import { join } from "node:path";
import {
  abortReply,
  activeRunReply,
  modelList,
  preferencesRecord,
  sessionList,
  sessionRecord,
  transcript,
} from "../../protocol/records.ts";
import { serverAddress } from "../server-address.ts";
import { firstSentence } from "../wrong-usage.ts";
import { chatCommand, ChatFailure, exitCodes, type Arguments, type Command, type ExitCode } from "./command-line.ts";
import { loadIdentity } from "./identity.ts";
import { describeModel, printModels, printPreferences, printSessions, printTranscript } from "./listings.ts";
import { createOracleClient, type ChatClient } from "./oracle-client.ts";
import { createScreen, type Screen, type Terminal } from "./screen.ts";
import { showRun, type RunToShow } from "./show-run.ts";
import { openStateFile, type ChatState, type StateFile } from "./state-file.ts";

export interface ChatProcess {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The parent of `.twinedge`, unless TWINEDGE_HOME is set. */
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

/** The context of every command. */
interface Chat {
  readonly url: string;
  readonly json: boolean;
  readonly client: ChatClient;
  readonly screen: Screen;
  readonly stateFile: StateFile;
  /** The last session's state, if it is on this server. */
  readonly last: ChatState | undefined;
  readonly process: ChatProcess;
}

export async function runChat(words: readonly string[], process: ChatProcess): Promise<ExitCode> {
  const screen = createScreen(process.terminal);
  const parsed = chatCommand.parse(words, process.environment);
  if (parsed === "help") {
    process.terminal.answer(chatCommand.usage);
    return exitCodes.ok;
  }
  if (parsed instanceof Error) return wrongUsage(parsed, screen);
  try {
    return await carryOut(parsed.command, await openChat(parsed, screen, process));
  } catch (error) {
    if (process.interrupted.aborted) {
      screen.note("Interrupted. The server continues the answer: --resume shows the rest, --abort stops it.");
      return exitCodes.interrupted;
    }
    if (!(error instanceof ChatFailure)) throw error;
    if (error.exitCode === exitCodes.usage) return wrongUsage(error, screen);
    screen.error(error.message);
    if (error.status === 404 && isAboutLastSession(parsed.command)) {
      screen.note('A server that was reset has no sessions. Start a new one: npm run chat -- "your message"');
    }
    return error.exitCode;
  }
}

function wrongUsage(error: Error, screen: Screen): ExitCode {
  screen.error(firstSentence(error));
  screen.note("See npm run chat -- --help");
  return exitCodes.usage;
}

async function openChat(parsed: Arguments, screen: Screen, process: ChatProcess): Promise<Chat> {
  const { environment, fetch, now, interrupted } = process;
  const home = environment["TWINEDGE_HOME"] ?? join(process.projectDirectory, ".twinedge");
  const directory = join(home, "chat");
  const stateFile = openStateFile(directory);
  const state = stateFile.read();
  const url = parsed.url ?? (isAboutLastSession(parsed.command) ? state?.url : undefined) ?? defaultUrl(environment);
  const identity = await loadIdentity(directory, process.randomSeed);
  const client = createOracleClient({ url, identity, fetch, now, interrupted });
  const last = state?.url === url ? state : undefined;
  return { url, json: parsed.json, client, screen, stateFile, last, process };
}

/** The server if neither the command line nor the state file names one. */
function defaultUrl(environment: ChatProcess["environment"]): string {
  try {
    return serverAddress(undefined, environment);
  } catch (error) {
    throw new ChatFailure(exitCodes.usage, (error as Error).message);
  }
}

/** Commands about the last session use its server, whatever the current default. */
function isAboutLastSession(command: Command): boolean {
  if (command.kind === "ask") return command.session.kind === "last";
  return command.kind === "resume" || command.kind === "history" || command.kind === "abort";
}

async function carryOut(command: Command, chat: Chat): Promise<ExitCode> {
  const { client, screen } = chat;
  switch (command.kind) {
    case "ask":
      return await ask(command, chat);
    case "resume":
      return await resume(command.sessionId, chat);
    case "sessions":
      return print(chat, await client.call("GET", "/sessions?limit=100", sessionList), (list) =>
        printSessions(screen, list, chat.last?.sessionId),
      );
    case "history": {
      const path = `/messages/${sessionOf(command.sessionId, chat)}`;
      return print(chat, await client.call("GET", path, transcript), ({ messages }) =>
        printTranscript(screen, messages),
      );
    }
    case "abort": {
      const body = { sessionId: sessionOf(command.sessionId, chat) };
      return print(chat, await client.call("POST", "/messages/abort", abortReply, body), ({ success }) =>
        screen.note(success ? "Stopped." : "No answer was being written."),
      );
    }
    case "preferences":
      return print(chat, await client.call("GET", "/user-preferences", preferencesRecord), (preferences) =>
        printPreferences(screen, preferences),
      );
    case "models":
      return print(chat, await client.call("GET", "/models", modelList), (list) => printModels(screen, list));
  }
}

function print<Reply>(chat: Chat, reply: Reply, asText: (reply: Reply) => void): ExitCode {
  if (chat.json) chat.process.terminal.answer(`${JSON.stringify(reply)}\n`);
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
  const models = await client.call("GET", "/models", modelList);
  const sessionId =
    session.kind === "new"
      ? (await client.call("POST", "/sessions", sessionRecord)).sessionId
      : sessionOf(session.kind === "named" ? session.id : undefined, chat);
  screen.note(`session ${sessionId}, model ${describeModel(models, model)}`);
  // Stored before it is sent: if the server crashes now, --resume asks whether it received the message.
  chat.stateFile.write({ version: 1, url, sessionId });
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  const body = { message, timezone, ...(model === undefined ? {} : { model }) };
  return await show({ url, sessionId, start: { sessionId, body }, text: "" }, chat);
}

async function resume(named: string | undefined, chat: Chat): Promise<ExitCode> {
  const { client, screen, url } = chat;
  const sessionId = sessionOf(named, chat);
  const known = chat.last?.sessionId === sessionId ? chat.last.run : undefined;
  if (known !== undefined && !known.ended) {
    screen.note(`session ${sessionId}, resuming after the ${known.text.length} characters that were shown`);
    const { runId, lastId, text } = known;
    return await show({ url, sessionId, start: { runId, after: lastId }, text }, chat);
  }
  // A run that was started elsewhere is shown from its start.
  const { run } = await client.call("GET", `/sessions/${sessionId}/run`, activeRunReply);
  if (run !== null) return await show({ url, sessionId, start: { runId: run.runId, after: 0 }, text: "" }, chat);
  screen.note("Nothing to resume: no answer is being written in this session. --history shows the last one.");
  return exitCodes.ok;
}

async function show(run: RunToShow, chat: Chat): Promise<ExitCode> {
  const { client, screen, stateFile, process } = chat;
  const printFrame = chat.json ? (frame: object) => process.terminal.answer(`${JSON.stringify(frame)}\n`) : undefined;
  const { wait, interrupted } = process;
  const status = await showRun(run, { client, screen, stateFile, printFrame, wait, interrupted });
  return status === "finished" ? exitCodes.ok : exitCodes.runFailed;
}
