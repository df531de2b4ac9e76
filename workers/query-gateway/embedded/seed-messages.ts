/**
 * A seed as messages, read once by the descriptors of what it holds, so that a wrong one is a fault of configuration and not
 * of a request (contract D, section 8).
 */
import { fromJson, type DescMessage, type FileRegistry, type JsonValue, type Message } from "@bufbuild/protobuf";
import { failure, success, type Result } from "../../platform/result.ts";
import type { Fields } from "./handler.ts";
import type { Seed } from "./seed.ts";

/** Member of the seed to the message that it holds, or to a list of such. */
const members = {
  entityParams: "ixo.entity.v1beta1.Params",
  tokenParams: "ixo.token.v1beta1.Params",
  claimsParams: "ixo.claims.v1beta1.Params",
  collections: "ixo.claims.v1beta1.Collection",
  claims: "ixo.claims.v1beta1.Claim",
  disputes: "ixo.claims.v1beta1.Dispute",
  intents: "ixo.claims.v1beta1.Intent",
  tokens: "ixo.token.v1beta1.Token",
} as const;
type Member = keyof typeof members;

export type Held = Message & Fields;

export type SeedMessages = Readonly<Record<Member, readonly Held[]>> & {
  /** By id, which the message itself has not. */
  readonly tokenMetadata: ReadonlyMap<string, Held>;
};

/** The seed as messages, or what is wrong with it. A set without the type of a member leaves the member empty. */
export function readSeed(seed: Seed, registry: FileRegistry): Result<SeedMessages, string> {
  const held = new Map(Object.entries(seed));
  const unknown = [...held.keys()].find((name) => name !== "tokenMetadata" && !Object.hasOwn(members, name));
  if (unknown !== undefined) return failure(`the seed has no member ${unknown}`);
  const read = (name: Member): readonly Held[] => {
    const type = registry.getMessage(members[name]);
    return type === undefined ? [] : [held.get(name) ?? []].flat().map((json) => messageOf(type, json as JsonValue));
  };
  try {
    return success({
      entityParams: read("entityParams"),
      tokenParams: read("tokenParams"),
      claimsParams: read("claimsParams"),
      collections: read("collections"),
      claims: read("claims"),
      disputes: read("disputes"),
      intents: read("intents"),
      tokens: read("tokens"),
      tokenMetadata: readTokenMetadata(held.get("tokenMetadata"), registry),
    });
  } catch (error) {
    return failure(error instanceof Error ? error.message : "the seed is wrong");
  }
}

function readTokenMetadata(value: Seed[string] = [], registry: FileRegistry): ReadonlyMap<string, Held> {
  const type = registry.getMessage("ixo.token.v1beta1.QueryTokenMetadataResponse");
  if (type === undefined) return new Map();
  return new Map([value].flat().map(({ id, ...rest }) => [idOf(id), messageOf(type, rest as JsonValue)]));
}

function idOf(id: unknown): string {
  if (typeof id !== "string") throw new Error("each of tokenMetadata needs an id");
  return id;
}

function messageOf(type: DescMessage, json: JsonValue): Held {
  return fromJson(type, json) as Held;
}
