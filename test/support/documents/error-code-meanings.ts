/**
 * When each service besides the oracle's core sends each of its error codes, and what the client should then do. The oracle's own
 * meanings are in protocol/error-codes.ts. The types keep these lists complete: a code that is added or removed in the source does
 * not compile until it is described here.
 */
import type { CodeMeaning } from "../../../protocol/error-codes.ts";
import type { ResolutionReason } from "../../../workers/registry/did-resolution/options.ts";
import type { RegistryReason } from "../../../workers/registry/failures.ts";
import type { RPC_ERROR } from "../../../workers/query-gateway/serve/json-rpc.ts";
import type { GRPC } from "../../../workers/query-gateway/upstream/upstream.ts";

export const registryMeanings: Readonly<Record<RegistryReason, CodeMeaning>> = {
  malformed_json: ["The body is not valid JSON.", "Correct the body at the position in `detail`."],
  validation_failed: ["Members of the request are invalid; `errors` lists them.", "Correct each listed member."],
  class_conflict: ["`class` and its older name `protocol` have different values.", "Send one of them."],
  unknown_field: ["The body has a member that does not exist.", "Remove the member or correct its name."],
  read_only_field: ["The body sets a member that the registry maintains.", "Remove the member."],
  immutable_field: ["The change affects a member that is fixed at creation.", "Leave the member unchanged."],
  class_cycle: ["A domain names itself as its class.", "Choose another class."],
  invalid_did: ["A value is not a DID of the expected form.", "Correct the DID."],
  invalid_cursor: ["The cursor is damaged or belongs to another query.", "Start the list again without a cursor."],
  invalid_page_size: ["The page size is out of range.", "Use a size within the documented range."],
  unknown_parameter: ["The query has a parameter that does not exist.", "Remove it or correct its name."],
  conflicting_credentials: ["The request carries two different keys.", "Send one key."],
  idempotency_not_supported: ["The route does not accept `Idempotency-Key`.", "Remove the header."],
  query_too_costly: ["The query would cost the database too much.", "Add an indexed filter or read smaller pages."],
  unauthenticated: ["The request has no key.", "Send an API key as bearer token."],
  invalid_token: ["The key is unknown, expired, revoked or of another environment.", "Use a valid key."],
  insufficient_scope: ["The key lacks a scope that the route needs.", "Ask the operator for a key with the scope."],
  role_not_allowed: [
    "The role of the staff session cannot call the route.",
    "Ask a person with a role that the message names.",
  ],
  not_controller: ["The key's DID does not control the domain.", "Use a controller's key."],
  not_in_electorate: ["The key's DID is not a voter of this proposal.", "Only voters of its roll can vote."],
  not_proposer: ["Only the proposer or an admin can withdraw a proposal.", "Ask the proposer."],
  suspended_by_admin: ["An admin suspended the domain.", "Ask an admin to reactivate it."],
  not_found: ["The record or path does not exist.", "Check the id or path."],
  method_not_allowed: ["The path does not support the method.", "Use a method listed in `Allow`."],
  not_acceptable: ["None of the media types in `Accept` is available.", "Accept a documented media type."],
  domain_deactivated: ["The domain is permanently deactivated.", "Create a new domain."],
  domain_not_active: ["The domain is not active.", "Activate it first."],
  domain_expired: ["The domain's `validUntil` has passed.", "Extend its validity first."],
  proposal_open: ["The domain already has an open proposal.", "Wait for its decision, or withdraw it."],
  already_verified: ["The domain is already verified.", "No action is needed."],
  not_verified: ["The domain is not verified.", "Verify it first."],
  no_eligible_voters: ["No voter can vote on this proposal.", "Add voters to the roll first."],
  voting_closed: ["The voting period is over.", "Read the decision."],
  proposal_closed: ["The proposal is decided or withdrawn.", "Read its outcome."],
  already_voted: ["The voter has voted, and votes cannot be changed.", "No action is needed."],
  not_eligible: [
    "Only an active, valid and verified domain can have a service.",
    "Meet the conditions in `errors` first.",
  ],
  key_not_rotatable: ["The key is revoked, expired or rotated already.", "Issue a new key."],
  write_contention: ["Other writers changed the record at the same time.", "Repeat the request."],
  version_mismatch: ["The record has a newer version than `If-Match`.", "Read it, apply the change again, and repeat."],
  body_too_large: ["The body exceeds the size limit.", "Send less, or several requests."],
  unsupported_media_type: ["The route does not read this `Content-Type`.", "Send a documented media type."],
  idempotency_mismatch: ["The `Idempotency-Key` was used for another request.", "Use a new key."],
  package_mismatch: ["The submitted package differs from the domain; `errors` lists where.", "Correct the package."],
  voter_cannot_vote: [
    "The DID has no key that can vote: none is issued, or its domain is missing.",
    "Issue the voter a key first.",
  ],
  precondition_required: ["The write lacks `If-Match`.", "Send the version that you changed as `If-Match`."],
  rate_limited: ["Too many requests, or too much work for the database.", "Repeat after `Retry-After`."],
  internal: ["A bug in the registry.", "Report it with the `requestId`."],
  unavailable: ["The database is unreachable or overloaded.", "Repeat after `Retry-After`."],
  quota_exceeded: [
    "A daily quota of bytes or proposals is used up.",
    "Repeat after `Retry-After`, which ends at 00:00 UTC.",
  ],
  storage_full: ["The database is full; reads still work.", "Tell the operator."],
};

export const resolutionMeanings: Readonly<Record<ResolutionReason, CodeMeaning>> = {
  INVALID_DID: ["The identifier is malformed or not a bare DID.", "Correct the DID."],
  INVALID_OPTIONS: ["A resolution option is unknown or invalid.", "Correct `versionId` or `versionTime`."],
  NOT_FOUND: ["The registry has no such DID or version.", "Check the DID and the version."],
  REPRESENTATION_NOT_SUPPORTED: [
    "None of the media types in `Accept` is available.",
    "Accept a documented media type.",
  ],
  METHOD_NOT_SUPPORTED: ["The registry does not resolve this DID method.", "Use another resolver."],
  FEATURE_NOT_SUPPORTED: ["The registry does not dereference DID URLs.", "Resolve the DID itself."],
};

export const grpcMeanings: Readonly<Record<Exclude<keyof typeof GRPC, "ok">, CodeMeaning>> = {
  cancelled: ["The caller disconnected.", "Repeat if the response is still needed."],
  unknown: [
    "A node failed without a specific code. Missing claims, tokens and bonds also have this code.",
    "Read the message.",
  ],
  invalidArgument: ["A path, parameter or body is invalid.", "Correct the part that the message names."],
  deadlineExceeded: ["The request timed out.", "Repeat, or raise `Grpc-Timeout` up to the limit."],
  notFound: ["The record or path does not exist.", "Check the id or path."],
  alreadyExists: ["The record already exists.", "Use the existing one."],
  permissionDenied: ["The key is wrong, or the path is closed for it.", "Use a key that can call the path."],
  resourceExhausted: ["A rate or size limit is exceeded.", "Repeat after `Retry-After`, or send less."],
  failedPrecondition: ["The node's state does not allow the call.", "Read the message."],
  aborted: ["The call conflicted with another one.", "Repeat the call."],
  outOfRange: ["A height or value is outside the existing range.", "Use a value within the range."],
  unimplemented: [
    "No node offers the method, it is disabled, or the HTTP method is wrong (405).",
    "Use another method.",
  ],
  internal: ["A bug, or a node's response exceeds the size limit.", "Report it with the `X-Request-Id`."],
  unavailable: ["No node can be reached, or a node's response is not gRPC.", "Repeat after `Retry-After`."],
  dataLoss: ["A node lost or damaged data.", "Use another node."],
  unauthenticated: ["The request has no key.", "Send a key as the chain profile's gate requires."],
};

export const jsonRpcMeanings: Readonly<Record<keyof typeof RPC_ERROR, CodeMeaning>> = {
  parse: ["The body is not valid JSON.", "Correct the body."],
  invalidRequest: ["The JSON is not a JSON-RPC request.", "Correct the request."],
  methodNotFound: ["The method does not exist.", "Use a documented method."],
  invalidParams: ["The parameters are invalid.", "Correct the parameters."],
  internal: ["No node can be reached, or a node failed.", "Repeat later."],
  tooMany: ["The rate limit is exceeded.", "Wait, then repeat."],
};

/** Codes that bundled plugins add to the oracle's: status, when, then. */
export const pluginMeanings: Readonly<Record<string, readonly [status: number, ...CodeMeaning]>> = {
  upload_limit: [409, "Too many uploaded files wait for a message.", "Send or delete one first."],
  wrong_code: [422, "The sign-in code does not match the code on the page.", "Enter the code that the page shows."],
};

/** Keyed by the numbers of Engine.IO. */
export const engineMeanings: readonly (readonly [code: number, status: number, ...CodeMeaning])[] = [
  [0, 400, "The transport is unknown.", "Use `polling` or `websocket`."],
  [1, 400, "The Engine.IO session is unknown or has ended.", "Connect again without `sid`."],
  [2, 400, "The handshake used a method other than GET.", "Start the handshake with GET."],
  [3, 400, "The request is invalid.", "Use a standard Socket.IO client."],
  [4, 503, "The session has too many connections.", "Close one, then connect again."],
  [5, 400, "The protocol version is not supported.", "Use Engine.IO 4 (Socket.IO 3 or newer)."],
];
