/** Contracting an oracle and paying its claims: first the rooms, then the messages that the user signs. */
import { readClaim, type ChainReader } from "./chain-records.ts";
import { grantMessage, paymentMessage, type ChainMessage } from "./claim-messages.ts";
import { memberOf } from "./json-request.ts";
import { joinRoom, type MatrixAccount } from "./matrix-rooms.ts";
import { oracleRoom, userSpaces, type RoomsBot } from "./rooms-bot.ts";

/** Signs messages and sends them to the chain. */
export type SignMessages = (messages: readonly ChainMessage[], memo?: string) => Promise<unknown>;

/**
 * Joins the user's main space, the spaces in it, and the user's room with the oracle. Creates the room if it does not
 * exist.
 */
export async function joinOracleRooms(
  account: MatrixAccount,
  bot: RoomsBot,
  userDid: string,
  oracleDid: string,
): Promise<void> {
  const [main, ...others] = await userSpaces(bot, userDid);
  if (main !== undefined) await joinRoom(account, main);
  await Promise.all(others.map((space) => joinRoom(account, space)));
  await joinRoom(account, await oracleRoom(bot, userDid, oracleDid));
}

export interface GrantParams {
  readonly userAddress: string;
  readonly adminAddress: string;
  readonly oracleAddress: string;
  readonly oracleName: string;
  readonly claimCollectionId: string;
  readonly agentQuota: number;
  /** A whole number of the chain's smallest unit. */
  readonly maxAmount: { readonly amount: number | string; readonly denom: string };
}

export async function grantClaims(params: GrantParams, sign: SignMessages): Promise<void> {
  const { claimCollectionId: collectionId, oracleName, maxAmount, ...accounts } = params;
  const amounts = [{ amount: wholeAmount(maxAmount.amount), denom: maxAmount.denom }];
  const message = grantMessage({ ...accounts, collectionId, maxAmount: amounts });
  await signed(sign, message, `Let ${oracleName} submit claims`);
}

export interface PaymentParams {
  readonly userAddress: string;
  readonly adminAddress: string;
  readonly claimCollectionId: string;
  readonly claimId: string;
}

/** Throws before the user signs anything if the claim belongs to another collection or has been evaluated. */
export async function payClaim(params: PaymentParams, chain: ChainReader, sign: SignMessages): Promise<void> {
  const { claimCollectionId: collectionId, claimId } = params;
  const claim = await readClaim(chain, claimId);
  if (claim.collectionId !== collectionId)
    throw new Error(`The claim ${claimId} is not in the collection ${collectionId}, so it is not paid`);
  if (claim.evaluation !== undefined)
    throw new Error(`The claim ${claimId} has been evaluated (${claim.evaluation}), so it is not paid`);
  await signed(sign, paymentMessage({ ...params, collectionId }), `Pay claim ${claimId}`);
}

/** Throws if the chain has refused the transaction. If the user declines to sign, this is not an error. */
async function signed(sign: SignMessages, message: ChainMessage, memo: string): Promise<void> {
  const result = await sign([message], memo);
  const code = memberOf(result, "code");
  if (typeof code !== "number" || code === 0) return;
  const log = memberOf(result, "rawLog");
  throw new Error(`The chain refused the transaction with code ${code}${typeof log === "string" ? `: ${log}` : ""}`);
}

/** Without an exponent, which JavaScript uses for large numbers. */
function wholeAmount(amount: number | string): string {
  try {
    const whole = BigInt(amount);
    if (whole >= 0n) return String(whole);
  } catch {
    // A fraction, or not a number.
  }
  throw new RangeError(`The maximum amount must be a whole number of at least 0, not ${amount}`);
}
