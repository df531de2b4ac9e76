/**
 * Structured logs: one JSON object per event with level, event, surface and requestId. Callers choose members
 * individually, so that a token, a PIN, a whole phone number or a message's text is never logged by accident.
 */
import type { JsonValue } from "./json.ts";
import { withoutSecrets } from "./secret-values.ts";

export type LogMembers = Readonly<Record<string, JsonValue | undefined>>;

export interface Logger {
  info(event: string, members?: LogMembers): void;
  warn(event: string, members?: LogMembers): void;
  error(event: string, members?: LogMembers): void;
}

export type LogSink = (level: "info" | "warn" | "error", line: string) => void;

const toConsole: LogSink = (level, line) => {
  console[level](line);
};

/** Writes JSON lines without the values of the environment's secret variables, wherever they came from. */
export function withoutSecretsOf(env: object, sink: LogSink = toConsole): LogSink {
  return (level, line) => sink(level, JSON.stringify(withoutSecrets(env, JSON.parse(line))));
}

/** Events are noun-verb, such as `run-ended`; `context` is repeated on each line. */
export function createLogger(context: LogMembers, sink: LogSink = toConsole): Logger {
  const write =
    (level: "info" | "warn" | "error") =>
    (event: string, members: LogMembers = {}): void =>
      sink(level, JSON.stringify({ level, event, ...context, ...members }));
  return { info: write("info"), warn: write("warn"), error: write("error") };
}

/** Maximum UTF-16 units logged of a thrown value. */
export const REASON_LENGTH = 500;

/** The loggable part of a thrown value: its name and message, cut; never its properties. Never throws. */
export function describeThrown(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
    return text.slice(0, REASON_LENGTH);
  } catch {
    return "a value that has no text";
  }
}

/**
 * Correlates the log entries of a request with its response: the caller's id if it is printable ASCII, otherwise a new
 * one.
 */
export const REQUEST_ID_HEADER = "X-Request-Id";

const ACCEPTABLE = /^[\x21-\x7E]{1,200}$/;

export function requestIdOf(request: Request, mint: () => string = () => crypto.randomUUID()): string {
  const given = request.headers.get(REQUEST_ID_HEADER);
  return given !== null && ACCEPTABLE.test(given) ? given : mint();
}
