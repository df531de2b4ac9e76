import { expect, test, describe } from "vitest";
import { edgeOverObjects } from "../../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf } from "../../../test/support/oracle/oracle-edge.ts";

test("the models' list has its default, and how tools in the browser are called [OR-6, OR-184, OR-583]", async () => {
  const { edge } = await edgeOverObjects();
  expect(await jsonOf(await edge.call("GET", "/models"))).toMatchObject({
    models: [{ id: "local", family: "local", isDefault: true }],
    default: "local",
    frontendTools: { protocolVersion: 2, execution: "single-socket", timeoutOutcome: "unknown" },
  });
});

describe("the DID document", () => {
  test("names the key and the services at the request's own origin [OR-7]", async () => {
    const { edge } = await edgeOverObjects();
    const document = await jsonOf(await edge.call("GET", "/.well-known/did.json"));
    const key = edge.oracleDid.slice("did:key:".length);
    expect(document).toEqual({
      "@context": expect.any(Array),
      id: edge.oracleDid,
      verificationMethod: [
        {
          id: `${edge.oracleDid}#${key}`,
          type: "Ed25519VerificationKey2020",
          controller: edge.oracleDid,
          publicKeyMultibase: key,
        },
      ],
      assertionMethod: [`${edge.oracleDid}#${key}`],
      service: [
        { id: `${edge.oracleDid}#api`, type: "oracleService", serviceEndpoint: "https://oracle.test" },
        { id: `${edge.oracleDid}#ws`, type: "wsService", serviceEndpoint: "https://oracle.test" },
      ],
    });
  });

  test("PUBLIC_URL replaces the origin; without a key there is no document [OR-7]", async () => {
    const { edge } = await edgeOverObjects({ PUBLIC_URL: "https://public.test/" });
    expect(await jsonOf(await edge.call("GET", "/.well-known/did.json"))).toMatchObject({
      service: [{ serviceEndpoint: "https://public.test" }, { serviceEndpoint: "https://public.test" }],
    });
    const keyless = await edgeOverObjects({ ORACLE_SIGNING_SEED: "", ORACLE_DID: "did:ixo:ixo1oracle" });
    expect((await keyless.edge.call("GET", "/.well-known/did.json")).status).toBe(404);
  });
});
