/**
 * The two messages that a user signs for an oracle: that it may submit claims for its work, and that a claim is paid. They are
 * encoded here by the few rules of Protocol Buffers that they need, so that no page loads a library for two messages.
 */

/** As wallets take messages to sign. */
export interface ChainMessage {
  readonly typeUrl: "/cosmos.authz.v1beta1.MsgExec";
  readonly value: {
    readonly grantee: string;
    readonly msgs: readonly { readonly typeUrl: string; readonly value: Uint8Array }[];
  };
}

export interface ClaimGrant {
  readonly userAddress: string;
  /** The account of the entity that has the user's claims. */
  readonly adminAddress: string;
  readonly oracleAddress: string;
  readonly collectionId: string;
  /** How many claims the oracle may submit. */
  readonly agentQuota: number;
  /** The most that one claim may ask for; amounts are whole numbers as text. */
  readonly maxAmount: readonly { readonly amount: string; readonly denom: string }[];
}

export interface ClaimPayment {
  readonly userAddress: string;
  readonly adminAddress: string;
  readonly collectionId: string;
  readonly claimId: string;
}

/** Seconds that the chain holds the money for a claim that is announced: three hours. */
const INTENT_SECONDS = 3 * 60 * 60;

/** `CreateClaimAuthorizationType.SUBMIT`. */
const SUBMIT = 1;
/** `EvaluationStatus.APPROVED`. */
const APPROVED = 1;
/** The chain asks for a reason; clients in the field give this one. */
const REASON = 1;
/** The chain asks for a proof, and a user who pays has none: clients in the field write this text. */
const PROOF = "cid of verificationProof";

/** `ixo.claims.v1beta1.MsgCreateClaimAuthorization`, executed in the name of `adminAddress`. */
export function grantMessage(grant: ClaimGrant): ChainMessage {
  const { userAddress, adminAddress, oracleAddress, collectionId, agentQuota, maxAmount } = grant;
  return executed(userAddress, "/ixo.claims.v1beta1.MsgCreateClaimAuthorization", [
    text(1, userAddress),
    text(2, didOf(userAddress)),
    text(3, oracleAddress),
    text(4, adminAddress),
    text(5, collectionId),
    whole(6, SUBMIT),
    whole(7, agentQuota),
    ...maxAmount.map(({ denom, amount }) => inner(8, [text(1, denom), text(2, amount)])),
    inner(11, [whole(1, INTENT_SECONDS)]),
  ]);
}

/** `ixo.claims.v1beta1.MsgEvaluateClaim` that approves the claim, executed in the name of `adminAddress`. */
export function paymentMessage({ userAddress, adminAddress, collectionId, claimId }: ClaimPayment): ChainMessage {
  return executed(userAddress, "/ixo.claims.v1beta1.MsgEvaluateClaim", [
    text(1, claimId),
    text(2, collectionId),
    text(3, didOf(userAddress)),
    text(4, didOf(userAddress)),
    text(5, userAddress),
    text(6, adminAddress),
    whole(7, APPROVED),
    whole(8, REASON),
    text(9, PROOF),
  ]);
}

function executed(grantee: string, typeUrl: string, fields: readonly (readonly number[])[]): ChainMessage {
  const value = new Uint8Array(fields.flat());
  return { typeUrl: "/cosmos.authz.v1beta1.MsgExec", value: { grantee, msgs: [{ typeUrl, value }] } };
}

function didOf(address: string): string {
  return `did:ixo:${address}`;
}

/** The wire types of Protocol Buffers that occur here. */
const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** As everything in proto3, left out when it has the default. */
function text(field: number, value: string): readonly number[] {
  return value === "" ? [] : delimited(field, [...new TextEncoder().encode(value)]);
}

function whole(field: number, value: number): readonly number[] {
  return value === 0 ? [] : [...varint(field * 8 + VARINT), ...varint(value)];
}

/** A message, which is written even when it is empty. */
function inner(field: number, fields: readonly (readonly number[])[]): readonly number[] {
  return delimited(field, fields.flat());
}

function delimited(field: number, bytes: readonly number[]): readonly number[] {
  return [...varint(field * 8 + LENGTH_DELIMITED), ...varint(bytes.length), ...bytes];
}

/** Throws for what is no whole number from 0 on, which would be signed as another one. */
function varint(value: number): readonly number[] {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a whole number from 0 on`);
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}
