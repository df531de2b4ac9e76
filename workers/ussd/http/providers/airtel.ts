/**
 * Airtel over Comviva Flares (HTTP pull) (PH-19): a query with `SessionID`, `MSISDN`, `input` and `MSC`; the first
 * input is the code without `*` and `#`, later ones the latest input. Later calls name no code, so the code in the URL
 * given to Airtel (`?serviceCode=`) or the only served code is used. The header `Freeflow` states whether the session
 * continues. A clean-up call ends it. Source: "Flares 1.5 HTTP Pull API", document version 1.2.
 */
import * as z from "zod";
import { readFormFields } from "../request.ts";
import { PLAIN_TEXT, type ProviderAdapter, type ProviderResponse } from "./adapter.ts";
import { asServiceCode, onlyCode, textOfDial, withPlus } from "./adapter.ts";

const FIELDS = ["SessionID", "MSISDN", "msisdn", "input", "clean", "serviceCode"] as const;

const phone = z.string().meta({ examples: ["254100000000"] });

export const airtel: ProviderAdapter = {
  document: {
    method: "get",
    id: "stepSessionAirtel",
    summary: "Handle a request of Airtel",
    note: "The header `Freeflow` is FC while the session continues, FB at its end.",
    query: z.object({
      SessionID: z.string(),
      MSISDN: phone,
      input: z.string().optional(),
      serviceCode: z.string().optional().meta({ description: "Required unless exactly one code is served." }),
      clean: z.string().optional().meta({ description: "Ends the session." }),
    }),
    reply: { description: "The text", content: { schema: z.string(), type: "text/plain" } },
  },
  methods: ["GET"],
  parse({ query }, serviceCodes) {
    const fields = readFormFields(query, FIELDS);
    const sessionId = fields?.SessionID;
    if (fields === undefined || sessionId === undefined) return undefined;
    const phoneNumber = fields.MSISDN ?? fields.msisdn;
    if (fields.clean !== undefined) {
      return phoneNumber === undefined ? undefined : { event: "end", sessionId, phoneNumber: withPlus(phoneNumber) };
    }
    const serviceCode = fields.serviceCode === undefined ? onlyCode(serviceCodes) : asServiceCode(fields.serviceCode);
    const { input } = fields;
    if (phoneNumber === undefined || serviceCode === undefined || input === undefined) return undefined;
    const caller = { sessionId, serviceCode, phoneNumber: withPlus(phoneNumber), mode: "latest" } as const;
    if (!isDialled(input, serviceCode)) return { ...caller, event: "input", text: input };
    return { ...caller, event: "start", text: textOfDial(input, serviceCode) };
  },
  print: ({ kind, body }) => printText(body, kind === "CON" ? "FC" : "FB"),
  printEnded: () => printText("", "FB"),
};

/** The code itself, or the code with dialled inputs; no menu accepts either as an input. */
function isDialled(input: string, serviceCode: string): boolean {
  const dialled = asServiceCode(input);
  return dialled === serviceCode || dialled.startsWith(`${serviceCode.slice(0, -1)}*`);
}

function printText(body: string, freeflow: "FC" | "FB"): ProviderResponse {
  return { headers: { ...PLAIN_TEXT, Freeflow: freeflow, charge: "N", amount: "0" }, body };
}
