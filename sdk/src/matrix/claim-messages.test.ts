import { create, createFileRegistry, fromBinary, toBinary, type DescMessage } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { grantMessage, paymentMessage } from "./claim-messages.ts";

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, ixoImage()));

function schemaOf(typeUrl: string): DescMessage {
  const schema = registry.getMessage(typeUrl.slice(1));
  if (schema === undefined) throw new Error(`The chain has no message ${typeUrl}`);
  return schema;
}

/** These members, encoded with the chain's own definitions. */
function encoded(typeUrl: string, members: Readonly<Record<string, unknown>>): Uint8Array {
  const schema = schemaOf(typeUrl);
  return toBinary(schema, create(schema, members as never));
}

const address = fc.stringMatching(/^[a-z0-9]{1,60}$/).map((text) => `ixo1${text}`);
const coins = fc.array(
  fc.record({
    amount: fc.bigInt({ min: 0n, max: 2n ** 128n }).map(String),
    denom: fc.stringMatching(/^[a-z/]{1,80}$/),
  }),
  { maxLength: 3 },
);

test("a grant is encoded as the chain's definitions encode it [SD-167]", () => {
  const grants = fc.record({
    userAddress: address,
    adminAddress: address,
    oracleAddress: address,
    collectionId: fc.string({ unit: "grapheme", maxLength: 200 }),
    agentQuota: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    maxAmount: coins,
  });
  fc.assert(
    fc.property(grants, (grant) => {
      const { typeUrl, value } = grantMessage(grant);
      const [message] = value.msgs;
      expect([typeUrl, value.grantee]).toEqual(["/cosmos.authz.v1beta1.MsgExec", grant.userAddress]);
      expect(message).toEqual({
        typeUrl: "/ixo.claims.v1beta1.MsgCreateClaimAuthorization",
        value: encoded("/ixo.claims.v1beta1.MsgCreateClaimAuthorization", {
          creatorAddress: grant.userAddress,
          creatorDid: `did:ixo:${grant.userAddress}`,
          granteeAddress: grant.oracleAddress,
          adminAddress: grant.adminAddress,
          collectionId: grant.collectionId,
          authType: 1,
          agentQuota: BigInt(grant.agentQuota),
          maxAmount: grant.maxAmount,
          intentDurationNs: { seconds: 10_800n, nanos: 0 },
        }),
      });
    }),
  );
});

test("a payment is encoded as the chain's definitions encode it [SD-167]", () => {
  const payments = fc.record({
    userAddress: address,
    adminAddress: address,
    collectionId: fc.string({ maxLength: 200 }),
    claimId: fc.string({ unit: "grapheme", maxLength: 200 }),
  });
  fc.assert(
    fc.property(payments, (payment) => {
      const { value } = paymentMessage(payment);
      expect(value.grantee).toBe(payment.userAddress);
      expect(value.msgs).toEqual([
        {
          typeUrl: "/ixo.claims.v1beta1.MsgEvaluateClaim",
          value: encoded("/ixo.claims.v1beta1.MsgEvaluateClaim", {
            claimId: payment.claimId,
            collectionId: payment.collectionId,
            oracle: `did:ixo:${payment.userAddress}`,
            agentDid: `did:ixo:${payment.userAddress}`,
            agentAddress: payment.userAddress,
            adminAddress: payment.adminAddress,
            status: 1,
            reason: 1,
            verificationProof: "cid of verificationProof",
          }),
        },
      ]);
    }),
  );
});

test("a quota that is not a whole number is refused instead of signed as another number [SD-167]", () => {
  const grant = { userAddress: "a", adminAddress: "b", oracleAddress: "c", collectionId: "1", maxAmount: [] };
  for (const agentQuota of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1])
    expect(() => grantMessage({ ...grant, agentQuota })).toThrow("is not a whole number of at least 0");
});
