/**
 * The gateway's OpenAPI document: operators' routes from their declarations, telecom gateways' routes from their
 * formats.
 */
import type { JsonObject } from "../../../platform/json.ts";
import { buildOpenApi, type Operation } from "../../../platform/openapi.ts";
import { providers } from "./gateway-routes.ts";
import { operationRoutes } from "./operation-routes.ts";
import { plainReply, type ProviderAdapter } from "./providers/adapter.ts";
import { sessionRequest } from "./request.ts";
import { sessionRoutes } from "./session-routes.ts";

const sessionEndpoint: Operation = {
  method: "post",
  path: "/api/ussd",
  id: "stepSession",
  tag: "Phone sessions",
  summary: "Handle a request of a phone session",
  description:
    "Responds with `CON ` and a menu, or `END ` and a closing text. The status is 200 even for invalid input and failures. " +
    "The same fields are accepted as `application/x-www-form-urlencoded`.",
  security: [],
  body: { schema: sessionRequest },
  responses: {
    200: plainReply,
    429: {
      description: "END: over the limit per minute and address",
      headers: { "Retry-After": "Whole seconds" },
    },
  },
};

function providerOperation(name: string, { document }: ProviderAdapter): Operation {
  const { path = "", note, reply, ...operation } = document;
  const description =
    "The same sessions in this gateway's own format. Invalid input and failures get a closing reply with status 200.";
  return {
    ...operation,
    path: `/api/ussd/providers/${name}${path}`,
    tag: "Phone sessions",
    description: note === undefined ? description : `${description} ${note}`,
    security: [],
    responses: {
      200: reply,
      429: { description: "The same format with END: over the limit per minute and address" },
    },
  };
}

export function describeUssd(): JsonObject {
  return buildOpenApi({
    title: "Phone-session gateway",
    version: "1",
    description: "Called by telecom gateways once per input of a USSD session, and by operators.",
    tags: [
      { name: "Phone sessions", description: "Called by a telecom gateway's server" },
      { name: "Operators", description: "Debugging, accounts, statistics" },
    ],
    securitySchemes: { operator: { type: "http", scheme: "bearer" } },
    operations: [
      sessionEndpoint,
      ...[...providers].map(([name, adapter]) => providerOperation(name, adapter)),
      ...[...sessionRoutes, ...operationRoutes].map((route) => route.document().operation),
    ],
  });
}
