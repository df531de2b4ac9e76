/** The user and their functions that sign, as an application passes them to the provider. */
import type { SignedToken } from "../core/tokens.ts";

/** The user's Matrix login. */
export interface IMatrixLoginProps {
  accessToken: string;
  /** Its URL, or only its host. */
  homeServer: string;
}

/** The signed-in user. */
export interface IWalletProps {
  /** The chain address, such as `ixo1...`. */
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

/** One message of a transaction, not encoded yet. */
export interface TransactionMessage {
  readonly typeUrl: string;
  readonly value: unknown;
}

/** The response of the chain, as CosmJS returns it. */
export interface TransactionResult {
  readonly height: number;
  readonly txIndex: number;
  /** 0 means that the transaction was executed. */
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

/** Signs and broadcasts a transaction; undefined if the user declined. */
export type TransactionFn = (
  messages: readonly TransactionMessage[],
  memo?: string,
) => Promise<TransactionResult | undefined>;
