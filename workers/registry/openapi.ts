/** The registry's OpenAPI document: the operations that stand beside their handlers (contract/registry.md section 2). */
import { buildOpenApi, type Operation } from "../platform/openapi.ts";
import type { JsonObject } from "../platform/json.ts";
import { securitySchemes } from "./description.ts";
import { resolutionOperations } from "./did-resolution/route.ts";
import { graphqlOperations } from "./graphql/operations.ts";
import { routes } from "./router.ts";
import { changeOperations } from "./routes/changes.ts";
import { compositeOperations } from "./routes/composite.ts";
import { documentOperations } from "./routes/document-items.ts";
import { domainListOperations } from "./routes/domain-lists.ts";
import { domainMdOperations } from "./routes/domain-md.ts";
import { domainOperations } from "./routes/domains.ts";
import { exportOperations } from "./routes/export.ts";
import { historyOperations } from "./routes/history.ts";
import { importOperations } from "./routes/imports.ts";
import { proposalListOperations } from "./routes/proposal-lists.ts";
import { proposalOperations } from "./routes/proposals.ts";
import { serviceOperations } from "./routes/services.ts";
import { voteOperations } from "./routes/votes.ts";
import { webhookDeliveryOperations } from "./routes/webhook-deliveries.ts";
import { webhookOperations } from "./routes/webhooks.ts";

/** Every operation of the registry; `describeRegistry` tells of them. */
export const operations: readonly Operation[] = [
  ...routes.map((route) => route.document().operation),
  ...domainOperations,
  ...domainListOperations,
  ...documentOperations,
  ...historyOperations,
  ...compositeOperations,
  ...domainMdOperations,
  ...resolutionOperations,
  ...graphqlOperations,
  ...proposalOperations,
  ...proposalListOperations,
  ...voteOperations,
  ...serviceOperations,
  ...changeOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...importOperations,
  ...exportOperations,
];

export function describeRegistry(): JsonObject {
  return buildOpenApi({
    title: "Domain registry",
    version: "1",
    description: "Records of domains, their verification by vote, and their DID documents.",
    tags: [
      { name: "Domains", description: "Create, find, change and deactivate domains" },
      { name: "Verification", description: "Proposals, votes and what a verified domain may do" },
      { name: "Governance", description: "The voter roll" },
      { name: "Bulk", description: "Many domains at once: import and export" },
      { name: "Changes", description: "The feed of changes, and webhooks that tell of them" },
      { name: "API keys", description: "Who may call; for operators" },
      { name: "Resolution", description: "DID documents and GraphQL" },
    ],
    securitySchemes,
    operations,
  });
}
