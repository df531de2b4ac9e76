/** The registry's OpenAPI document, written from its routes. */
import type { JsonObject } from "../platform/json.ts";
import { buildOpenApi } from "../platform/openapi.ts";
import { securitySchemes } from "./http/schemas.ts";
import { routes } from "./router.ts";

export function describeRegistry(): JsonObject {
  return buildOpenApi({
    title: "Domain registry",
    version: "1",
    description: "Records of domains, their verification by vote, and their DID documents.",
    tags: [
      { name: "Domains", description: "Create, find, change and deactivate domains" },
      { name: "Verification", description: "Proposals, votes and what a verified domain may do" },
      { name: "Governance", description: "The voter registry" },
      { name: "Bulk", description: "Many domains at once: import and export" },
      { name: "Changes", description: "The feed of changes, and webhooks that report them" },
      { name: "API keys", description: "Who may call; for operators" },
      { name: "Resolution", description: "DID documents and GraphQL" },
    ],
    securitySchemes,
    routes,
  });
}
