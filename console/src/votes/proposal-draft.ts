/** A new proposal as it is being written: the body to send, and its problems according to the registry's schema. */
import { checkForm } from "../api/form-check.ts";
import form from "../api/forms/create-proposal.json";
import type { components } from "../api/paths.d.ts";
import type { FieldProblem } from "../api/api-failure.ts";
import { isDeeperThan, USUAL_DEPTH } from "../kit/json-text.ts";
import type { Domain, Proposal } from "./proposal.ts";

export interface EvidenceDraft {
  readonly type: string;
  readonly uri: string;
  readonly description: string;
  readonly digest: string;
}

export interface WrittenDraft {
  /** Undefined until the user types: the title is prefilled by kind and domain. */
  readonly title: string | undefined;
  readonly summary: string;
  readonly reason: string;
  readonly notes: string;
  readonly evidence: readonly EvidenceDraft[];
  readonly programme: string;
  /** As JSON. */
  readonly credentials: string;
}

export interface ProposalDraft extends WrittenDraft {
  readonly kind: Proposal["kind"];
}

export const emptyDraft: WrittenDraft = {
  title: undefined,
  summary: "",
  reason: "",
  notes: "",
  evidence: [],
  programme: "",
  credentials: "",
};

export const emptyEvidence: EvidenceDraft = { type: "", uri: "", description: "", digest: "" };

/** Characters and items that the registry accepts. */
export const limits = {
  title: form.properties.title.maxLength,
  summary: form.properties.summary.maxLength,
  reason: form.properties.reason.anyOf[0]?.maxLength ?? 0,
  notes: form.$defs.EntityPackage.properties.notes.anyOf[0]?.maxLength ?? 0,
  evidence: form.$defs.EntityPackage.properties.evidence.maxItems,
};

/** The identity of the domain is included, so that the proposal is about what its proposer saw. */
export function bodyOf(draft: ProposalDraft, title: string, domain: Domain) {
  const evidence = draft.evidence.map(({ type, uri, description, digest }) => ({
    type,
    uri,
    description: textOrNull(description),
    digest: textOrNull(digest.trim()),
  }));
  const seen = { class: domain.class, controllers: domain.controllers, relayerNode: domain.relayerNode };
  const content: components["schemas"]["EntityPackage"] = {
    ...seen,
    evidence,
    programme: textOrNull(draft.programme.trim()),
    credentials: listOf(draft.credentials),
    notes: textOrNull(draft.notes),
  };
  return {
    kind: draft.kind,
    title,
    summary: draft.summary,
    package: content,
    reason: draft.kind === "revoke" ? draft.reason : null,
  };
}

function textOrNull(text: string): string | null {
  return text.trim() === "" ? null : text;
}

/** Invalid or too deep JSON is validated as the text that it is. */
function listOf(json: string): unknown[] {
  if (json.trim() === "") return [];
  try {
    const list = JSON.parse(json) as unknown[];
    return isDeeperThan(USUAL_DEPTH, list) ? (json as unknown as unknown[]) : list;
  } catch {
    return json as unknown as unknown[];
  }
}

/** JSON pointers into the body that have a field. */
export function placesOf({ evidence }: Pick<ProposalDraft, "evidence">): readonly string[] {
  const ofEvidence = evidence.flatMap((_, at) =>
    Object.keys(emptyEvidence).map((name) => `/package/evidence/${at}/${name}`),
  );
  const ofPackage = ["notes", "programme", "credentials", "evidence"].map((name) => `/package/${name}`);
  return ["/kind", "/title", "/reason", "/summary", ...ofPackage, ...ofEvidence];
}

/** Validated with the registry's published schema; values that the registry trims are trimmed here too. */
export function problemsOf(body: ReturnType<typeof bodyOf>): readonly FieldProblem[] {
  const evidence = body.package.evidence?.map(({ type, uri, ...more }) => ({
    ...more,
    type: type.trim(),
    uri: uri.trim(),
  }));
  return checkForm(form, {
    ...body,
    title: body.title.trim(),
    reason: body.reason?.trim() ?? null,
    package: { ...body.package, evidence },
  });
}
