/**
 * The hooks of Matrix, contracts and calls in a real browser, against the real Worker and mock servers of a homeserver, its rooms
 * bot, the chain and LiveKit's signalling. The media of a call ends in a second peer connection of the page, which sees what a
 * server would.
 */
import { PrivateKey, decrypt } from "eciesjs";
import { base58btc } from "multiformats/bases/base58";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import { startFieldNetwork, type FieldNetwork } from "../../support/peers/field-network.ts";
import { startLiveKit, type LiveKitPeer } from "../../support/peers/livekit-signalling.ts";
import type { PageUser } from "../../support/sdk/page-user.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";
import type { WatchedPage } from "../../support/sdk/watched-page.ts";

const WORKER = resolve(import.meta.dirname, "../../../node_modules/livekit-client/dist/livekit-client.e2ee.worker.js");
const FAKE_MICROPHONE = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];
const agentKey = new PrivateKey();
const roomAgentKey = "key-of-the-live-agent";

describe.runIf(hasBrowser)("Matrix, contracts and calls in a browser", () => {
  let network: FieldNetwork;
  let liveKit: LiveKitPeer;
  let pages: SdkPages;
  const started = disposeAfterTests();
  const opened: WatchedPage[] = [];

  beforeAll(async () => {
    network = started(await startFieldNetwork());
    liveKit = started(await startLiveKit());
    const { CALLS_HOMESERVERS = "" } = network.homeserver.variables;
    pages = started(
      await startSdkPages(
        // Without a Matrix account: these users have keys, and the names of their accounts do not contain their DIDs.
        { CALLS_HOMESERVERS, ...liveKit.variables, LIVE_AGENT_AUTH_API_KEY: roomAgentKey },
        { browserArgs: FAKE_MICROPHONE },
      ),
    );
    network.oracle("ixo1oracle", pages.oracleDid);
    network.chain.accounts.set("did:ixo:ixo1oracle", [
      { type: "Ed25519VerificationKey2018", publicKeyBase58: base58btc.baseEncode(new Uint8Array(32).fill(1)) },
      {
        type: "EcdsaSecp256k1VerificationKey2019",
        publicKeyBase58: base58btc.baseEncode(agentKey.publicKey.toBytes(true)),
      },
    ]);
  });

  afterEach(async () => {
    liveKit.media = undefined;
    liveKit.refuses = false;
    for (const page of opened.splice(0)) await page.close();
  });

  /** A user's page; `name` becomes their account. */
  async function open(name: string, worker: "there" | "missing" = "there") {
    const user = await pages.signUp();
    const wallet = network.wallet(name, user.did);
    const settings = {
      address: wallet.address,
      accessToken: wallet.matrix.accessToken,
      homeServer: wallet.matrix.homeServer,
      services: JSON.stringify(network.settings),
    };
    const context = await pages.browser.newContext();
    await context.route("**/e2ee-worker.js", (route) =>
      worker === "there"
        ? route.fulfill({ path: WORKER, contentType: "text/javascript" })
        : route.fulfill({ status: 404 }),
    );
    const watched = await pages.open("calls", user, { settings, context });
    opened.push(watched);
    const { page } = watched;
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ""}`));
    await page.getByRole("status").filter({ hasText: "sessionStarted" }).waitFor();
    return { ...watched, user, page, said, sent, sessionId: await user.newSession() };
  }

  /** Calls one of the hooks' functions, and returns its result or the message of its rejection. */
  function invoke(page: Page, path: string, ...args: unknown[]): Promise<unknown> {
    return page.evaluate(
      async ([names, given]) => {
        type Tree = { readonly [name: string]: Tree } & ((...args: unknown[]) => Promise<unknown>);
        const { hooks } = globalThis as unknown as { hooks: Tree };
        try {
          return await names.reduce<Tree>((tree, name) => tree[name] as Tree, hooks)(...given);
        } catch (error) {
          return { rejected: String(error) };
        }
      },
      [path.split("."), args] as const,
    );
  }

  const value = (page: Page, path: string) =>
    page.evaluate((names) => {
      const { hooks } = globalThis as unknown as { hooks: Record<string, unknown> };
      return names.reduce<unknown>((tree, name) => (tree as Record<string, unknown>)?.[name], hooks);
    }, path.split("."));

  const states = async (page: Page) => JSON.parse((await page.getByRole("status").textContent()) ?? "") as object;

  async function callsOf(user: PageUser, sessionId: string) {
    const response = await user.call("GET", `/calls/session/${sessionId}`);
    const { calls } = await response.json<{ calls: { callId: string; callStatus: string }[] }>();
    return calls;
  }

  const params = (user: PageUser, sessionId: string) => ({
    callType: "audio",
    sessionId,
    userDid: user.did,
    agentVoice: "Puck",
    language: "en",
  });

  test("an oracle is contracted, its room found, and the memory engine enabled once [SD-165] [SD-166] [SD-168] [SD-169]", async () => {
    const { page, faults } = await open("mona");
    await expect.poll(() => value(page, "contract.agentCard.oracleDid")).toBe(pages.oracleDid);
    await expect.poll(() => value(page, "contract.pricingList.0.amount")).toBe("25");
    await expect.poll(() => value(page, "memory.oracleRoomId")).toBeNull();
    expect(await invoke(page, "memory.enableMemoryEngine", "@memory:home.example")).toMatchObject({
      rejected: expect.stringContaining("contract the oracle first"),
    });

    expect(await invoke(page, "contract.contractOracle", {})).toBeUndefined();
    const roomId = [...network.homeserver.aliases.values()].at(-1);
    await expect.poll(() => value(page, "memory.oracleRoomId")).toBe(roomId);
    const signed = () => page.evaluate(() => (globalThis as unknown as PageHandle).signed);
    expect(await signed()).toEqual([
      { typeUrls: ["/cosmos.authz.v1beta1.MsgExec"], memo: "Let Weather submit claims" },
    ]);
    await expect.poll(() => value(page, "contract.isOracleInRoom")).toBe(false);
    await invoke(page, "contract.inviteOracle");
    await expect.poll(() => value(page, "contract.isOracleInRoom")).toBe(true);

    expect(await invoke(page, "memory.enableMemoryEngine", "@memory:home.example")).toBeUndefined();
    expect(await invoke(page, "memory.enableMemoryEngine", "@memory:home.example")).toBeUndefined();
    await expect
      .poll(() => value(page, "memory.members"))
      .toEqual(["@did-ixo-ixo1mona:home.example", "@did-ixo-ixo1oracle:home.example", "@memory:home.example"]);
    const room = network.homeserver.rooms.get(roomId ?? "");
    expect(room?.powerLevels.users).toEqual({ "@did-ixo-ixo1mona:home.example": 100, "@memory:home.example": 50 });

    network.chain.claims.set("claim-1", { collectionId: "138" });
    await invoke(page, "contract.payClaim");
    expect(await signed()).toHaveLength(2);
    network.chain.claims.set("claim-1", { collectionId: "138", evaluationByClaimId: { status: 1 } });
    expect(await invoke(page, "contract.payClaim")).toMatchObject({ rejected: expect.stringContaining("APPROVED") });
    expect(faults).toEqual([]);
  });

  test("a reload reuses the stored OpenID token, and storage contains no plain-text secret [SD-160] [SD-161]", async () => {
    const { page } = await open("olga");
    await expect.poll(() => value(page, "token.openIdToken.token_type")).toBe("Bearer");
    const token = String(await value(page, "token.openIdToken.access_token"));
    const storage = () => page.evaluate(() => (globalThis as unknown as PageHandle).stored());
    await expect.poll(storage).toContain("twinedge-openid:did:key:");
    expect(await storage()).not.toContain(token);
    await page.reload();
    await expect.poll(() => value(page, "token.openIdToken.access_token")).toBe(token);
  });

  test("a call is encrypted before it is connected, and its key never leaves the page unencrypted [SD-171] [SD-172] [SD-173] [SD-180]", async () => {
    const { page, user, sessionId, sent, said, faults } = await open("carla");
    await invoke(page, "contract.contractOracle", { useAuthz: false });
    connectMedia(liveKit, page);
    const before = liveKit.joined.length;
    const made = await page.evaluate(
      async (given) => {
        const { hooks } = globalThis as unknown as {
          hooks: { call: { callAgent(of: unknown): Promise<StartedCall> } };
        };
        type StartedCall = { callId: string; encryptionKey: string };
        const call = await hooks.call.callAgent(given);
        return { callId: call.callId, encryptionKey: call.encryptionKey, listed: JSON.stringify(call) };
      },
      params(user, sessionId),
    );
    expect(made.encryptionKey).toMatch(/^[0-9a-f]{64}$/);
    expect(made.listed).toBe(JSON.stringify({ callId: made.callId }));
    await expect
      .poll(() => states(page))
      .toMatchObject({ sessionViewVisible: true, isConnecting: false, room: "connected" });
    expect(liveKit.joined.slice(before)).toEqual([
      { room: made.callId, identity: "@did-ixo-ixo1carla:home.example:PORTAL" },
    ]);
    expect(await callsOf(user, sessionId)).toMatchObject([
      { callId: made.callId, callStatus: "active", agentVoice: "Puck", callType: "audio" },
    ]);

    // The agent decrypts the key that the oracle stores.
    const path = `/calls/${encodeURIComponent(made.callId)}/key`;
    const kept = await fetch(`${pages.server.url}${path}`, { headers: { "x-api-key": roomAgentKey } });
    const { encryptionKey } = await kept.json<{ encryptionKey: string }>();
    const opened = new TextDecoder().decode(decrypt(agentKey.secret, base58btc.baseDecode(encryptionKey)));
    expect(opened).toBe(made.encryptionKey);

    // Frames at the media server: each ends like an encrypted one, with the length of its nonce and the key's index.
    const frames = () => page.evaluate(() => (globalThis as unknown as PageHandle).media.frames());
    await expect.poll(async () => (await frames()).all).toBeGreaterThan(20);
    expect((await frames()).plain).toBe(0);

    await invoke(page, "call.endCall");
    await expect.poll(() => liveKit.connected()).toBe(0);
    expect(await callsOf(user, sessionId)).toMatchObject([{ callId: made.callId, callStatus: "ended" }]);
    await expect.poll(() => states(page)).toMatchObject({ sessionStarted: false, sessionViewVisible: false });
    await expect.poll(() => value(page, "call.room.state")).toBe("disconnected");

    const storage = await page.evaluate(() => (globalThis as unknown as PageHandle).stored());
    const everything = [...sent, ...said, storage, JSON.stringify(network.homeserver.sent)].join("\n");
    expect(everything).toContain(encodeURIComponent(made.callId));
    expect(everything).not.toContain(made.encryptionKey);
    // The browser itself names the address of a failed websocket, here LiveKit's newer path.
    expect(said.filter((text) => !text.startsWith("WebSocket connection to")).join("\n")).not.toContain("eyJ");
    // LiveKit's own messages about its server name the room.
    expect(faults.filter((text) => !text.includes(" {room: "))).toEqual([]);
  });

  test("a call that the media server refuses has ended everywhere, and the next one works [SD-174]", async () => {
    const { page, user, sessionId } = await open("dora");
    await invoke(page, "contract.contractOracle", { useAuthz: false });
    liveKit.refuses = true;
    const calling = invoke(page, "call.callAgent", params(user, sessionId));
    expect(await calling).toMatchObject({ rejected: expect.stringContaining("Error") });
    liveKit.refuses = false;
    expect(await callsOf(user, sessionId)).toMatchObject([{ callStatus: "ended" }]);
    await expect
      .poll(() => states(page))
      .toMatchObject({ sessionStarted: false, isConnecting: false, isCalling: false });
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as PageHandle).toasts))
      .toMatchObject([{ title: "The call could not be started" }]);
    connectMedia(liveKit, page);
    expect(await invoke(page, "call.callAgent", params(user, sessionId))).toHaveProperty("callId");
    await expect.poll(() => states(page)).toMatchObject({ sessionViewVisible: true });
  });

  test("nothing is connected without the encryption worker [SD-180]", async () => {
    const { page, user, sessionId } = await open("ella", "missing");
    await invoke(page, "contract.contractOracle", { useAuthz: false });
    const before = liveKit.joined.length;
    expect(await invoke(page, "call.callAgent", params(user, sessionId))).toEqual({
      rejected: "Error: The encryption worker for calls could not be started",
    });
    expect(liveKit.joined).toHaveLength(before);
    expect(await callsOf(user, sessionId)).toMatchObject([{ callStatus: "ended" }]);
  });

  test("unmounting the component during a call ends the call [SD-176]", async () => {
    const { page, user, sessionId } = await open("fina");
    await invoke(page, "contract.contractOracle", { useAuthz: false });
    connectMedia(liveKit, page);
    await invoke(page, "call.callAgent", params(user, sessionId));
    await expect.poll(() => liveKit.connected()).toBe(1);
    await page.evaluate(() => (globalThis as unknown as PageHandle).show(false));
    await expect.poll(() => liveKit.connected()).toBe(0);
    await expect.poll(() => callsOf(user, sessionId)).toMatchObject([{ callStatus: "ended" }]);
  });
});

/** The interface of test/browser/calls.tsx. */
interface PageHandle {
  readonly hooks: Readonly<Record<string, unknown>>;
  readonly toasts: readonly { readonly title: string }[];
  readonly signed: readonly unknown[];
  readonly media: {
    answer(offer: string, isFirst: boolean): Promise<string>;
    frames(): { readonly all: number; readonly plain: number };
  };
  stored(): string;
  show(shown: boolean): void;
}

/** The media of one client ends in its own page. */
function connectMedia(liveKit: LiveKitPeer, page: Page): void {
  liveKit.media = (offer, isFirst) =>
    page.evaluate(([sdp, first]) => (globalThis as unknown as PageHandle).media.answer(sdp, first), [
      offer,
      isFirst,
    ] as const);
}
