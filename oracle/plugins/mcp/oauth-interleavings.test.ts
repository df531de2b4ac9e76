/** Property: whatever users do concurrently in their chats and browsers, no token of one user is ever used for another. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOAuthServer, type OAuthServer } from "../../../test/support/peers/oauth-server.ts";
import { browserIn, mcpServer, ORACLE, signInWorld } from "../../../test/support/plugins/sign-ins-in-node.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const USERS = ["ada", "ben", "cyn"];
const servers = [mcpServer("calendar", "http://127.0.0.1:9/calendar"), mcpServer("mail", "http://127.0.0.1:9/mail")];
const HOUR_MS = 3_600_000;

let peers: readonly OAuthServer[] = [];
beforeAll(async () => {
  // Two servers, which may share an authorization server.
  peers = [await startOAuthServer({ readsDocuments: false }), await startOAuthServer({ readsDocuments: false })];
});
afterAll(async () => {
  for (const peer of peers) await peer.stop();
});

const who = fc.nat({ max: USERS.length - 1 });
const which = fc.nat({ max: servers.length - 1 });
/** One of the values seen so far, by any user, newest first. */
const any = fc.nat({ max: 3 });
const step = fc.oneof(
  fc.record({ do: fc.constant("sign in" as const), user: who, server: which }),
  fc.record({ do: fc.constant("link" as const), user: who, server: which }),
  fc.record({ do: fc.constant("set out" as const), user: who, link: any }),
  fc.record({ do: fc.constant("consent" as const), user: who, address: any }),
  fc.record({ do: fc.constant("come back" as const), user: who, back: any }),
  fc.record({ do: fc.constant("forward" as const), user: who, server: which, to: who }),
  fc.record({ do: fc.constant("swap states" as const), one: any, other: any }),
  fc.record({ do: fc.constant("use" as const), user: who, server: which }),
  fc.record({ do: fc.constant("use twice" as const), user: who, server: which }),
  fc.record({ do: fc.constant("hours pass" as const) }),
  fc.record({ do: fc.constant("revoke" as const), user: who }),
  fc.record({ do: fc.constant("sign out" as const), user: who, server: which }),
);

test("no token of one user is used for another, or for another server [OR-310]", async () => {
  let used = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(which, { minLength: 2, maxLength: 2 }),
      async (steps, at) => {
        const world = signInWorld(servers);
        const browsers = USERS.map(() => browserIn(world));
        const links: { readonly of: number; readonly path: string }[] = [];
        const addresses: { readonly of: number; readonly at: string }[] = [];
        const backs: { readonly of: number; readonly by: number; readonly at: string }[] = [];
        const did = (user: number): string => `did:key:z${USERS[user]}`;
        const pick = <Item>(seen: readonly Item[], index: number): Item | undefined =>
          seen.at(-1 - (index % (seen.length || 1)));
        const peerOf = (server: number): OAuthServer | undefined => peers[at[server] ?? 0];

        async function link(user: number, server: number): Promise<void> {
          const [target, peer] = [servers[server], peerOf(server)];
          if (target === undefined || peer === undefined) return;
          const path = await world.linkFor(did(user), target, peer.resourceMetadataUrl(target.url));
          links.push({ of: user, path });
        }

        async function setOut(user: number, of: (typeof links)[number] | undefined): Promise<void> {
          // The page names the account: users do not continue with another user's.
          if (of?.of !== user) return;
          const at = await browsers[user]?.setOut(of.path);
          if (at !== undefined && at !== "") addresses.push({ of: user, at });
        }

        /** At any address: a link to an authorization server does not show who started. */
        async function consent(user: number, address: (typeof addresses)[number] | undefined): Promise<void> {
          const at = await browsers[user]?.consent(address?.at ?? "", USERS[user] ?? "").catch(() => undefined);
          if (at !== undefined && at !== "" && address !== undefined) backs.push({ of: address.of, by: user, at });
        }

        async function comeBack(user: number, back: (typeof backs)[number] | undefined): Promise<void> {
          // A user who hands their own code to another gives their account away, like a password.
          if (back === undefined || (back.of === user && back.by !== user)) return;
          await browsers[user]?.open(back.at);
        }

        async function use(user: number, server: number): Promise<void> {
          const target = servers[server] ?? mcpServer("none", ORACLE);
          const answer = await world.tokenFor(did(user), target);
          if (answer.kind !== "token") return;
          used += 1;
          const holder = peers.map((peer) => peer.holderOf(answer.token)).find((found) => found !== undefined);
          // Without a holder, it was revoked meanwhile.
          const { person, resource } = holder ?? { person: USERS[user], resource: target.url };
          expect({ person, resource }).toEqual({ person: USERS[user], resource: target.url });
        }

        for (const taken of steps) {
          switch (taken.do) {
            case "link":
              await link(taken.user, taken.server);
              break;
            case "set out":
              await setOut(taken.user, pick(links, taken.link));
              break;
            case "consent":
              await consent(taken.user, pick(addresses, taken.address));
              break;
            case "come back":
              await comeBack(taken.user, pick(backs, taken.back));
              break;
            case "sign in":
              await link(taken.user, taken.server);
              await setOut(taken.user, links.at(-1));
              await consent(taken.user, addresses.at(-1));
              await comeBack(taken.user, backs.at(-1));
              break;
            case "forward":
              // Starts alone, and sends another user the next address, past the page that names the account.
              await link(taken.user, taken.server);
              await setOut(taken.user, links.at(-1));
              await consent(taken.to, addresses.at(-1));
              await comeBack(taken.to, backs.at(-1));
              break;
            case "swap states": {
              const [one, other] = [pick(backs, taken.one), pick(backs, taken.other)];
              if (one === undefined || other === undefined) break;
              const crossed = new URL(one.at);
              crossed.searchParams.set("state", new URL(other.at).searchParams.get("state") ?? "");
              backs.push({ of: other.of, by: one.by, at: crossed.href });
              break;
            }
            case "use":
              await use(taken.user, taken.server);
              break;
            case "use twice":
              await Promise.all([use(taken.user, taken.server), use(taken.user, taken.server)]);
              break;
            case "hours pass":
              world.clock.now += HOUR_MS;
              break;
            case "revoke":
              for (const peer of peers) peer.revoke(USERS[taken.user] ?? "");
              break;
            case "sign out":
              await world.ask(`/mcp/oauth/${servers[taken.server]?.name}`, { method: "DELETE", did: did(taken.user) });
              break;
          }
        }
        for (const user of USERS.keys()) for (const server of servers.keys()) await use(user, server);
      },
    ),
    { numRuns },
  );
  expect(used).toBeGreaterThan(0);
});
