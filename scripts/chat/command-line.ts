/**
 * The command line of `npm run chat`: the words as one command, and how a command ends. What stops a command early is
 * thrown as a `ChatFailure` and caught once, in `run-chat.ts`; anything else that is thrown is a bug.
 */
import { parseArgs } from "node:util";
import { serverAddress } from "../server-address.ts";
import { firstSentence } from "../wrong-usage.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = {
  ok: 0,
  runFailed: 1,
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  /** 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export class ChatFailure extends Error {
  readonly exitCode: ExitCode;
  /** The HTTP status, when the server refused the request. */
  readonly status: number | undefined;

  constructor(exitCode: ExitCode, message: string, status?: number) {
    super(message);
    this.name = "ChatFailure";
    this.exitCode = exitCode;
    this.status = status;
  }
}

/** `last` is the session of the latest message, which the state file knows. */
type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "last" }
  | { readonly kind: "named"; readonly id: string };

export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "ask"; readonly message: string; readonly session: SessionChoice; readonly model?: string }
  | { readonly kind: "resume" | "history" | "abort"; readonly sessionId?: string }
  | { readonly kind: "sessions" | "models" | "preferences" };

export interface Arguments {
  readonly command: Command;
  /** Print what the server sends as JSON, one value a line, instead of text for people. */
  readonly json: boolean;
  /** Without a trailing slash; undefined when the user named none. */
  readonly url?: string;
}

export const usage = `Usage: npm run chat -- [options] "your message"

Starts a new session, sends the message and prints the answer as it comes.

  --session ID     send the message to this session; with a command below, the session it is about
  --continue       send the message to the session of your last message
  --model ID       ask for this model (see --models)

Instead of a message:
  --resume         continue the last answer from where this terminal lost it
  --sessions       your sessions, newest first
  --history        the messages of the last session
  --abort          stop the answer that is being written in the last session
  --preferences    what the oracle has stored about how to answer you
  --models         the models that the server offers

Always:
  --url URL        the server; default http://localhost:3000, or the port in PORT
  --json           raw frames or records, one JSON value a line
  --help           this text

The answer goes to standard output, everything about it to standard error. Your identity and the state of the last
answer are stored in .twinedge/chat (in TWINEDGE_HOME/chat when that is set). NO_COLOR is respected.

Exit codes: 0 answered, 1 the run failed or was refused, 2 wrong usage, 3 server unreachable, 4 not authorised,
130 interrupted (the server continues: --resume shows the rest, --abort stops it).
`;

const options = {
  session: { type: "string" },
  continue: { type: "boolean" },
  model: { type: "string" },
  resume: { type: "boolean" },
  sessions: { type: "boolean" },
  history: { type: "boolean" },
  abort: { type: "boolean" },
  preferences: { type: "boolean" },
  models: { type: "boolean" },
  url: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const commandNames = ["resume", "sessions", "history", "abort", "preferences", "models"] as const;

/** Session ids are lower-case UUIDs, so they need no encoding in a path. */
const sessionIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws ChatFailure with the usage exit code and a sentence that names the mistake. */
export function parseArguments(words: readonly string[]): Arguments {
  const { values, positionals } = asUsage(() => parseArgs({ args: [...words], options, allowPositionals: true }));
  const url = values.url;
  const rest = {
    json: values.json === true,
    ...(url === undefined ? {} : { url: asUsage(() => serverAddress(url, {})) }),
  };
  if (values.help === true) return { command: { kind: "help" }, ...rest };

  const message = positionals.join(" ").trim();
  const sessionId = values.session;
  if (sessionId !== undefined && !sessionIdPattern.test(sessionId)) {
    throw wrongUsage("--session takes a session's id, as --sessions prints it.");
  }
  const [command, other] = commandNames.filter((name) => values[name] === true);
  if (command === undefined) {
    if (message === "") throw wrongUsage("Give a message for the oracle, or a command.");
    if (sessionId !== undefined && values.continue === true) throw wrongUsage("Give either --session or --continue.");
    const session: SessionChoice =
      sessionId !== undefined ? { kind: "named", id: sessionId } : { kind: values.continue === true ? "last" : "new" };
    const model = values.model === undefined ? {} : { model: values.model };
    return { command: { kind: "ask", message, session, ...model }, ...rest };
  }
  const ofSession = command === "resume" || command === "history" || command === "abort";
  if (other !== undefined) throw wrongUsage(`Give one of --${command} and --${other}.`);
  if (message !== "") {
    throw wrongUsage(`--${command} takes no message.${ofSession ? " Name a certain session with --session ID." : ""}`);
  }
  if (values.model !== undefined) throw wrongUsage(`--${command} takes no --model.`);
  if (values.continue === true) throw wrongUsage(`--${command} takes no --continue.`);
  if (!ofSession && sessionId !== undefined) throw wrongUsage(`--${command} takes no --session.`);
  if (!ofSession) return { command: { kind: command }, ...rest };
  return { command: { kind: command, ...(sessionId === undefined ? {} : { sessionId }) }, ...rest };
}

/** The server when neither the command line nor the state file names one. */
export function defaultUrl(environment: Readonly<Record<string, string | undefined>>): string {
  return asUsage(() => serverAddress(undefined, environment));
}

function asUsage<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw wrongUsage(error instanceof Error ? firstSentence(error) : "The command line cannot be read.");
  }
}

function wrongUsage(message: string): ChatFailure {
  return new ChatFailure(exitCodes.usage, message);
}
