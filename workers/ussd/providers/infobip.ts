/**
 * Infobip: JSON to `/session/{id}/start`, `/response` and `/end`, `text` the latest input and on `start` what was
 * dialled. The short code is optional there, so the only served one stands in. A first answer cannot close the session.
 * Source: "Infobip USSD Gateway to Third-party Application HTTP/REST/JSON Web Service API".
 */
import * as z from "zod";
import { parseJson } from "../../platform/parse-json.ts";
import { JSON_TYPE, type ProviderAdapter } from "./adapter.ts";
import { asServiceCode, onlyCode, textOfDial, withPlus } from "./dialled.ts";

const PATH = /^\/session\/([^/]+)\/(start|response|end)$/;
/** The exit code of a request that was served, whatever the text says. */
const SERVED = 200;

const sessionCall = z.object({ msisdn: z.string(), text: z.string(), shortCode: z.string().nullish() });

export const infobip: ProviderAdapter = {
  methods: ["POST", "PUT"],
  parse({ path, body }, serviceCodes) {
    const [, encodedId = "", method] = PATH.exec(path) ?? [];
    const sessionId = decodeId(encodedId);
    if (sessionId === undefined || method === undefined) return undefined;
    if (method === "end") return { event: "end", sessionId };
    const json = parseJson(body);
    const call = json.ok ? sessionCall.safeParse(json.value).data : undefined;
    if (call === undefined) return undefined;
    // On later calls `shortCode` is what was dialled, suffix included: only a served code is the same every time.
    const dialled = call.shortCode ? asServiceCode(call.shortCode) : undefined;
    const serviceCode = dialled ?? onlyCode(serviceCodes);
    if (serviceCode === undefined) return undefined;
    const caller = { sessionId, serviceCode, phoneNumber: withPlus(call.msisdn) };
    if (method === "response") return { ...caller, event: "input", text: call.text, mode: "latest" };
    return { ...caller, event: "start", text: textOfDial(call.text, serviceCode), mode: "latest" };
  },
  print({ kind, body }, call) {
    const shouldClose = kind === "END" && call?.event !== "start";
    const answer = { shouldClose, ussdMenu: body, responseExitCode: SERVED, responseMessage: "" };
    return { headers: JSON_TYPE, body: JSON.stringify(answer) };
  },
  printEnded: () => ({
    headers: JSON_TYPE,
    body: JSON.stringify({ responseExitCode: SERVED, responseMessage: "" }),
  }),
};

function decodeId(encoded: string): string | undefined {
  try {
    return encoded === "" ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
