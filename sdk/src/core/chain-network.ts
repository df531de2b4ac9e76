/** The chain networks: which one an application's build names, and where the index of its entities answers. */

/** A chain network. */
export type NetworkName = "devnet" | "testnet" | "mainnet";

const INDEXES: Readonly<Record<NetworkName, string>> = {
  devnet: "https://devnet-blocksync-graphql.ixo.earth/graphql",
  testnet: "https://testnet-blocksync-graphql.ixo.earth/graphql",
  mainnet: "https://blocksync-graphql.ixo.earth/graphql",
};

/** What a bundler writes in place of `process.env.NAME`; in a page there is no `process` itself. */
declare const process: {
  readonly env: Readonly<Partial<Record<"NEXT_PUBLIC_CHAIN_NETWORK" | "NEXT_PUBLIC_GRAPHQL_URL", string>>>;
};

/** The network that the build names; undefined when it names none, or one that is not known. */
export function namedNetwork(): NetworkName | undefined {
  const name = buildVariable(() => process.env.NEXT_PUBLIC_CHAIN_NETWORK);
  return name !== undefined && Object.hasOwn(INDEXES, name) ? (name as NetworkName) : undefined;
}

/** The same, with a default for what is public. */
export const networkName = (): NetworkName => namedNetwork() ?? "devnet";

/** The index: the one that the build names, else the network's. */
export function indexUrl(name: NetworkName = networkName()): string {
  return buildVariable(() => process.env.NEXT_PUBLIC_GRAPHQL_URL) ?? INDEXES[name];
}

/**
 * A variable of the application's build; undefined where there is no `process`, or the variable is empty. Each is named in full
 * where it is read, since bundlers look for that.
 */
export function buildVariable(read: () => string | undefined): string | undefined {
  try {
    const value = read();
    return value === "" ? undefined : value;
  } catch {
    return undefined;
  }
}
