/** The gateway's OpenAPI document: the session endpoint, the routes in the forms of telecom gateways, and operators. */
import * as z from "zod";
import type { JsonObject } from "../../platform/json.ts";
import { buildOpenApi, type Operation, type OperationResponse } from "../../platform/openapi.ts";

const OPERATORS = [["operator"]];
const DEBUG = [[], ["operator"]];

const sessionRequest = z
  .object({
    sessionId: z.string().min(1).max(100).meta({ description: "Assigned by the telecom gateway." }),
    serviceCode: z
      .string()
      .max(50)
      .meta({ description: "The dialled code.", examples: ["*2233#"] }),
    phoneNumber: z.string().meta({ description: "E.164 with its plus.", examples: ["+260971230001"] }),
    text: z.string().max(182).meta({ description: "All inputs so far, joined by `*`; empty on the first dial." }),
  })
  .meta({ id: "UssdSessionRequest" });

const sessionIds = z.array(z.string());
const debugRecord = z
  .object({
    sessionId: z.string(),
    debugInfo: z.object({
      sessionId: z.string(),
      state: z.string(),
      path: z.string(),
      context: z.object({
        sessionId: z.string(),
        phoneNumber: z.string(),
        serviceCode: z.string(),
        isAuthenticated: z.boolean(),
        sessionStartTime: z.iso.datetime(),
        message: z.string().meta({ description: "The last menu, without its prefix." }),
        provider: z.string().optional().meta({ description: "The telecom gateway, where it has an adapter." }),
      }),
      status: z.literal("active"),
    }),
    activeSessions: sessionIds,
    otherProviders: z.array(z.string()).optional().meta({ description: "Other gateways with a session of this id." }),
  })
  .meta({ id: "UssdDebugRecord" });
const sessionList = z.object({ activeSessions: sessionIds, count: z.int().min(0) }).meta({ id: "UssdSessionList" });
const dayStatistics = z
  .object({
    day: z.iso.date(),
    counters: z.record(z.string(), z.int()),
    screens: z.array(
      z.object({ screen: z.string(), language: z.string(), shown: z.int(), refused: z.int(), ended: z.int() }),
    ),
  })
  .meta({ id: "UssdDayStatistics" });

const refusals: Readonly<Record<number, OperationResponse>> = {
  401: { description: "No operator's token" },
  404: { description: "Unknown, or nothing here for who asks" },
  429: { description: "More than the limit per minute and address", headers: { "Retry-After": "Whole seconds" } },
};
const customer = z.object({ customerId: z.string() });

const airtelPhone = z.string().meta({ examples: ["254100000000"] });
const providerReply = {
  429: { description: "The same form with END, more than the limit per minute and address" },
} as const;
const SAME_SESSIONS =
  "The same sessions in this gateway's own form. Invalid input and failures are answered with 200 and a closing reply.";

const providerOperations: readonly Operation[] = [
  {
    method: "post",
    path: "/api/ussd/providers/africas-talking",
    id: "stepSessionAfricasTalking",
    tag: "Phone sessions",
    summary: "One input as Africa's Talking sends it, or its notice at a session's end",
    description: SAME_SESSIONS,
    security: [],
    body: {
      type: "application/x-www-form-urlencoded",
      schema: sessionRequest.extend({
        status: z.string().optional().meta({ description: "In the notice, instead of `text`." }),
        durationInMillis: z.string().optional(),
      }),
    },
    responses: {
      200: { description: "CON or END, a space, the text", content: { schema: z.string(), type: "text/plain" } },
      ...providerReply,
    },
  },
  {
    method: "post",
    path: "/api/ussd/providers/hubtel",
    id: "stepSessionHubtel",
    tag: "Phone sessions",
    summary: "One input as Hubtel sends it",
    description: `${SAME_SESSIONS} A repeated \`Sequence\` is the same request.`,
    security: [],
    body: {
      schema: z.object({
        Type: z.enum(["Initiation", "Response", "Release", "Timeout", "HijackSession"]),
        SessionId: z.string(),
        ServiceCode: z.string().meta({ examples: ["713"] }),
        Mobile: z.string().meta({ examples: ["233200585542"] }),
        Message: z.string().nullish(),
        Sequence: z.union([z.int(), z.string()]).nullish(),
      }),
    },
    responses: {
      200: {
        description: "`response` goes on, `release` ends",
        content: {
          schema: z.object({ Type: z.enum(["response", "release"]), Message: z.string(), Label: z.string() }).loose(),
        },
      },
      ...providerReply,
    },
  },
  {
    method: "post",
    path: "/api/ussd/providers/infobip/session/:sessionId/:method",
    id: "stepSessionInfobip",
    tag: "Phone sessions",
    summary: "One input as Infobip sends it",
    description: `${SAME_SESSIONS} PUT is accepted too; \`GET /api/ussd/providers/infobip/status\` answers 200.`,
    security: [],
    params: z.object({ sessionId: z.string(), method: z.enum(["start", "response", "end"]) }),
    body: { schema: z.object({ msisdn: z.string(), text: z.string(), shortCode: z.string().nullish() }) },
    responses: {
      200: {
        description: "`shouldClose` ends the session",
        content: {
          schema: z.object({ shouldClose: z.boolean(), ussdMenu: z.string(), responseExitCode: z.int() }).loose(),
        },
      },
      ...providerReply,
    },
  },
  {
    method: "get",
    path: "/api/ussd/providers/airtel",
    id: "stepSessionAirtel",
    tag: "Phone sessions",
    summary: "One input as Airtel sends it",
    description: `${SAME_SESSIONS} The header \`Freeflow\` is FC while the session goes on, FB at its end.`,
    security: [],
    query: z.object({
      SessionID: z.string(),
      MSISDN: airtelPhone,
      input: z.string().optional(),
      serviceCode: z.string().optional().meta({ description: "Needed unless exactly one code is served." }),
      clean: z.string().optional().meta({ description: "Ends the session." }),
    }),
    responses: {
      200: { description: "The text", content: { schema: z.string(), type: "text/plain" } },
      ...providerReply,
    },
  },
];

const operations: readonly Operation[] = [
  {
    method: "post",
    path: "/api/ussd",
    id: "stepSession",
    tag: "Phone sessions",
    summary: "One input of a phone session",
    description:
      "Answers `CON ` and a menu, or `END ` and a closing text; with 200 for invalid input and failures too. " +
      "The same fields are accepted as `application/x-www-form-urlencoded`.",
    security: [],
    body: { schema: sessionRequest },
    responses: {
      200: { description: "CON or END, a space, the text", content: { schema: z.string(), type: "text/plain" } },
      429: {
        description: "END, more than the limit per minute and address",
        headers: { "Retry-After": "Whole seconds" },
      },
    },
  },
  ...providerOperations,
  {
    method: "get",
    path: "/api/ussd/debug/:sessionId",
    id: "debugSession",
    tag: "Operators",
    summary: "Where a live session is",
    description: "Open in development; elsewhere with the operator's token.",
    security: DEBUG,
    params: z.object({ sessionId: z.string() }),
    query: z.object({ provider: z.string().optional().meta({ description: "Only this telecom gateway's session." }) }),
    responses: { 200: { description: "A live session", content: { schema: debugRecord } }, ...refusals },
  },
  {
    method: "get",
    path: "/api/ussd/sessions",
    id: "listActiveSessions",
    tag: "Operators",
    summary: "Live sessions, latest activity first",
    security: DEBUG,
    responses: { 200: { description: "At most 1,000 ids", content: { schema: sessionList } }, ...refusals },
  },
  {
    ...act("unlock", "unlockCustomer", "Lift the lock of an account"),
    responses: answered(z.object({ customerId: z.string(), locked: z.literal(false) })),
  },
  {
    ...act("reset-pin", "resetPin", "A temporary PIN, shown once"),
    responses: answered(z.object({ customerId: z.string(), temporaryPin: z.string(), expiresAt: z.iso.datetime() })),
  },
  {
    ...act("did", "linkDid", "Link a DID, or take the link away"),
    body: { schema: z.object({ did: z.string().nullable() }) },
    responses: {
      ...answered(z.object({ customerId: z.string(), did: z.string().nullable() })),
      409: { description: "Another customer's" },
    },
  },
  {
    method: "post",
    path: "/api/ussd/ops/pins/rotate",
    id: "rotateKeys",
    tag: "Operators",
    summary: "Seal one batch of PINs and keys under the current key",
    security: OPERATORS,
    body: { schema: z.object({ after: z.int().min(0).optional() }) },
    responses: answered(
      z.object({ examined: z.int(), resealed: z.int(), unreadable: z.int(), next: z.int().nullable() }),
    ),
  },
  {
    method: "get",
    path: "/api/ussd/ops/stats",
    id: "readUssdStatistics",
    tag: "Operators",
    summary: "Counts per day, without personal data",
    security: OPERATORS,
    query: z.object({ until: z.iso.date().optional().meta({ description: "The last day; a month is told." }) }),
    responses: answered(z.object({ days: z.array(dayStatistics) })),
  },
  {
    method: "get",
    path: "/api/ussd/ops/metrics",
    id: "readUssdMetrics",
    tag: "Operators",
    summary: "The same counts in total, for Prometheus",
    security: OPERATORS,
    responses: {
      200: { description: "Text format 0.0.4", content: { schema: z.string(), type: "text/plain" } },
      ...refusals,
    },
  },
];

function act(name: string, id: string, summary: string): Omit<Operation, "responses"> {
  return {
    method: "post",
    path: `/api/ussd/ops/customers/:customerId/${name}`,
    id,
    tag: "Operators",
    summary,
    security: OPERATORS,
    params: customer,
  };
}

function answered(schema: z.ZodType): Readonly<Record<number, OperationResponse>> {
  return { 200: { description: "Done", content: { schema } }, ...refusals };
}

export function describeUssd(): JsonObject {
  return buildOpenApi({
    title: "Phone-session gateway",
    version: "1",
    description: "Called by telecom gateways once per input of a USSD session, and by operators.",
    tags: [
      { name: "Phone sessions", description: "Called by a telecom gateway's server" },
      { name: "Operators", description: "Debugging, accounts, measures" },
    ],
    securitySchemes: { operator: { type: "http", scheme: "bearer" } },
    operations,
  });
}
