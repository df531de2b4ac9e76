/** Applies a merge patch to a domain. Its current controllers and the registry's admins can send one. */
import type { FailureDetail } from "../../../platform/failure.ts";
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import { failure, type Result, success } from "../../../platform/result.ts";
import { didOf } from "../did.ts";
import { failureOfDetails, refused } from "../failures.ts";
import { holds, type Scope } from "../caller.ts";
import { detailsOfDocument, mergeDocument, unknownDocumentMembers } from "./document.ts";
import type { DomainRecord, DomainStep } from "./domain.ts";
import { detailsOfValidity, updateMembers, withFirstNames } from "./draft.ts";
import { escapeToken, mergePatch } from "./json-values.ts";
import { typeKeyOf } from "./known-types.ts";
import { detailsOfFreeJson } from "./metadata.ts";
import { type ChangedMembers, stepOf } from "./next-version.ts";
import type { DomainRepresentation } from "./representation.ts";
import { allServicesOff } from "./services.ts";
import { readShape } from "./shape.ts";
import { materialChanges, verificationLoss } from "./verification-loss.ts";

export interface Update {
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly at: number;
  /** Fields that this deployment treats as material, in addition to the standard ones. */
  readonly materialFields: readonly string[];
}

/** The step, or undefined if the merged record equals the old one; or all faults of the patch. */
export async function updateDomain(
  before: DomainRecord,
  patch: JsonObject,
  update: Update,
): Promise<Result<DomainStep | undefined>> {
  if (before.status === "deactivated") return deactivated();
  const changed = readPatch(before, patch);
  if (!changed.ok) return failure(failureOfDetails(changed.error));
  const lifted = before.status === "suspended" && changed.value.status === "active";
  if (lifted && before.suspendedBy === "admin" && !isAdmin(update.actor)) {
    return refused(
      "suspended_by_admin",
      "An admin of the registry suspended this domain; only an admin can lift the suspension",
    );
  }
  return success(await changeStep(before, changed.value, update));
}

/** `metadata` is already checked. Unlike a patch, it replaces the whole. */
export async function replaceMetadata(
  before: DomainRecord,
  metadata: JsonObject,
  update: Update,
): Promise<Result<DomainStep | undefined>> {
  return before.status === "deactivated" ? deactivated() : success(await changeStep(before, { metadata }, update));
}

export function deactivated() {
  return refused("domain_deactivated", "The domain is permanently deactivated and cannot be changed");
}

/** One version step for the change and all its consequences. */
export async function changeStep(
  before: DomainRecord,
  given: ChangedMembers,
  { actor, at, materialFields }: Update,
): Promise<DomainStep | undefined> {
  const changed = { ...given, ...consequencesOf(before, given.status, actor, at) };
  const loss = verificationLoss(before, materialChanges(before, { ...before, ...changed }, materialFields), at);
  return stepOf({
    before,
    changed: { ...changed, ...loss?.changed },
    action: loss?.action ?? actionOf(before, changed),
    actor: actor.did,
    at,
    reason: loss?.reason,
  });
}

function consequencesOf(
  before: DomainRecord,
  status: DomainRecord["status"] | undefined,
  actor: Actor,
  at: number,
): ChangedMembers {
  if (status === undefined) return {};
  // An admin's suspension overrides a controller's suspension; otherwise the controller could lift it.
  if (status === before.status) return status === "suspended" && isAdmin(actor) ? { suspendedBy: "admin" } : {};
  if (status === "active") return { suspendedBy: null };
  return {
    suspendedBy: isAdmin(actor) ? "admin" : "controller",
    services: allServicesOff(before.services, at, "suspended"),
  };
}

function actionOf(before: DomainRecord, { status, suspendedBy }: ChangedMembers) {
  if (status === undefined) return "updated";
  if (status === before.status)
    return suspendedBy === undefined || suspendedBy === before.suspendedBy ? "updated" : "suspended";
  return status === "active" ? "reactivated" : "suspended";
}

function readPatch(before: DomainRecord, patch: JsonObject) {
  const { body, details } = withFirstNames(patch);
  const { id, type, metadata, ...members } = body;
  const merged = mergedMetadata(before.metadata, metadata);
  const sent = metadata === undefined ? members : { ...members, metadata: merged.value };
  const draft = readShape(updateMembers, sent);
  const early = [
    ...details,
    ...foreignMembers(patch),
    ...immutable("id", id, (value) => value === before.id),
    ...immutable("type", type, (value) => typeof value === "string" && typeKeyOf(value) === typeKeyOf(before.type)),
    ...merged.details,
    ...(draft.ok ? [] : draft.error),
  ];
  if (!draft.ok || early.length > 0) return failure(early);
  const changed = changedMembers(before, draft.value);
  const after = { ...before, ...changed };
  const whole = [
    ...detailsOfClass(after),
    ...detailsOfValidity(after),
    ...detailsOfDocument(after.document, before.id),
  ];
  return whole.length > 0 ? failure(whole) : success(changed);
}

/** Check the depth of the patch first, because merging recurses. */
function mergedMetadata(
  before: JsonObject,
  sent: unknown,
): { readonly value: unknown; readonly details: readonly FailureDetail[] } {
  if (sent === null) return { value: {}, details: [] };
  if (!isJsonObject(sent)) return { value: sent, details: [] };
  const details = detailsOfFreeJson(sent).map(({ reason, message, pointer = "" }) => ({
    reason,
    pointer: `/metadata${pointer}`,
    message: `metadata${pointer.slice(0, 100)} ${message}`,
  }));
  return { details, value: details.length > 0 ? {} : mergePatch(before, sent) };
}

function changedMembers(before: DomainRecord, draft: Draft): ChangedMembers {
  const { document, credentials, accounts, ...rest } = draft;
  return {
    ...(rest as Partial<Pick<DomainRecord, "class" | "controllers" | "metadata" | "status">>),
    ...(credentials === undefined ? {} : { credentials: credentials ?? [] }),
    ...(accounts === undefined ? {} : { accounts: accounts ?? [] }),
    ...(document === undefined
      ? {}
      : { document: mergeDocument(before.document, document ?? everyListEmpty(before), before.id) }),
  };
}

type Draft = ReturnType<typeof updateMembers.parse>;

function everyListEmpty({ document }: DomainRecord) {
  return Object.fromEntries(Object.keys(document).map((list) => [list, null]));
}

function detailsOfClass({ id, class: protocol }: DomainRecord): readonly FailureDetail[] {
  if (didOf(protocol) !== id) return [];
  return [{ pointer: "/class", reason: "class_cycle", message: "class must not be the domain itself" }];
}

function immutable(name: string, value: unknown, isSame: (value: unknown) => boolean): readonly FailureDetail[] {
  if (value === undefined || isSame(value)) return [];
  return [{ pointer: `/${name}`, reason: "immutable_field", message: `${name} cannot be changed` }];
}

const settable = new Set([...Object.keys(updateMembers.shape), "id", "type", "protocol", "controller"]);

function foreignMembers(patch: JsonObject): readonly FailureDetail[] {
  const { document } = patch;
  const foreign = Object.keys(patch).filter((name) => !settable.has(name));
  return [
    ...foreign.map((name): FailureDetail => {
      const place = { pointer: `/${escapeToken(name)}` };
      const spoken = name.slice(0, 100);
      return readOnlyNames.has(name)
        ? { ...place, reason: "read_only_field", message: `${spoken} is read-only` }
        : { ...place, reason: "unknown_field", message: `${spoken} is not known here` };
    }),
    ...(isJsonObject(document) ? unknownDocumentMembers(document) : []),
  ];
}

/** The members of a response that a client cannot send. */
const readOnlyNames: ReadonlySet<string> = new Set([
  "name",
  "owner",
  "verificationStatus",
  "entityVerified",
  "verifiedAt",
  "verifiedVersion",
  "changedSinceVerification",
  "suspendedBy",
  "openProposalId",
  "services",
  "version",
  "versionId",
  "createdAt",
  "updatedAt",
] satisfies (keyof DomainRepresentation)[]);

export interface Actor {
  readonly did: string;
  readonly scopes: readonly Scope[];
}

export function mayUpdate(actor: Actor, { controllers }: Pick<DomainRecord, "controllers">): boolean {
  return isAdmin(actor) || controllers.includes(actor.did);
}

function isAdmin({ scopes }: Pick<Actor, "scopes">): boolean {
  return holds(scopes, "registry:admin");
}
