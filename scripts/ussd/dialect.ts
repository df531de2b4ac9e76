/**
 * How a telecom gateway speaks to a service: what it sends for one press of the caller, and how it reads the reply. The
 * spec's own two forms are here, the providers' in provider-dialects.ts.
 */

/** What a caller did. */
export interface Press {
  readonly sessionId: string;
  readonly phoneNumber: string;
  readonly serviceCode: string;
  /** As the mode says: all that was typed so far, or the latest of it. */
  readonly text: string;
  /** The first request of a session. */
  readonly isDial: boolean;
  /** Counts the requests of a call from 1; a repeated request keeps its number. */
  readonly sequence: number;
}

export interface DialectRequest {
  readonly method: "GET" | "POST";
  /** Behind `/api/ussd`, such as `/providers/hubtel`; empty for the endpoint itself. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  /** CON: the session goes on; END: it is over. */
  readonly kind: "CON" | "END";
  /** The screen, without the prefix. */
  readonly body: string;
}

export type TextMode = "cumulative" | "latest";

export interface Dialect {
  /** What this gateway sends; undefined where either is possible. */
  readonly mode?: TextMode;
  request(press: Press): DialectRequest;
  /** Undefined when the answer is not one of this dialect. */
  reply(text: string, headers: Headers): Reply | undefined;
}

export const JSON_BODY = { "Content-Type": "application/json" };
export const FORM_BODY = { "Content-Type": "application/x-www-form-urlencoded" };

/** The spec's JSON request. */
export const jsonDialect: Dialect = {
  request: (press) => ({ method: "POST", path: "", headers: JSON_BODY, body: JSON.stringify(fieldsOf(press)) }),
  reply: readPrefixed,
};

/** The same fields as a form. */
export const formDialect: Dialect = {
  request: (press) => ({
    method: "POST",
    path: "",
    headers: FORM_BODY,
    body: new URLSearchParams(fieldsOf(press)).toString(),
  }),
  reply: readPrefixed,
};

export function fieldsOf({ sessionId, serviceCode, phoneNumber, text }: Press): Record<string, string> {
  return { sessionId, serviceCode, phoneNumber, text };
}

/** `CON ` or `END ` and a text. */
export function readPrefixed(text: string): Reply | undefined {
  const [, kind, body = ""] = /^(CON|END) (.*)$/s.exec(text) ?? [];
  return kind === "CON" || kind === "END" ? { kind, body } : undefined;
}
