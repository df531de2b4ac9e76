/**
 * The two messages that a user signs for an oracle: the grant to submit claims for its work, and the payment of a
 * claim. Loaded with the first message.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** A message in the form that wallets sign. */
export interface ChainMessage {
  readonly typeUrl: "/cosmos.authz.v1beta1.MsgExec";
  readonly value: {
    readonly grantee: string;
    readonly msgs: readonly { readonly typeUrl: string; readonly value: Uint8Array }[];
  };
}

export interface ClaimGrant {
  readonly userAddress: string;
  /** The account of the entity that owns the user's claims. */
  readonly adminAddress: string;
  readonly oracleAddress: string;
  readonly collectionId: string;
  /** The number of claims that the oracle may submit. */
  readonly agentQuota: number;
  /** The maximum amount of one claim. Amounts are whole numbers as text. */
  readonly maxAmount: readonly { readonly amount: string; readonly denom: string }[];
}

export interface ClaimPayment {
  readonly userAddress: string;
  readonly adminAddress: string;
  readonly collectionId: string;
  readonly claimId: string;
}

/** Seconds that the chain holds the money for an announced claim: three hours. */
const INTENT_SECONDS = 3 * 60 * 60;

/** `CreateClaimAuthorizationType.SUBMIT`. */
const SUBMIT = 1;
/** `EvaluationStatus.APPROVED`. */
const APPROVED = 1;
/** The chain requires a reason. Existing clients send this one. */
const REASON = 1;
/** The chain requires a proof, but a paying user has none. Existing clients send this text. */
const PROOF = "cid of verificationProof";

/** `ixo.claims.v1beta1.MsgCreateClaimAuthorization`, executed on behalf of `adminAddress`. */
export function grantMessage(grant: ClaimGrant): ChainMessage {
  const { userAddress, adminAddress, oracleAddress, collectionId, agentQuota, maxAmount } = grant;
  const message = new BinaryWriter();
  text(message, 1, userAddress);
  text(message, 2, didOf(userAddress));
  text(message, 3, oracleAddress);
  text(message, 4, adminAddress);
  text(message, 5, collectionId);
  whole(message, 6, SUBMIT);
  whole(message, 7, agentQuota);
  for (const { denom, amount } of maxAmount)
    inner(message, 8, (coin) => {
      text(coin, 1, denom);
      text(coin, 2, amount);
    });
  inner(message, 11, (duration) => whole(duration, 1, INTENT_SECONDS));
  return executed(userAddress, "/ixo.claims.v1beta1.MsgCreateClaimAuthorization", message);
}

/** `ixo.claims.v1beta1.MsgEvaluateClaim` that approves the claim, executed on behalf of `adminAddress`. */
export function paymentMessage({ userAddress, adminAddress, collectionId, claimId }: ClaimPayment): ChainMessage {
  const message = new BinaryWriter();
  text(message, 1, claimId);
  text(message, 2, collectionId);
  text(message, 3, didOf(userAddress));
  text(message, 4, didOf(userAddress));
  text(message, 5, userAddress);
  text(message, 6, adminAddress);
  whole(message, 7, APPROVED);
  whole(message, 8, REASON);
  text(message, 9, PROOF);
  return executed(userAddress, "/ixo.claims.v1beta1.MsgEvaluateClaim", message);
}

function executed(grantee: string, typeUrl: string, message: BinaryWriter): ChainMessage {
  const value = message.finish();
  return { typeUrl: "/cosmos.authz.v1beta1.MsgExec", value: { grantee, msgs: [{ typeUrl, value }] } };
}

function didOf(address: string): string {
  return `did:ixo:${address}`;
}

/** Like every field of proto3, omitted if it has the default value. */
function text(message: BinaryWriter, field: number, value: string): void {
  if (value !== "") message.tag(field, WireType.LengthDelimited).string(value);
}

/** Throws if the value is not a whole number of at least 0, because it would be signed as another number. */
function whole(message: BinaryWriter, field: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a whole number of at least 0`);
  if (value !== 0) message.tag(field, WireType.Varint).uint64(value);
}

/** A nested message, which is written even if it is empty. */
function inner(message: BinaryWriter, field: number, write: (inner: BinaryWriter) => void): void {
  message.tag(field, WireType.LengthDelimited).fork();
  write(message);
  message.join();
}
