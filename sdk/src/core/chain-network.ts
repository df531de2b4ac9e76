/** The chain networks: which one the application's build selects, and the address of its entity index. */

/** A chain network. */
export type NetworkName = "devnet" | "testnet" | "mainnet";

const INDEXES: Readonly<Record<NetworkName, string>> = {
  devnet: "https://devnet-blocksync-graphql.ixo.earth/graphql",
  testnet: "https://testnet-blocksync-graphql.ixo.earth/graphql",
  mainnet: "https://blocksync-graphql.ixo.earth/graphql",
};

/** A bundler replaces `process.env.NAME`. A page has no `process`. */
declare const process: {
  readonly env: Readonly<Partial<Record<"NEXT_PUBLIC_CHAIN_NETWORK" | "NEXT_PUBLIC_GRAPHQL_URL", string>>>;
};

/** The network that the build selects; undefined if it names none or an unknown one. */
export function namedNetwork(): NetworkName | undefined {
  const name = buildVariable(() => process.env.NEXT_PUBLIC_CHAIN_NETWORK);
  return name !== undefined && Object.hasOwn(INDEXES, name) ? (name as NetworkName) : undefined;
}

/** The network that the build selects, or else `devnet`. */
export const networkName = (): NetworkName => namedNetwork() ?? "devnet";

/** The index address from the build, or else the network's index. */
export function indexUrl(name: NetworkName = networkName()): string {
  return buildVariable(() => process.env.NEXT_PUBLIC_GRAPHQL_URL) ?? INDEXES[name];
}

/**
 * A variable of the application's build; undefined without `process`, or if the variable is empty. Write each
 * variable's full name where you read it, because bundlers search for that text.
 */
export function buildVariable(read: () => string | undefined): string | undefined {
  try {
    const value = read();
    return value === "" ? undefined : value;
  } catch {
    return undefined;
  }
}
