/** The oracle's DID document (contract/oracle.md section 1): its key, and where its service answers. Public. */
import { Hono } from "hono";
import { newFailure } from "../../platform/failure.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type OracleHono } from "../context.ts";
import { publicSecurity, refusals } from "../description.ts";
import { didDocument } from "../../../protocol/records.ts";

export const didDocumentRoutes = new Hono<OracleHono>();

export const readDidDocument: Operation = {
  method: "get",
  path: "/.well-known/did.json",
  id: "readDidDocument",
  summary: "Read the oracle's DID document",
  tag: "Oracle",
  security: publicSecurity,
  responses: {
    200: {
      description: "The document",
      content: { schema: didDocument },
    },
    ...refusals({ 404: "This oracle has no signing key" }),
  },
};

didDocumentRoutes.get(readDidDocument.path, (c) => {
  const { config, identity } = c.var.runtime;
  if (identity.signer === undefined) {
    return refuse(c, newFailure("not_found", "This oracle has no signing key"));
  }
  const origin = new URL(config.PUBLIC_URL ?? c.req.url).origin;
  return c.json(documentOf(identity.did, identity.signer.publicKeyMultibase, origin));
});

/** One Ed25519 key, `z…` multibase, and two services at the same origin. */
function documentOf(did: string, publicKeyMultibase: string, origin: string): JsonObject {
  const key = `${did}#${publicKeyMultibase}`;
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/ed25519-2020/v1"],
    id: did,
    verificationMethod: [{ id: key, type: "Ed25519VerificationKey2020", controller: did, publicKeyMultibase }],
    assertionMethod: [key],
    service: [
      { id: `${did}#api`, type: "oracleService", serviceEndpoint: origin },
      { id: `${did}#ws`, type: "wsService", serviceEndpoint: origin },
    ],
  };
}
