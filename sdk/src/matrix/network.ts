/**
 * The services around an oracle: the chain's GraphQL, Matrix homeservers, the rooms bot and the service that signs tokens for calls.
 * What the application sets comes first, then the variables of its build, then what is known of the three networks.
 */

import { buildVariable, indexUrl, namedNetwork, networkName, type NetworkName } from "../core/chain-network.ts";

/** Where the services are; each has a default. */
export interface NetworkSettings {
  /** `NEXT_PUBLIC_CHAIN_NETWORK` by default, else `devnet`. */
  readonly name?: NetworkName;
  /** The chain's GraphQL API. `NEXT_PUBLIC_GRAPHQL_URL` by default, else the network's. */
  readonly graphqlUrl?: string;
  /** A domain registry that knows where oracles are; it is asked before the chain. */
  readonly registryUrl?: string;
  /** Where the user's homeserver answers; by default at `wallet.matrix.homeServer`. */
  readonly homeServerUrl?: string;
  /** The bot that makes rooms; by default `https://rooms.bot.<the user's homeserver>`. */
  readonly roomsBotUrl?: string;
  /** Signs tokens for calls, in place of the oracle: the whole address. `NEXT_PUBLIC_JWT_SERVER` by default. */
  readonly jwtServiceUrl?: string;
}

export interface Network {
  readonly graphqlUrl: string;
  /** Of who has no homeserver of their own on record. */
  readonly defaultHomeServerUrl: string;
  /** Set by the application or its build: asked in place of the oracle. */
  readonly jwtServiceUrl: string | undefined;
  /** Asked for a call's token when the oracle signs none; undefined unless the application or its build names the network. */
  readonly defaultJwtServiceUrl: string | undefined;
  readonly homeServerUrl: string | undefined;
  readonly roomsBotUrl: string | undefined;
}

const MATRIX_DOMAINS: Readonly<Record<NetworkName, string>> = {
  devnet: "devmx.ixo.earth",
  testnet: "testmx.ixo.earth",
  mainnet: "mx.ixo.earth",
};

/** As a bundler finds it (core/chain-network.ts). */
declare const process: { readonly env: { readonly NEXT_PUBLIC_JWT_SERVER?: string } };

/** Throws nowhere: a page without these variables, and without `process`, gets the defaults. */
export function networkOf(settings: NetworkSettings = {}): Network {
  const name = settings.name ?? networkName();
  const domain = MATRIX_DOMAINS[name];
  return {
    graphqlUrl: settings.graphqlUrl ?? indexUrl(name),
    defaultHomeServerUrl: `https://${domain}`,
    jwtServiceUrl: settings.jwtServiceUrl ?? buildVariable(() => process.env.NEXT_PUBLIC_JWT_SERVER),
    defaultJwtServiceUrl:
      (settings.name ?? namedNetwork()) === undefined ? undefined : `https://livekit-jwt.${domain}/sfu/get`,
    homeServerUrl: settings.homeServerUrl,
    roomsBotUrl: settings.roomsBotUrl,
  };
}
