/**
 * Hubtel Programmable Services (PH-17): JSON. `Message` is the latest input, and on `Initiation` the dialled text; the
 * code comes without `*` and `#`, the phone without its plus. Source: Hubtel's API reference "Programmable Services".
 */
import * as z from "zod";
import { parseJson } from "../../../../platform/json.ts";
import { JSON_TYPE, type ProviderAdapter } from "./adapter.ts";
import { asServiceCode, textOfDial, withPlus } from "./adapter.ts";

const pushRequest = z.object({
  Type: z.string().meta({ description: "Initiation, Response, Release, Timeout or HijackSession." }),
  SessionId: z.string(),
  ServiceCode: z.string().meta({ examples: ["713"] }),
  Mobile: z.string().meta({ examples: ["233200585542"] }),
  Message: z.string().nullish(),
  /** Counts the requests of a session; a retry has the number of the first attempt. */
  Sequence: z.union([z.int(), z.string()]).nullish(),
});

/** Characters of `Label`, the title that Hubtel's own apps show above the text. */
const LABEL_LENGTH = 40;

const pushReply = z.object({ Type: z.enum(["response", "release"]), Message: z.string(), Label: z.string() });

export const hubtel: ProviderAdapter = {
  document: {
    method: "post",
    id: "stepSessionHubtel",
    summary: "Handle a request of Hubtel",
    note: "A repeated `Sequence` is the same request.",
    body: { schema: pushRequest },
    reply: { description: "`response` continues, `release` ends", content: { schema: pushReply.loose() } },
  },
  methods: ["POST"],
  parse({ body }) {
    const json = parseJson(body);
    const push = json.ok ? pushRequest.safeParse(json.value).data : undefined;
    if (push === undefined) return undefined;
    const serviceCode = asServiceCode(push.ServiceCode);
    const message = push.Message ?? "";
    const requestId = push.Sequence === undefined || push.Sequence === null ? {} : { requestId: String(push.Sequence) };
    const caller = { sessionId: push.SessionId, serviceCode, phoneNumber: withPlus(push.Mobile), ...requestId };
    switch (push.Type.toLowerCase()) {
      case "initiation":
        return { ...caller, event: "start", text: textOfDial(message, serviceCode), mode: "latest" };
      case "response":
        return { ...caller, event: "input", text: message, mode: "latest" };
      case "release":
      case "timeout":
      case "hijacksession":
        return { event: "end", sessionId: push.SessionId, phoneNumber: caller.phoneNumber };
      default:
        return undefined;
    }
  },
  print({ kind, body }, call) {
    const continues = kind === "CON";
    const reply = {
      SessionId: call?.sessionId ?? "",
      Type: continues ? "response" : "release",
      Message: body,
      Label: body.split("\n", 1)[0]?.slice(0, LABEL_LENGTH) ?? "",
      ClientState: "",
      DataType: continues ? "input" : "display",
      FieldType: "text",
    };
    return { headers: JSON_TYPE, body: JSON.stringify(reply) };
  },
  printEnded: () => ({ headers: JSON_TYPE, body: "{}" }),
};
