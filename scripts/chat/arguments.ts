/**
 * The command line of `npm run chat`, parsed into one command. It knows nothing of servers or files: what "the last
 * session" is, the state file says.
 */
import { parseArgs } from "node:util";
import { ChatFailure, exitCodes } from "./failure.ts";

/** `last` goes on with the session of the latest turn; any other text is a session's id. */
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
  /** The server's address without a trailing slash; undefined when the user named none. */
  readonly url?: string;
}

export const usage = `Usage: npm run chat -- [options] "your message"

Starts a new session, sends the message and prints the answer as it comes.

  --session ID     send the message to this session; with a command below, the session it is about
  --continue       send the message to the session of your last message
  --model ID       ask for this model (see --models)

Instead of a message:
  --resume         go on with the last answer from where this terminal lost it
  --sessions       your sessions, newest first
  --history        what was said in the last session
  --abort          stop the answer that is being written in the last session
  --preferences    what the oracle has stored about how to answer you
  --models         the models that the server offers

Always:
  --url URL        the server; default http://localhost:3000, or the port in PORT
  --json           raw frames or records, one JSON value a line
  --help           this text

The answer goes to standard output, everything about it to standard error. Your identity and the state of the last
answer are kept in .twinedge/chat (in TWINEDGE_HOME/chat when that is set). NO_COLOR is respected.

Exit codes: 0 answered, 1 the turn failed or was refused, 2 wrong usage, 3 server unreachable, 4 not authorised,
130 interrupted (the server goes on: --resume shows the rest, --abort stops it).
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

/** Session ids are lower-case UUIDs (contract/oracle.md section 0), so they need no encoding in a path. */
const sessionIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws ChatFailure with the usage exit code and a sentence that names the mistake. */
export function parseArguments(words: readonly string[]): Arguments {
  const { values, positionals } = parseWords(words);
  const url = values.url === undefined ? undefined : parseUrl(values.url);
  const rest = { json: values.json === true, ...(url === undefined ? {} : { url }) };
  if (values.help === true) return { command: { kind: "help" }, ...rest };

  const message = positionals.join(" ").trim();
  const sessionId = values.session;
  if (sessionId !== undefined && !sessionIdPattern.test(sessionId)) {
    throw wrong("--session takes a session's id, as --sessions prints it.");
  }

  const named = commandNames.filter((name) => values[name] === true);
  const [command] = named;
  if (command === undefined) {
    if (message === "") throw wrong("Say something to the oracle, or name a command.");
    if (sessionId !== undefined && values.continue === true) throw wrong("Give either --session or --continue.");
    const session: SessionChoice =
      sessionId !== undefined ? { kind: "named", id: sessionId } : { kind: values.continue === true ? "last" : "new" };
    const model = values.model === undefined ? {} : { model: values.model };
    return { command: { kind: "ask", message, session, ...model }, ...rest };
  }

  if (named.length > 1) throw wrong(`Give one of ${named.map((name) => `--${name}`).join(" and ")}.`);
  if (message !== "") throw wrong(`--${command} takes no message.`);
  if (values.model !== undefined) throw wrong(`--${command} takes no --model.`);
  if (values.continue === true) throw wrong(`--${command} takes no --continue.`);
  if (command === "resume" || command === "history" || command === "abort") {
    return { command: { kind: command, ...(sessionId === undefined ? {} : { sessionId }) }, ...rest };
  }
  if (sessionId !== undefined) throw wrong(`--${command} takes no --session.`);
  return { command: { kind: command }, ...rest };
}

/** The server to talk to when neither the command line nor the state file names one. */
export function defaultUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const port = environment["PORT"];
  if (port === undefined || port === "") return "http://localhost:3000";
  if (!/^[0-9]{1,5}$/.test(port)) throw wrong("PORT must be a port number.");
  return `http://localhost:${port}`;
}

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : "The command line cannot be read.");
  }
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw wrong("--url takes an http or https address.");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function wrong(message: string): ChatFailure {
  return new ChatFailure(exitCodes.usage, message);
}
