/**
 * The services around an oracle: the chain's GraphQL, Matrix homeservers, the rooms bot and the service that signs
 * tokens for calls. The application's settings come first, then the variables of its build, then the defaults of the
 * three networks.
 */

import { buildVariable, indexUrl, namedNetwork, networkName, type NetworkName } from "../core/chain-network.ts";

/** The addresses of the services. Each has a default. */
export interface NetworkSettings {
  /** Default: `NEXT_PUBLIC_CHAIN_NETWORK`, or else `devnet`. */
  readonly name?: NetworkName;
  /** The chain's GraphQL API. Default: `NEXT_PUBLIC_GRAPHQL_URL`, or else the network's API. */
  readonly graphqlUrl?: string;
  /** A domain registry that knows the addresses of oracles. It takes precedence over the chain. */
  readonly registryUrl?: string;
  /** The address of the user's homeserver. Default: `wallet.matrix.homeServer`. */
  readonly homeServerUrl?: string;
  /** The bot that creates rooms. Default: `https://rooms.bot.<the user's homeserver>`. */
  readonly roomsBotUrl?: string;
  /**
   * The complete address of the service that signs tokens for calls, instead of the oracle. Default:
   * `NEXT_PUBLIC_JWT_SERVER`.
   */
  readonly jwtServiceUrl?: string;
}

export interface Network {
  readonly graphqlUrl: string;
  /** For users without a recorded homeserver. */
  readonly defaultHomeServerUrl: string;
  /** Set by the application or its build. It replaces the oracle's own service. */
  readonly jwtServiceUrl: string | undefined;
  /** Signs a call's token if the oracle does not; undefined unless the application or its build names the network. */
  readonly defaultJwtServiceUrl: string | undefined;
  readonly homeServerUrl: string | undefined;
  readonly roomsBotUrl: string | undefined;
}

const MATRIX_DOMAINS: Readonly<Record<NetworkName, string>> = {
  devnet: "devmx.ixo.earth",
  testnet: "testmx.ixo.earth",
  mainnet: "mx.ixo.earth",
};

/** Bundlers replace it (core/chain-network.ts). */
declare const process: { readonly env: { readonly NEXT_PUBLIC_JWT_SERVER?: string } };

/** Never throws: a page without these variables, and without `process`, gets the defaults. */
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
