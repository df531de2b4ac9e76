/**
 * Changes the voter roll. It accepts only a DID that can vote: one that contains its key, a domain of this registry, or
 * the DID of an API key. A writer can replace a voter only after reading its current version.
 */
import type { Database } from "../../../platform/database/database.ts";
import { base58btc } from "multiformats/bases/base58";
import type { Failure } from "../../../platform/failure.ts";
import { failure, type Result, success } from "../../../platform/result.ts";
import { refused, registryFailure } from "../failures.ts";
import { commitCommand } from "../store/batch.ts";
import { readDomain } from "../store/domain-rows.ts";
import { hasKeyFor, type Speakers } from "../store/key-store.ts";
import {
  countVoters,
  putVoterStatements,
  readVoter,
  removeVoterStatements,
  type RollChange,
  type Voter,
} from "../store/voter-store.ts";

/** Maximum number of voters. Even if each has the maximum weight, products of the tally stay below 2^53. */
const VOTERS = 10_000;

export interface RollContext {
  readonly database: Database;
  readonly speakers: Speakers;
}

export interface VoterChange extends RollChange, Pick<Voter, "did" | "weight" | "label"> {
  /** Why the change must not apply to a voter with this tag. */
  readonly precondition: (voter: Voter) => Failure | undefined;
  /** Whether the writer expects the voter to exist. */
  readonly expectsVoter: boolean;
}

export interface ChangedVoter {
  readonly voter: Voter;
  /** Undefined if the voter is new. */
  readonly before: Voter | undefined;
  readonly isNew: boolean;
}

export async function putVoter(
  { database, speakers }: RollContext,
  { precondition, expectsVoter, actor, at, ...wanted }: VoterChange,
): Promise<Result<ChangedVoter>> {
  const { did, weight, label } = wanted;
  const written = await commitCommand<Pick<ChangedVoter, "isNew" | "before">>(database, async () => {
    const known = await readVoter(database, speakers, did);
    if (known === undefined && expectsVoter) return refused("version_mismatch", "The DID is not on the roll");
    const unmet = known === undefined ? undefined : precondition(known);
    if (unmet !== undefined) return failure(unmet);
    const reason = await reasonAgainst(database, speakers, did);
    if (reason !== undefined) return failure(reason);
    if (known?.weight === weight && known.label === label) return success({ isNew: false, before: known });
    if (known === undefined && (await countVoters(database)) >= VOTERS) {
      return refused("validation_failed", `The roll already has ${VOTERS} voters; remove one first`);
    }
    const statements = putVoterStatements(database, wanted, { version: known?.version, capacity: VOTERS, actor, at });
    return { statements, value: { isNew: known === undefined, before: known } };
  });
  if (!written.ok) return written;
  const voter = await readVoter(database, speakers, did);
  return voter === undefined ? unknownVoter() : success({ voter, ...written.value });
}

export interface VoterRemoval extends RollChange {
  /** Why the voter must not be removed in its current state. */
  readonly precondition: (voter: Voter) => Failure | undefined;
}

export function removeVoter(
  { database, speakers }: RollContext,
  did: string,
  { precondition, ...change }: VoterRemoval,
): Promise<Result<Voter>> {
  return commitCommand<Voter>(database, async () => {
    const known = await readVoter(database, speakers, did);
    if (known === undefined) return unknownVoter();
    const refusal = precondition(known);
    if (refusal !== undefined) return failure(refusal);
    return {
      statements: removeVoterStatements(database, did, { ...change, version: known.version }),
      value: known,
    };
  });
}

export function unknownVoter() {
  return refused("not_found", "Voter not found");
}

/** Why the DID could never vote. */
async function reasonAgainst(database: Database, speakers: Speakers, did: string): Promise<Failure | undefined> {
  if (did.startsWith("did:key:")) {
    return holdsKey(did) ? undefined : unable("This did:key does not decode to a public key; copy all of it");
  }
  if (did.startsWith("did:ixo:")) {
    const domain = await readDomain(database, did);
    if (domain !== undefined && domain.status !== "deactivated") return undefined;
    return unable(domain === undefined ? "No domain has this DID" : "The domain with this DID is deactivated");
  }
  if (await hasKeyFor(database, speakers, did)) return undefined;
  return unable("The registry cannot look up keys of this DID; issue an API key with verification:vote for it first");
}

function unable(message: string): Failure {
  return registryFailure("voter_cannot_vote", message);
}

/** Multicodec prefixes of the public keys that can sign, and the length of each key in bytes. */
const signingKeys: readonly (readonly [codec: readonly number[], bytes: number])[] = [
  [[0xed, 0x01], 32], // Ed25519
  [[0xe7, 0x01], 33], // secp256k1
  [[0x80, 0x24], 33], // P-256
  [[0x81, 0x24], 49], // P-384
  [[0x82, 0x24], 67], // P-521
  [[0xeb, 0x01], 96], // BLS12-381 G2
];

/** Whether a did:key decodes to a key of a known type. */
function holdsKey(did: string): boolean {
  let bytes: Uint8Array;
  try {
    bytes = base58btc.decode(did.slice("did:key:".length));
  } catch {
    return false;
  }
  return signingKeys.some(
    ([codec, length]) => bytes.length === codec.length + length && codec.every((byte, at) => bytes[at] === byte),
  );
}
