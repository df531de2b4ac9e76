/** Public facts of this oracle: its models and its DID document. */
import { didDocument, FRONTEND_TOOLS, modelList } from "../../../protocol/records.ts";
import { fail, newFailure } from "../../../platform/failure.ts";
import { reply } from "../../../platform/http/route.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { open } from "../http/authentication.ts";
import { route } from "../http/route.ts";

const tag = "Oracle";

const listModels = route(
  {
    method: "get",
    path: "/models",
    id: "listModels",
    summary: "List the models and the default model",
    description: "`frontendTools` says how the oracle calls tools in the browser.",
    tag,
    auth: open,
    responses: { 200: { description: "The models", content: { schema: modelList } } },
  },
  ({ runtime }) => {
    const { rows, defaultModelId } = runtime.config.models;
    return reply({ models: rows, default: defaultModelId, frontendTools: FRONTEND_TOOLS });
  },
);

const NO_KEY = "This oracle has no signing key";

const readDidDocument = route(
  {
    method: "get",
    path: "/.well-known/did.json",
    id: "readDidDocument",
    summary: "Get the oracle's DID document",
    tag,
    auth: open,
    responses: { 200: { description: "The document", content: { schema: didDocument } } },
    failures: [newFailure("not_found", NO_KEY)],
  },
  ({ runtime: { config, identity } }, c) => {
    const { did, signer } = identity;
    if (signer === undefined) return fail("not_found", NO_KEY);
    return reply(documentOf(did, signer.publicKeyMultibase, new URL(config.PUBLIC_URL ?? c.req.url).origin));
  },
);

/** One Ed25519 key, `z…` multibase, and two services at this origin. */
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

export const aboutRoutes = [listModels, readDidDocument];
