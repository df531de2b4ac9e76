/** All mock servers that tests, the tour and `npm run peers` can start, in one list. */
import { startClaimsReceiver } from "../../test/support/peers/claims-receiver.ts";
import { startMediaServer } from "../../test/support/peers/media-server.ts";
import { startHomeserver, type HomeserverPeer } from "../../test/support/peers/homeserver.ts";
import { startMcpPeer } from "../../test/support/peers/mcp-servers.ts";
import { startSignInServer } from "../../test/support/peers/sign-in-server.ts";
import type { Peer } from "../../test/support/peers/peer.ts";
import { startSlackApi } from "../../test/support/peers/slack-api.ts";
import { startSubscriptionService } from "../../test/support/peers/subscription-service.ts";

/** The peers by the names that `--only` takes. Each starts on a free port. */
export const peerStarters = {
  media: () => startMediaServer(),
  homeserver: async () => homeserverOfUsers(await startHomeserver()),
  slack: () => startSlackApi(),
  "mcp-new": () => startMcpPeer(),
  "mcp-old": () => startMcpPeer({ era: "old" }),
  "mcp-sign-in": () => startSignInServer(),
  subscriptions: () => startSubscriptionService(),
  claims: () => startClaimsReceiver(),
} satisfies Readonly<Record<string, () => Promise<Peer>>>;

/** The oracle has an account at only one homeserver, the media server; this one authenticates its users. */
function homeserverOfUsers(peer: HomeserverPeer): HomeserverPeer {
  return { ...peer, variables: { CALLS_HOMESERVERS: peer.variables["CALLS_HOMESERVERS"] ?? "" } };
}

type Starters = typeof peerStarters;

/** The peers by their names, each with its specific members. */
export type StartedPeers = { readonly [name in keyof Starters]: Awaited<ReturnType<Starters[name]>> };

/** Starts the servers with these names; if one fails, the others are stopped. */
export async function startPeers(names: readonly string[] = Object.keys(peerStarters)): Promise<StartedPeers> {
  const started: [string, Peer][] = [];
  try {
    for (const [name, start] of Object.entries<() => Promise<Peer>>(peerStarters))
      if (names.includes(name)) started.push([name, await start()]);
  } catch (thrown) {
    await stopPeers(Object.fromEntries(started));
    throw thrown;
  }
  return Object.fromEntries(started) as StartedPeers;
}

export async function stopPeers(peers: Readonly<Record<string, Peer>>): Promise<void> {
  await Promise.all(Object.values(peers).map((peer) => peer.stop()));
}
