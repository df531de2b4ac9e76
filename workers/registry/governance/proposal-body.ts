/** What a representative sends to propose (contract/registry.md section 6.2), checked before the domain is looked at. */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../platform/json.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { readShape, wellFormed } from "../domain/shape.ts";
import { failureOfDetails } from "../failures.ts";
import type { FailureDetail } from "../../platform/failure.ts";
import { detailsOfSize, packageSchema } from "./entity-package.ts";
import { proposalKinds } from "./proposal.ts";

/** Characters. */
export const PROPOSAL_TEXTS = { title: 200, summary: 10_000, reason: 2_000 } as const;

/** Members that it does not know are ignored, as in the body of every POST (decisions 5.1). */
export const proposalBody = z.object({
  kind: z.enum(proposalKinds).default("verify"),
  title: z.string().trim().min(1).max(PROPOSAL_TEXTS.title).check(wellFormed),
  summary: z.string().max(PROPOSAL_TEXTS.summary).check(wellFormed).default(""),
  package: packageSchema.nullish().meta({ description: "Needed to verify." }),
  reason: reasonText().nullish().meta({ description: "Needed to revoke." }),
});

export interface ProposalDraft extends z.output<typeof proposalBody> {
  /** The package as it was sent, with members that the schema does not know. */
  readonly sentPackage: JsonObject;
}

/** Every fault of the body at once. */
export function readProposalBody(body: JsonObject): Result<ProposalDraft> {
  const size = detailsOfSize(body["package"]);
  if (size.length > 0) return failure(failureOfDetails(size));
  const read = readShape(proposalBody, body);
  if (!read.ok) return failure(failureOfDetails(read.error));
  const { package: sent } = body;
  const draft: ProposalDraft = { ...read.value, sentPackage: isJsonObject(sent) ? sent : {} };
  const missing = detailsOfNeed(draft);
  return missing.length > 0 ? failure(failureOfDetails(missing)) : success(draft);
}

export function reasonText() {
  return z.string().trim().min(1).max(PROPOSAL_TEXTS.reason).check(wellFormed);
}

function detailsOfNeed({ kind, package: sent, reason }: ProposalDraft): readonly FailureDetail[] {
  if (kind === "verify" && (sent === undefined || sent === null)) {
    return [{ pointer: "/package", reason: "required", message: "package is required to verify a domain" }];
  }
  if (kind === "revoke" && (reason === undefined || reason === null)) {
    return [{ pointer: "/reason", reason: "required", message: "reason is required to revoke a verification" }];
  }
  return [];
}
