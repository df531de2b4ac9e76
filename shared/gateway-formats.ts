/**
 * The formats in which telecom gateways call the service and read its replies: the two of the session endpoint, and one
 * per provider. They follow the providers' documentation, independently of the service's adapters. The console's
 * handset and `npm run ussd` send them.
 */

/** One request of a gateway. */
export interface Step {
  readonly sessionId: string;
  readonly phoneNumber: string;
  readonly serviceCode: string;
  /** All inputs so far, or the latest one, depending on the mode. */
  readonly text: string;
  /** The first request of a session. */
  readonly isDial: boolean;
  /** Counts the requests of a call from 1; a repeated request keeps its number. */
  readonly sequence: number;
}

export interface FormattedRequest {
  readonly method: "GET" | "POST";
  /** The path from the server's root. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  /** CON: the session continues; END: it has ended. */
  readonly kind: "CON" | "END";
  /** The screen, without the prefix. */
  readonly body: string;
}

export type TextMode = "cumulative" | "latest";

export interface GatewayFormat {
  /** The gateway's text mode; absent if both are possible. */
  readonly mode?: TextMode;
  /** The name in the server's routes; absent for the session endpoint itself. */
  readonly provider?: string;
  request(step: Step): FormattedRequest;
  /** The provider's notice that the caller hung up, if it has one. */
  hangUp?(step: Step): FormattedRequest;
  /** Undefined if the response is not in this format. */
  reply(text: string, headers: Headers): Reply | undefined;
}

/** The session endpoint of the service; each provider's route is below it. */
export const ENDPOINT = "/api/ussd";

const json: GatewayFormat = { request: (step) => postJson("", fieldsOf(step)), reply: readPrefixed };

const form: GatewayFormat = { request: (step) => postForm("", fieldsOf(step)), reply: readPrefixed };

const africasTalking: GatewayFormat = {
  mode: "cumulative",
  provider: "africas-talking",
  request: (step) => postForm("/providers/africas-talking", { ...fieldsOf(step), networkCode: "64501" }),
  hangUp({ sessionId, serviceCode, phoneNumber }) {
    const notice = { sessionId, serviceCode, phoneNumber, status: "Incomplete", durationInMillis: "1000" };
    return postForm("/providers/africas-talking", notice);
  },
  reply: readPrefixed,
};

const hubtel: GatewayFormat = {
  mode: "latest",
  provider: "hubtel",
  request: (step) => hubtelRequest(step, step.isDial ? "Initiation" : "Response", latestInput(step)),
  hangUp: (step) => hubtelRequest({ ...step, sequence: step.sequence + 1 }, "Release", ""),
  reply(text) {
    const { Type: type, Message: body } = membersIn(text);
    if ((type !== "response" && type !== "release") || typeof body !== "string") return undefined;
    return { kind: type === "response" ? "CON" : "END", body };
  },
};

function hubtelRequest(step: Step, type: string, message: string): FormattedRequest {
  return postJson("/providers/hubtel", {
    Type: type,
    SessionId: step.sessionId,
    ServiceCode: step.serviceCode.slice(1, -1),
    Mobile: withoutPlus(step),
    Message: message,
    Sequence: step.sequence,
  });
}

const infobip: GatewayFormat = {
  mode: "latest",
  provider: "infobip",
  request: (step) => infobipRequest(step, step.isDial ? "start" : "response", latestInput(step)),
  hangUp: (step) => infobipRequest(step, "end", ""),
  reply(text) {
    const { shouldClose, ussdMenu: body } = membersIn(text);
    if (typeof shouldClose !== "boolean" || typeof body !== "string") return undefined;
    return { kind: shouldClose ? "END" : "CON", body };
  },
};

function infobipRequest(step: Step, event: string, text: string): FormattedRequest {
  const path = `/providers/infobip/session/${encodeURIComponent(step.sessionId)}/${event}`;
  return postJson(path, { msisdn: withoutPlus(step), shortCode: step.serviceCode, text });
}

const airtel: GatewayFormat = {
  mode: "latest",
  provider: "airtel",
  request: (step) =>
    airtelRequest(step, {
      // The dialled text without its leading star and final hash.
      input: step.isDial ? latestInput(step).slice(1, -1) : step.text,
      serviceCode: step.serviceCode,
    }),
  hangUp: (step) => airtelRequest(step, { clean: "true" }),
  reply(text, headers) {
    const freeflow = headers.get("Freeflow");
    if (freeflow !== "FC" && freeflow !== "FB") return undefined;
    return { kind: freeflow === "FC" ? "CON" : "END", body: text };
  },
};

function airtelRequest(step: Step, fields: Readonly<Record<string, string>>): FormattedRequest {
  const query = new URLSearchParams({ SessionID: step.sessionId, MSISDN: withoutPlus(step), ...fields });
  return { method: "GET", path: `${ENDPOINT}/providers/airtel?${query.toString()}`, headers: {} };
}

export const gatewayFormats = { json, form, "africas-talking": africasTalking, airtel, hubtel, infobip } as const;
export type FormatName = keyof typeof gatewayFormats;

export function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(gatewayFormats, name);
}

export function formatOf(name: FormatName): GatewayFormat {
  return gatewayFormats[name];
}

/** The formats that belong to a provider. */
export const providerNames: readonly FormatName[] = Object.keys(gatewayFormats)
  .filter(isFormatName)
  .filter((name) => formatOf(name).provider !== undefined);

function post(path: string, body: string, type: string): FormattedRequest {
  return { method: "POST", path: `${ENDPOINT}${path}`, headers: { "Content-Type": type }, body };
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

/** For a dial the whole dialled text: `*2233*2*1#` for the code `*2233#` and the text `2*1`. */
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

/** The members of a JSON object; empty for any other text. */
function membersIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
