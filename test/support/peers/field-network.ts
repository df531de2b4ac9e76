/** An oracle's real-world environment, for tests of the SDK: a homeserver, the rooms bot, the chain's GraphQL API, and one user. */
import { startChain, type ChainPeer } from "./chain-graphql.ts";
import { startHomeserver, type HomeserverPeer } from "./homeserver.ts";
import { startRoomsBot, type RoomsBotPeer } from "./rooms-bot.ts";

export interface FieldNetwork {
  readonly homeserver: HomeserverPeer;
  readonly roomsBot: RoomsBotPeer;
  readonly chain: ChainPeer;
  /** The settings in the form that the provider accepts. */
  readonly settings: { readonly graphqlUrl: string; readonly homeServerUrl: string; readonly roomsBotUrl: string };
  /** A user with an account on the homeserver; each name is a separate user. */
  wallet(name?: string, did?: string): FieldWallet;
  /** Publishes an oracle whose account is `address`, with a price and an agent card, and the given values. */
  oracle(address?: string, did?: string): string;
  dispose(): Promise<void>;
}

export interface FieldWallet {
  readonly address: string;
  readonly did: string;
  readonly matrix: { readonly accessToken: string; readonly homeServer: string };
}

export async function startFieldNetwork(): Promise<FieldNetwork> {
  const homeserver = await startHomeserver();
  const chain = await startChain();
  const server = homeserver.serverName;
  const users = new Map<string, string>();
  const roomsBot = await startRoomsBot(homeserver, (did) => users.get(did) ?? `@nobody:${server}`);

  function publish(did: string, suffix: string, type: string, document: unknown): Record<string, string> {
    const media = `${did.replaceAll(":", "-")}${suffix.replace("#", "-")}`;
    homeserver.files.set(`${server}/${media}`, document);
    // An older homeserver's address, which only the user's own homeserver serves, and only to its users.
    const serviceEndpoint = `https://media.example/_matrix/media/v3/download/${server}/${media}`;
    return { id: `{id}${suffix}`, type, serviceEndpoint, proof: `proof of ${suffix}` };
  }

  return {
    homeserver,
    roomsBot,
    chain,
    settings: { graphqlUrl: chain.url, homeServerUrl: homeserver.url, roomsBotUrl: roomsBot.url },
    wallet(name = "ada", did = `did:ixo:ixo1${name}`) {
      const address = `ixo1${name}`;
      const accessToken = `syt_${name}_access_token`;
      const user = `@did-ixo-${address}:${server}`;
      homeserver.users.set(accessToken, user);
      users.set(did, user);
      return { address, did, matrix: { accessToken, homeServer: server } };
    },
    oracle(address = "ixo1oracle", did = `did:ixo:entity:${address}`) {
      const authz = {
        requiredPermissions: ["/ixo.claims.v1beta1.SubmitClaimAuthorization"],
        granteeAddress: address,
        oracleName: "Weather",
      };
      const prices = { price: 25, priceCurrency: "upay" };
      const card = {
        "@context": ["https://www.w3.org/ns/credentials/v2"],
        credentialSubject: {
          id: did,
          name: "Weather",
          services: [
            { id: "forecast", name: "Forecast", price: { amount: 1.5, currency: "PAY" }, deliverables: "A day" },
          ],
        },
      };
      chain.entities.set(did, {
        service: [{ id: "{id}#matrix", type: "MatrixHomeServer", serviceEndpoint: ` ${homeserver.serverName}/\r\n` }],
        linkedResource: [
          publish(did, "#orz", "AuthZ", authz),
          publish(did, "#fee", "Fee", {
            name: "A turn",
            description: "One answer",
            offers: { priceSpecification: prices },
          }),
          publish(did, "#acard", "agentCard", card),
        ],
      });
      return did;
    },
    async dispose() {
      await Promise.all([homeserver.stop(), chain.stop(), roomsBot.stop()]);
    },
  };
}
