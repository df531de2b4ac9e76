/** A sign-in that needs the code of its last page: a link that is sent to somebody else grants nothing. */
import { afterEach, expect, test } from "vitest";
import { startOAuthServer, type OAuthServer } from "../../../test/support/peers/oauth-server.ts";
import { runtimeContext } from "../../../test/support/plugins/small-plugins.ts";
import { mcpServer, signIn, signInWorld, type SignInWorld } from "../../../test/support/plugins/sign-ins-in-node.ts";
import { CODE_TRIES, confirmTool } from "./oauth-confirmation.ts";
import { SIGN_IN_MS } from "./oauth-single-use.ts";

const ADA = "did:key:z6MkAdaAdaAdaAdaAdaAdaAdaAdaAdaAdaAdaAda";
const BEN = "did:key:z6MkBenBenBenBenBenBenBenBenBenBenBenBen";
const server = { ...mcpServer("calendar", "http://127.0.0.1:9/mcp"), confirmSignIn: true };
const running: OAuthServer[] = [];

afterEach(async () => {
  for (const peer of running.splice(0)) await peer.stop();
});

/** A visitor has opened Ada's link, continued and consented; the code of their last page. `now`: Unix milliseconds. */
async function waiting(now?: number) {
  const peer = await startOAuthServer({ readsDocuments: false });
  running.push(peer);
  const world = signInWorld([server]);
  world.clock.now = now ?? world.clock.now;
  const link = await world.linkFor(ADA, server, peer.resourceMetadataUrl(server.url));
  const page = await (await signIn(world, link, "ada")).text();
  const code = /<strong>(\d{4} \d{4})<\/strong>/.exec(page)?.[1] ?? "";
  return { world, page, code };
}

async function enter(world: SignInWorld, did: string, code: string): Promise<number> {
  const answer = await world.ask("/mcp/oauth/calendar/code", { method: "POST", did, body: JSON.stringify({ code }) });
  return answer.status;
}

const otherThan = (code: string): string => (code.startsWith("0") ? "1111 1111" : "0000 0000");

test("grants nothing until the link's user has typed the code [OR-610]", async () => {
  const { world, page, code } = await waiting();
  expect(page).toContain("Do not give it to another person");
  expect(page).not.toContain("You are signed in");
  expect(await world.tokenFor(ADA, server)).toEqual({ kind: "sign-in" });
  expect(await enter(world, BEN, code)).toBe(404);
  expect(await enter(world, ADA, otherThan(code))).toBe(422);
  expect(await enter(world, ADA, code.replace(" ", "-"))).toBe(200);
  expect(await world.tokenFor(ADA, server)).toMatchObject({ kind: "token" });
  expect(await world.tokenFor(BEN, server)).toEqual({ kind: "sign-in" });
  expect(await enter(world, ADA, code)).toBe(404);
  expect(world.lines.join("\n")).not.toContain(code);
});

test("ends the sign-in after three wrong codes, even concurrent ones [OR-610]", async () => {
  const { world, code } = await waiting();
  expect(CODE_TRIES).toBe(3);
  let wrong = 0;
  while (wrong < CODE_TRIES) {
    const statuses = await Promise.all(Array.from({ length: 10 }, () => enter(world, ADA, otherThan(code))));
    expect(new Set(statuses)).toEqual(new Set([404, 422]));
    wrong += statuses.filter((status) => status === 422).length;
  }
  expect(wrong).toBe(CODE_TRIES);
  expect(await enter(world, ADA, code)).toBe(404);
  expect(await world.tokenFor(ADA, server)).toEqual({ kind: "sign-in" });
});

test("accepts a code for ten minutes [OR-610]", async () => {
  const { world, code } = await waiting();
  world.clock.now += SIGN_IN_MS;
  expect(await enter(world, ADA, code)).toBe(404);
});

test("the model completes the sign-in with the typed code, except on a phone [OR-610]", async () => {
  // A turn uses the machine's clock.
  const { world, code } = await waiting(Date.now());
  const { sealing, oracleKv } = world.context;
  const own = { kv: world.kvOf(ADA), sealing, oracleKv, user: { ...runtimeContext().user, did: ADA } };
  const { session } = runtimeContext();
  const ctx = runtimeContext(own);
  const tool = await confirmTool(server, ctx);
  expect(tool.name).toBe("calendar__confirm_sign_in");
  const phone = runtimeContext({
    ...own,
    session: { ...session, capabilities: { ...session.capabilities, openLinks: false } },
  });
  const ofPhone = await confirmTool(server, phone);
  expect(await ofPhone.handler({ code }, phone)).toContain("Please use it from the web application");
  expect(await tool.handler({ code: otherThan(code) }, ctx)).toContain("That code does not match");
  expect(await tool.handler({ code: `It says ${code}.` }, ctx)).toContain("The user is signed in to calendar");
  expect(await tool.handler({ code }, ctx)).toContain("The user has to sign in again");
  expect(await world.tokenFor(ADA, server)).toMatchObject({ kind: "token" });
});
