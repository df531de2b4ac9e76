/**
 * Infobip (PH-18): JSON to `/session/{id}/start`, `/response` and `/end`. `text` is the latest input, and on `start`
 * the dialled text. The short code is optional: without one a start uses the dialled code, and later inputs the
 * session's. `GET /status` checks that the service is available. A first reply cannot close the session. Source:
 * "Infobip USSD Gateway to Third-party Application HTTP/REST/JSON Web Service API".
 */
import * as z from "zod";
import { parseJson } from "../../../../platform/json.ts";
import { JSON_TYPE, type ProviderAdapter } from "./adapter.ts";
import { SERVICE_CODE } from "../../config.ts";
import { splitDialled } from "../request.ts";
import { asServiceCode, onlyCode, textOfDial, withPlus } from "./adapter.ts";

const PATH = /^\/session\/([^/]+)\/(start|response|end)$/;
/** The exit code of every served request. */
const SERVED = 200;

/** A placeholder if an input names no code. */
const ANY_CODE = "*0#";

const sessionCall = z.object({ msisdn: z.string(), text: z.string(), shortCode: z.string().nullish() });

const sessionReply = z.object({ shouldClose: z.boolean(), ussdMenu: z.string(), responseExitCode: z.int() });

export const infobip: ProviderAdapter = {
  document: {
    method: "post",
    path: "/session/:sessionId/:method",
    id: "stepSessionInfobip",
    summary: "Handle a request of Infobip",
    note: "PUT is accepted too; `GET /api/ussd/providers/infobip/status` answers 200.",
    params: z.object({ sessionId: z.string(), method: z.enum(["start", "response", "end"]) }),
    body: { schema: sessionCall },
    reply: { description: "`shouldClose` ends the session", content: { schema: sessionReply.loose() } },
  },
  methods: ["POST", "PUT"],
  parse({ path, body }, serviceCodes) {
    const [, encodedId = "", method] = PATH.exec(path) ?? [];
    const sessionId = decodeId(encodedId);
    if (sessionId === undefined || method === undefined) return undefined;
    if (method === "end") return { event: "end", sessionId };
    const json = parseJson(body);
    const call = json.ok ? sessionCall.safeParse(json.value).data : undefined;
    if (call === undefined) return undefined;
    // On later calls `shortCode` is the dialled text, suffix included: only a served code is stable.
    const dialled = call.shortCode ? asServiceCode(call.shortCode) : undefined;
    const known =
      dialled ?? onlyCode(serviceCodes) ?? (method === "start" ? codeOf(call.text, serviceCodes) : undefined);
    if (known === undefined && method === "start") return undefined;
    const codeUnknown = known === undefined ? ({ codeUnknown: true } as const) : {};
    const serviceCode = known ?? serviceCodes[0] ?? ANY_CODE;
    const caller = { sessionId, serviceCode, phoneNumber: withPlus(call.msisdn) };
    if (method === "response") return { ...caller, event: "input", text: call.text, mode: "latest", ...codeUnknown };
    return { ...caller, event: "start", text: textOfDial(call.text, serviceCode), mode: "latest" };
  },
  isStatus: (method, path) => (method === "GET" || method === "HEAD") && path === "/status",
  print({ kind, body }, _call, path) {
    // By the path, which is known even if the request cannot be read.
    const shouldClose = kind === "END" && PATH.exec(path)?.[2] !== "start";
    const reply = { shouldClose, ussdMenu: body, responseExitCode: SERVED, responseMessage: "" };
    return { headers: JSON_TYPE, body: JSON.stringify(reply) };
  },
  printEnded: () => ({
    headers: JSON_TYPE,
    body: JSON.stringify({ responseExitCode: SERVED, responseMessage: "" }),
  }),
};

/** The served code that was dialled, or all of it if every code is served. */
function codeOf(dialled: string, serviceCodes: readonly string[]): string | undefined {
  const code = asServiceCode(dialled);
  if (!SERVICE_CODE.test(code)) return undefined;
  return serviceCodes.length === 0 ? code : splitDialled(code, serviceCodes)?.base;
}

function decodeId(encoded: string): string | undefined {
  try {
    return encoded === "" ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
