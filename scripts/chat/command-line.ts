/**
 * The command line of `npm run chat`: parses the words into one command, and defines how a command ends. A failure that ends a
 * command early is thrown as a `ChatFailure` and caught once, in `run-chat.ts`; any other thrown error is a bug.
 */
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = {
  ok: 0,
  runFailed: 1,
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  /** 128 + SIGINT, the shells' convention. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export class ChatFailure extends Error {
  readonly exitCode: ExitCode;
  /** The HTTP status, if the server refused the request. */
  readonly status: number | undefined;

  constructor(exitCode: ExitCode, message: string, status?: number) {
    super(message);
    this.name = "ChatFailure";
    this.exitCode = exitCode;
    this.status = status;
  }
}

/** `last` is the session of the latest message, from the state file. */
type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "last" }
  | { readonly kind: "named"; readonly id: string };

export type Command =
  | { readonly kind: "ask"; readonly message: string; readonly session: SessionChoice; readonly model?: string }
  | { readonly kind: "resume" | "history" | "abort"; readonly sessionId?: string }
  | { readonly kind: "sessions" | "models" | "preferences" };

export interface Arguments {
  readonly command: Command;
  /** Prints the server's responses as JSON, one value per line, instead of readable text. */
  readonly json: boolean;
  /** Without a trailing slash; undefined if the user named none. */
  readonly url?: string;
}

const usage = `Usage: npm run chat -- [options] "your message"

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
  --json           raw frames or records, one JSON value per line
  --help           this text

The answer goes to standard output, everything about it to standard error. Your identity and the state of the last
answer are stored in .twinedge/chat (in TWINEDGE_HOME/chat when that is set). NO_COLOR is respected.

Exit codes: 0 answered, 1 the run failed or was refused, 2 wrong usage, 3 server unreachable, 4 not authorised,
130 interrupted (the server continues: --resume shows the rest, --abort stops it).
`;

const commandNames = ["resume", "sessions", "history", "abort", "preferences", "models"] as const;

/** Session ids are lower-case UUIDs, so they need no encoding in a path. */
const sessionIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const chatCommand = defineCommand({
  name: "npm run chat",
  usage,
  options: {
    session: { type: "string" },
    continue: { type: "boolean", default: false },
    model: { type: "string" },
    resume: { type: "boolean" },
    sessions: { type: "boolean" },
    history: { type: "boolean" },
    abort: { type: "boolean" },
    preferences: { type: "boolean" },
    models: { type: "boolean" },
    url: { type: "string" },
    json: { type: "boolean", default: false },
  },
  takesWords: true,
  read({ values, words, given }): Arguments {
    const { url, json } = values;
    const command = commandOf(
      values,
      words.join(" ").trim(),
      commandNames.filter((name) => given.includes(name)),
    );
    return { command, json, ...(url === undefined ? {} : { url: serverAddress(url, {}) }) };
  },
});

interface Values {
  readonly session?: string;
  readonly continue: boolean;
  readonly model?: string;
}

function commandOf(
  { session: sessionId, continue: isContinued, model }: Values,
  message: string,
  [command, other]: readonly (typeof commandNames)[number][],
): Command {
  if (sessionId !== undefined && !sessionIdPattern.test(sessionId)) {
    throw new Error("--session takes a session's id, as --sessions prints it.");
  }
  if (command === undefined) {
    if (message === "") throw new Error("Give a message for the oracle, or a command.");
    if (sessionId !== undefined && isContinued) throw new Error("Give either --session or --continue.");
    const session: SessionChoice =
      sessionId !== undefined ? { kind: "named", id: sessionId } : { kind: isContinued ? "last" : "new" };
    return { kind: "ask", message, session, ...(model === undefined ? {} : { model }) };
  }
  const ofSession = command === "resume" || command === "history" || command === "abort";
  if (other !== undefined) throw new Error(`Give one of --${command} and --${other}.`);
  if (message !== "") {
    throw new Error(`--${command} takes no message.${ofSession ? " Name a specific session with --session ID." : ""}`);
  }
  if (model !== undefined) throw new Error(`--${command} takes no --model.`);
  if (isContinued) throw new Error(`--${command} takes no --continue.`);
  if (!ofSession && sessionId !== undefined) throw new Error(`--${command} takes no --session.`);
  if (!ofSession) return { kind: command };
  return { kind: command, ...(sessionId === undefined ? {} : { sessionId }) };
}
