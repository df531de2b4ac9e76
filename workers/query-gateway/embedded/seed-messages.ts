/**
 * A seed as messages, read by the descriptors of what it holds. A wrong one must be a fault of configuration and not of a
 * request, so that an operator's own is looked at as a whole (contract D, section 8).
 */
import { fromJson, type DescMessage, type Registry, type JsonValue, type Message } from "@bufbuild/protobuf";
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

/** Each member is read when it is first asked for. A set without the type of a member leaves the member empty. */
export function seedMessages(seed: Seed, registry: Registry): SeedMessages {
  const held = new Map(Object.entries(seed));
  const known = new Map<Member, readonly Held[]>();
  const read = (name: Member): readonly Held[] => {
    const type = known.has(name) ? undefined : registry.getMessage(members[name]);
    const list = type ? [held.get(name) ?? []].flat().map((json) => messageOf(type, json as JsonValue)) : [];
    const messages = known.get(name) ?? list;
    known.set(name, messages);
    return messages;
  };
  let tokenMetadata: ReadonlyMap<string, Held> | undefined;
  return {
    get entityParams() {
      return read("entityParams");
    },
    get tokenParams() {
      return read("tokenParams");
    },
    get claimsParams() {
      return read("claimsParams");
    },
    get collections() {
      return read("collections");
    },
    get claims() {
      return read("claims");
    },
    get disputes() {
      return read("disputes");
    },
    get intents() {
      return read("intents");
    },
    get tokens() {
      return read("tokens");
    },
    get tokenMetadata() {
      return (tokenMetadata ??= readTokenMetadata(held.get("tokenMetadata"), registry));
    },
  };
}

/** What is wrong with a seed, if anything is: reads all of it. */
export function seedProblem(seed: Seed, registry: Registry): string | undefined {
  const unknown = Object.keys(seed).find((name) => name !== "tokenMetadata" && !Object.hasOwn(members, name));
  if (unknown !== undefined) return `the seed has no member ${unknown}`;
  try {
    Object.values(seedMessages(seed, registry));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "the seed is wrong";
  }
}

function readTokenMetadata(value: Seed[string] = [], registry: Registry): ReadonlyMap<string, Held> {
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
