/** Refusals that several parts share, so that one fault is told in one sentence (contract/registry.md sections 9 and 10). */
import { refused } from "./problem.ts";

export function unknownDomain() {
  return refused("not_found", "There is no such domain");
}

export function unknownProposal() {
  return refused("not_found", "There is no such proposal");
}

export function notController() {
  return refused("not_controller", "Only its controllers and admins of the registry may change this domain");
}

export function notProposer() {
  return refused("not_proposer", "Only its proposer or an admin can withdraw a proposal");
}

/** After a few rereads somebody else was faster each time. */
export function writeContention() {
  return refused("write_contention", "Others are writing the same domain; try again");
}

const CHALLENGE = 'Bearer realm="registry"';

export function unauthenticated(detail = "Send an API key: Authorization: Bearer <API key>") {
  return refused("unauthenticated", detail, { headers: { "WWW-Authenticate": CHALLENGE } });
}

/** One message for every reason: whoever tries keys shall learn nothing. */
export function invalidToken(detail = "The key is not valid here") {
  return refused("invalid_token", detail, {
    headers: { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` },
  });
}

export function insufficientScope(scope: string) {
  return refused("insufficient_scope", `The key needs the scope ${scope}`, {
    headers: { "WWW-Authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  });
}
