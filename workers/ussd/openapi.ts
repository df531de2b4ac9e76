/** The gateway's OpenAPI document (contract/ussd.md sections 1, 2 and 8). Providers' forms are their own documentation's. */
import * as z from "zod";
import type { JsonObject } from "../platform/json.ts";
import { buildOpenApi, type Operation, type OperationResponse } from "../platform/openapi.ts";

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

const operations: readonly Operation[] = [
  {
    method: "post",
    path: "/api/ussd",
    id: "stepSession",
    tag: "Phone sessions",
    summary: "One input of a phone session",
    description:
      "Answers `CON ` and a menu, or `END ` and the last words; with 200 for invalid input and failures too.",
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
