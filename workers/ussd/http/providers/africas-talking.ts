/**
 * Africa's Talking (PH-16): a form with the session endpoint's field names, `text` cumulative, replies as plain text
 * with CON or END. Its end-of-session notice goes to a second URL and has `status` and `durationInMillis` instead of
 * `text`. Source: the provider's USSD documentation ("Handle sessions", "Session notifications").
 */
import * as z from "zod";
import { readFormFields, sessionRequest } from "../request.ts";
import { PLAIN_TEXT, plainReply, type ProviderAdapter } from "./adapter.ts";
import { withPlus } from "./adapter.ts";

const FIELDS = ["sessionId", "serviceCode", "phoneNumber", "text", "status", "durationInMillis"] as const;

export const africasTalking: ProviderAdapter = {
  document: {
    method: "post",
    id: "stepSessionAfricasTalking",
    summary: "Handle a request or an end-of-session notice of Africa's Talking",
    body: {
      type: "application/x-www-form-urlencoded",
      schema: sessionRequest.extend({
        status: z.string().optional().meta({ description: "In the notice, instead of `text`." }),
        durationInMillis: z.string().optional(),
      }),
    },
    reply: plainReply,
  },
  methods: ["POST"],
  parse({ body }) {
    const fields = readFormFields(body, FIELDS);
    if (fields?.sessionId === undefined) return undefined;
    const { sessionId, serviceCode, phoneNumber, text = "" } = fields;
    if (serviceCode === undefined || phoneNumber === undefined) return undefined;
    // A plus that was not encoded arrives as a space.
    const normalized = withPlus(phoneNumber.replace(/^ (?=\d)/, "+"));
    if (fields.text === undefined && fields.status !== undefined && fields.durationInMillis !== undefined) {
      return { event: "end", sessionId, phoneNumber: normalized };
    }
    const event = text === "" ? "start" : "input";
    return { event, sessionId, serviceCode, phoneNumber: normalized, text, mode: "cumulative" };
  },
  print: ({ kind, body }) => ({ headers: PLAIN_TEXT, body: `${kind} ${body}` }),
  printEnded: () => ({ headers: PLAIN_TEXT, body: "" }),
};
