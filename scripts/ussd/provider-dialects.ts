/**
 * The dialects of the providers that the gateway has adapters for (contract/ussd.md section 14): what each of them sends,
 * and what it makes of the answer. Written from the providers' side; the adapters are not looked at.
 */
import * as z from "zod";
import { FORM_BODY, JSON_BODY, fieldsOf, readPrefixed, type Dialect, type Press } from "./dialect.ts";

const africasTalking: Dialect = {
  mode: "cumulative",
  request: (press) => ({
    method: "POST",
    path: "/providers/africas-talking",
    headers: FORM_BODY,
    body: new URLSearchParams({ ...fieldsOf(press), networkCode: "64501" }).toString(),
  }),
  reply: readPrefixed,
};

const hubtelAnswer = z.object({ Type: z.enum(["response", "release"]), Message: z.string() });

const hubtel: Dialect = {
  mode: "latest",
  request: (press) => ({
    method: "POST",
    path: "/providers/hubtel",
    headers: JSON_BODY,
    body: JSON.stringify({
      Type: press.isDial ? "Initiation" : "Response",
      SessionId: press.sessionId,
      ServiceCode: bareCode(press),
      Mobile: withoutPlus(press),
      Message: press.isDial ? dialled(press) : press.text,
      Sequence: press.sequence,
    }),
  }),
  reply(text) {
    const answer = hubtelAnswer.safeParse(jsonOf(text)).data;
    if (answer === undefined) return undefined;
    return { kind: answer.Type === "response" ? "CON" : "END", body: answer.Message };
  },
};

const infobipAnswer = z.object({ shouldClose: z.boolean(), ussdMenu: z.string() });

const infobip: Dialect = {
  mode: "latest",
  request: (press) => ({
    method: "POST",
    path: `/providers/infobip/session/${encodeURIComponent(press.sessionId)}/${press.isDial ? "start" : "response"}`,
    headers: JSON_BODY,
    body: JSON.stringify({
      msisdn: withoutPlus(press),
      shortCode: press.serviceCode,
      text: press.isDial ? dialled(press) : press.text,
    }),
  }),
  reply(text) {
    const answer = infobipAnswer.safeParse(jsonOf(text)).data;
    return answer === undefined ? undefined : { kind: answer.shouldClose ? "END" : "CON", body: answer.ussdMenu };
  },
};

const airtel: Dialect = {
  mode: "latest",
  request(press) {
    const query = new URLSearchParams({
      SessionID: press.sessionId,
      MSISDN: withoutPlus(press),
      // The code without its signs, then what was dialled behind it.
      input: press.isDial ? dialled(press).slice(1, -1) : press.text,
      serviceCode: press.serviceCode,
    });
    return { method: "GET", path: `/providers/airtel?${query.toString()}`, headers: {} };
  },
  reply(text, headers) {
    const freeflow = headers.get("Freeflow");
    if (freeflow !== "FC" && freeflow !== "FB") return undefined;
    return { kind: freeflow === "FC" ? "CON" : "END", body: text };
  },
};

export const providerDialects = {
  "africas-talking": africasTalking,
  airtel,
  hubtel,
  infobip,
} as const satisfies Readonly<Record<string, Dialect>>;

/** `*2233*2*1#` for the code `*2233#` and the text `2*1`. */
function dialled({ serviceCode, text }: Press): string {
  return text === "" ? serviceCode : `${serviceCode.slice(0, -1)}*${text}#`;
}

function bareCode({ serviceCode }: Press): string {
  return serviceCode.slice(1, -1);
}

function withoutPlus({ phoneNumber }: Press): string {
  return phoneNumber.replace(/^\+/, "");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
