/**
 * The formats in which telecom gateways call the service and read its replies: the two of the session endpoint, and one per
 * provider. They are written from the providers' documentation, independently of the service's adapters.
 */
import * as z from "zod";

/** One request of a gateway. */
export interface Step {
  readonly sessionId: string;
  readonly phoneNumber: string;
  readonly serviceCode: string;
  /** All inputs so far, or the latest one, as the mode says. */
  readonly text: string;
  /** The first request of a session. */
  readonly isDial: boolean;
  /** Counts the requests of a call from 1; a repeated request keeps its number. */
  readonly sequence: number;
}

export interface FormattedRequest {
  readonly method: "GET" | "POST";
  /** After `/api/ussd`, such as `/providers/hubtel`; empty for the endpoint itself. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  /** CON: the session continues; END: it is closed. */
  readonly kind: "CON" | "END";
  /** The screen, without the prefix. */
  readonly body: string;
}

export type TextMode = "cumulative" | "latest";

export interface GatewayFormat {
  /** What this gateway sends; undefined where either is possible. */
  readonly mode?: TextMode;
  request(step: Step): FormattedRequest;
  /** Undefined when the response is not in this format. */
  reply(text: string, headers: Headers): Reply | undefined;
}

export const jsonFormat: GatewayFormat = {
  request: (step) => postJson("", fieldsOf(step)),
  reply: readPrefixed,
};

/** The same fields as a form. */
export const formFormat: GatewayFormat = {
  request: (step) => postForm("", fieldsOf(step)),
  reply: readPrefixed,
};

const africasTalking: GatewayFormat = {
  mode: "cumulative",
  request: (step) => postForm("/providers/africas-talking", { ...fieldsOf(step), networkCode: "64501" }),
  reply: readPrefixed,
};

const hubtelReply = z.object({ Type: z.enum(["response", "release"]), Message: z.string() });

const hubtel: GatewayFormat = {
  mode: "latest",
  request: (step) =>
    postJson("/providers/hubtel", {
      Type: step.isDial ? "Initiation" : "Response",
      SessionId: step.sessionId,
      ServiceCode: step.serviceCode.slice(1, -1),
      Mobile: withoutPlus(step),
      Message: latestInput(step),
      Sequence: step.sequence,
    }),
  reply(text) {
    const reply = readJson(hubtelReply, text);
    return reply && { kind: reply.Type === "response" ? "CON" : "END", body: reply.Message };
  },
};

const infobipReply = z.object({ shouldClose: z.boolean(), ussdMenu: z.string() });

const infobip: GatewayFormat = {
  mode: "latest",
  request(step) {
    const path = `/providers/infobip/session/${encodeURIComponent(step.sessionId)}/${step.isDial ? "start" : "response"}`;
    return postJson(path, { msisdn: withoutPlus(step), shortCode: step.serviceCode, text: latestInput(step) });
  },
  reply(text) {
    const reply = readJson(infobipReply, text);
    return reply && { kind: reply.shouldClose ? "END" : "CON", body: reply.ussdMenu };
  },
};

const airtel: GatewayFormat = {
  mode: "latest",
  request(step) {
    const query = new URLSearchParams({
      SessionID: step.sessionId,
      MSISDN: withoutPlus(step),
      // What was dialled, without the star at its beginning and the hash at its end.
      input: step.isDial ? latestInput(step).slice(1, -1) : step.text,
      serviceCode: step.serviceCode,
    });
    return { method: "GET", path: `/providers/airtel?${query.toString()}`, headers: {} };
  },
  reply(text, headers) {
    const freeflow = headers.get("Freeflow");
    if (freeflow !== "FC" && freeflow !== "FB") return undefined;
    return { kind: freeflow === "FC" ? "CON" : "END", body: text };
  },
};

export const providerFormats = {
  "africas-talking": africasTalking,
  airtel,
  hubtel,
  infobip,
} as const satisfies Readonly<Record<string, GatewayFormat>>;

function post(path: string, body: string, type: string): FormattedRequest {
  return { method: "POST", path, headers: { "Content-Type": type }, body };
}

function postJson(path: string, body: object): FormattedRequest {
  return post(path, JSON.stringify(body), "application/json");
}

function postForm(path: string, fields: Record<string, string>): FormattedRequest {
  return post(path, new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded");
}

function fieldsOf({ sessionId, serviceCode, phoneNumber, text }: Step): Record<string, string> {
  return { sessionId, serviceCode, phoneNumber, text };
}

/** On a dial all that was dialled: `*2233*2*1#` for the code `*2233#` and the text `2*1`. */
function latestInput({ serviceCode, text, isDial }: Step): string {
  if (!isDial) return text;
  return text === "" ? serviceCode : `${serviceCode.slice(0, -1)}*${text}#`;
}

function withoutPlus({ phoneNumber }: Step): string {
  return phoneNumber.replace(/^\+/, "");
}

/** `CON ` or `END ` and a text. */
function readPrefixed(text: string): Reply | undefined {
  const [, kind, body = ""] = /^(CON|END) (.*)$/s.exec(text) ?? [];
  return kind === "CON" || kind === "END" ? { kind, body } : undefined;
}

function readJson<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
