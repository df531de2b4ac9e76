/** Who the user is and how they sign: what an application hands to the provider. */
import type { SignedToken } from "../core/tokens.ts";

/** Where the user is signed in at Matrix. */
export interface IMatrixLoginProps {
  accessToken: string;
  /** Its URL, or only its host. */
  homeServer: string;
}

/** The user who is signed in. */
export interface IWalletProps {
  /** On the chain, as `ixo1...`. */
  address: string;
  did: string;
  matrix: IMatrixLoginProps;
}

/** A signed UCAN as base64 of its CAR; `expiresAt` in milliseconds since 1970. */
export interface DelegationResult extends SignedToken {
  serialized: string;
  expiresAt: number;
}

/** Signs a delegation for the audience `oracleDid`. */
export type CreateDelegationFn = (oracleDid: string) => Promise<DelegationResult>;

/** A signed UCAN as base64 of its CAR; `expiresAt` in milliseconds since 1970. */
export interface InvocationResult extends SignedToken {
  serialized: string;
  expiresAt: number;
}

/** Signs an invocation for the audience `oracleDid`. */
export type CreateInvocationFn = (oracleDid: string) => Promise<InvocationResult>;

/** One message of a transaction, not yet encoded. */
export interface TransactionMessage {
  readonly typeUrl: string;
  readonly value: unknown;
}

/** What the chain answered, as CosmJS returns it. */
export interface TransactionResult {
  readonly height: number;
  readonly txIndex: number;
  /** 0: it was executed. */
  readonly code: number;
  readonly transactionHash: string;
  readonly events: readonly {
    readonly type: string;
    readonly attributes: readonly { readonly key: string; readonly value: string }[];
  }[];
  readonly rawLog?: string;
  readonly msgResponses: readonly { readonly typeUrl: string; readonly value: Uint8Array }[];
  readonly gasUsed: bigint;
  readonly gasWanted: bigint;
}

/** Signs and broadcasts a transaction; undefined when the user declined. */
export type TransactionFn = (
  messages: readonly TransactionMessage[],
  memo?: string,
) => Promise<TransactionResult | undefined>;
