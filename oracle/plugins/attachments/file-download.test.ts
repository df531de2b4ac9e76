/** Downloads from a real media server: tokens, redirects, retries, limits, and addresses that are never called. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMediaServer, type MediaServer, type StoredMedia } from "../../../test/support/peers/media-server.ts";
import { encryptForMatrix, redPixel } from "../../../test/support/peers/media-files.ts";
import type { AttachmentRequest } from "../../framework/attachments.ts";
import { createMessageBudget } from "./download.ts";
import { downloadFile, type DownloadOptions } from "./file-download.ts";
import { SIZE_LIMITS } from "./media-type.ts";

let media: MediaServer;
let homeserver: URL;
let hosts: readonly string[];
beforeAll(async () => {
  media = await startMediaServer();
  homeserver = new URL(media.url);
  hosts = [homeserver.host, new URL(media.cdnUrl).host];
});
afterAll(() => media.stop());

const room = "!room:media.example";
const named = { id: "a1_1", filename: "a.txt", mimetype: "text/plain" };

async function download(
  attachment: Partial<AttachmentRequest>,
  options: Partial<DownloadOptions> = {},
  signal: AbortSignal = new AbortController().signal,
) {
  const before = media.requests.length;
  const given: DownloadOptions = {
    caller: { homeserver, token: media.token },
    bot: undefined,
    allowedHosts: hosts,
    roomId: room,
    budget: createMessageBudget(),
    limit: SIZE_LIMITS.text,
    pause: () => Promise.resolve(),
    ...options,
  };
  const result = await downloadFile({ ...named, ...attachment }, given, signal);
  return { result, requests: media.requests.slice(before) };
}

let stored = 0;
const put = (file: StoredMedia): { mxcUri: string } => ({ mxcUri: media.put(`file_${(stored += 1)}`, file) });
const hello = { bytes: new TextEncoder().encode("hello") };
const read = { ok: true, value: hello.bytes };
const refused = (error: string) => ({ ok: false, error });

describe("Matrix media [OR-316]", () => {
  test("is downloaded from the authenticated path, with the caller's token", async () => {
    const { result, requests } = await download(put(hello));
    expect(result).toEqual(read);
    expect(requests).toMatchObject([{ host: "homeserver", authorization: `Bearer ${media.token}` }]);
  });

  test("is downloaded without a token from the older path, if the server lacks the authenticated one", async () => {
    const { result, requests } = await download(put({ ...hello, old: true }));
    expect(result).toEqual(read);
    expect(requests.map(({ path }) => path.split("/").slice(2, 4).join("/"))).toEqual(["client/v1", "media/v3"]);
    expect(requests[1]?.authorization).toBeUndefined();
  });

  test("is requested again while it is still being uploaded, with increasing delays", async () => {
    const pauses: number[] = [];
    const pause = async (milliseconds: number): Promise<void> => void pauses.push(milliseconds);
    const { result } = await download(put({ ...hello, notYet: 7 }), { pause });
    expect(result).toEqual(read);
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test("is too slow if it is not uploaded in time", async () => {
    const time = new AbortController();
    const pause = async (): Promise<void> => {
      time.abort();
      throw new Error("the time is over");
    };
    const { result } = await download(put({ ...hello, notYet: 9 }), { pause }, time.signal);
    expect(result).toEqual(refused("it took longer than 60 seconds"));
  });

  test.each([
    [429, "M_LIMIT_EXCEEDED", "its media server asks to try again later"],
    [413, "M_UNKNOWN", "it is larger than its media server allows"],
    [502, "M_TOO_LARGE", "it is larger than its media server allows"],
    [401, "M_UNKNOWN_TOKEN", "its media server does not permit it"],
    [403, "M_FORBIDDEN", "its media server does not permit it"],
    [504, "M_UNKNOWN", "its media server answered with status 504"],
    [500, "M_UNKNOWN", "its media server answered with status 500"],
  ])("with status %d and %s has a specific reason, and is requested once", async (status, errcode, reason) => {
    const { result, requests } = await download(put({ status, errcode }));
    expect(result).toEqual(refused(reason));
    expect(requests).toHaveLength(1);
  });

  test("is looked for on both paths before it counts as missing", async () => {
    const { result, requests } = await download({ mxcUri: "mxc://media.example/nothing" });
    expect(result).toEqual(refused("its media server does not have it"));
    expect(requests).toHaveLength(2);
  });
});

describe("tokens [OR-317]", () => {
  test("are not sent to a redirect, on another host or on the same one", async () => {
    const elsewhere = await download(put({ ...hello, redirect: "cdn" }));
    expect(elsewhere.result).toEqual(read);
    expect(elsewhere.requests).toMatchObject([{ host: "homeserver" }, { host: "cdn", authorization: undefined }]);
    const same = await download(put({ redirect: `${media.url}/_matrix/media/v3/download/media.example/image` }));
    expect(same.result).toEqual({ ok: true, value: new Uint8Array(redPixel) });
    expect(same.requests[1]?.authorization).toBeUndefined();
  });

  test("are not sent with a link", async () => {
    const { mxcUri } = put(hello);
    const { result, requests } = await download({ mxcUri: `${media.cdnUrl}/files/${mxcUri.split("/").at(-1)}` });
    expect(result).toEqual(read);
    expect(requests).toMatchObject([{ host: "cdn", authorization: undefined }]);
  });

  test("of the oracle are sent to its own homeserver, and only without a caller's token", async () => {
    const bot = { homeserver, token: media.botToken };
    const alone = await download(put(hello), { caller: undefined, bot, allowedHosts: [] });
    expect(alone.result).toEqual(read);
    expect(alone.requests[0]?.authorization).toBe(`Bearer ${media.botToken}`);
    const both = await download(put(hello), { bot });
    expect(both.requests[0]?.authorization).toBe(`Bearer ${media.token}`);
  });

  test("that are missing cause a reason and no request", async () => {
    const { result, requests } = await download(put(hello), { caller: undefined });
    expect(result).toEqual(refused("the message has no Matrix token and homeserver to read it with"));
    expect(requests).toEqual([]);
  });
});

describe("addresses that are never called [OR-318]", () => {
  const spellings = [
    "10.0.0.1",
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.168.1.1",
    "0.0.0.0",
    "224.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[fe80::1]",
    "[fd00::1]",
    "localhost",
    "printer.local",
    "metadata.google.internal",
  ];
  const called: string[] = [];
  const fetch = async (url: URL): Promise<Response> => {
    called.push(url.host);
    return new Response(null, { status: 302, headers: { Location: url.searchParams.get("to") ?? "" } });
  };
  const options = { fetch, allowedHosts: [] };

  test.each(spellings)("%s: as a link, as the caller's homeserver, as a redirect", async (host) => {
    called.length = 0;
    const asLink = await download({ mxcUri: `https://${host}/a` }, options);
    const caller = { homeserver: new URL(`https://${host}`), token: "syt_secret" };
    const asServer = await download({ mxcUri: "mxc://media.example/a" }, { ...options, caller });
    const asEvent = await download({ eventId: "$a" }, { ...options, caller });
    expect(called).toEqual([]);
    const redirected = await download({ mxcUri: `https://example.org/?to=https://${host}/a` }, options);
    expect(called).toEqual(["example.org"]);
    for (const { result } of [asLink, asServer, asEvent, redirected])
      expect(result).toEqual(
        refused(expect.stringMatching(/^the address points to .* which is not on the public internet$/)),
      );
  });

  test.each([
    ["http://example.org/a", "the address is not an https address"],
    ["https://user:pass@example.org/a", "the address contains a user name or a password"],
    ["https://example.org:22/a", "the address has a port other than 443 and 8448"],
  ])("%s", async (mxcUri, reason) => {
    called.length = 0;
    expect((await download({ mxcUri }, options)).result).toEqual(refused(reason));
    expect(called).toEqual([]);
  });

  test("a host that the operator allows may be private and use http", async () => {
    expect((await download(put(hello), { allowedHosts: [homeserver.host] })).result).toEqual(read);
  });
});

describe("events [OR-319]", () => {
  const event = (content: object, type = "m.room.message") => {
    const eventId = `$event_${(stored += 1)}`;
    media.putEvent(room, eventId, { type, content });
    return { eventId };
  };

  test("name the file, with the caller's token", async () => {
    const { result, requests } = await download(event({ msgtype: "m.file", url: put(hello).mxcUri }));
    expect(result).toEqual(read);
    expect(requests[0]?.path).toContain(`/rooms/${encodeURIComponent(room)}/event/`);
  });

  test("provide the key of an encrypted file", async () => {
    const { mxcUri } = put({});
    const { ciphertext, file } = encryptForMatrix(hello.bytes, mxcUri);
    media.put(mxcUri.split("/").at(-1) ?? "", { bytes: ciphertext });
    expect((await download(event({ file }))).result).toEqual(read);
    const { result, requests } = await download({ eventId: "$unread", file });
    expect(result).toEqual(read);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["m.room.encrypted", { ciphertext: "x" }, "its message is encrypted, and the oracle has no keys of the room"],
    ["m.room.message", { body: "hello" }, "its event contains no file"],
    ["m.room.message", { url: "https://169.254.169.254/" }, expect.stringContaining("not on the public internet")],
  ])("of type %s with %j", async (type, content, reason) => {
    expect((await download(event(content, type))).result).toEqual(refused(reason));
  });

  test("that do not exist, without a room, or without the caller's token", async () => {
    const bot = { homeserver, token: media.botToken };
    const missing = "its event could not be read: the homeserver answered with status 404";
    expect((await download({ eventId: "$nothing" })).result).toEqual(refused(missing));
    expect((await download({ eventId: "$a" }, { roomId: undefined })).result).toEqual(
      refused("the message does not name the room of its event"),
    );
    const { result, requests } = await download(event({ url: "mxc://a/b" }), { caller: undefined, bot });
    expect(result).toEqual(refused("the message has no Matrix token and homeserver to read it with"));
    expect(requests).toEqual([]);
  });
});

describe("limits [OR-321]", () => {
  test("25 MB for one file, counted as it arrives", async () => {
    const large = put({ undeclared: 26_000_000 });
    expect((await download(large)).result).toEqual(refused("it is larger than 25 MB"));
    const whole = await download(put({ undeclared: 25_000_000 }));
    expect(whole.result.ok && whole.result.value.byteLength).toBe(25_000_000);
  });

  test.each([
    ["html", "pages of HTML are read up to 5 MB"],
    ["image", "images are read up to 5 MB"],
    ["pdf", "PDFs are read up to 10 MB"],
  ] as const)("no more of a file than is read of its kind: %s [OR-600]", async (reading, reason) => {
    const limit = SIZE_LIMITS[reading];
    const budget = createMessageBudget();
    const { result } = await download(put({ undeclared: 25_000_000 }), { budget, limit });
    expect(result).toEqual(refused(reason));
    // The rest of the message's 50 MB, less the part of the download that had arrived in the buffer.
    expect(budget.take(50_000_000 - limit.bytes - 2_000_000)).toBe(true);
  });

  test("50 MB for all files of a message, including failed ones", async () => {
    const budget = createMessageBudget();
    await download(put({ undeclared: 25_000_000 }), { budget });
    await download(put({ undeclared: 25_000_000 }), { budget });
    expect(budget.isSpent).toBe(false);
    await download(put(hello), { budget });
    expect(budget.isSpent).toBe(true);
    const first = await download(put({ undeclared: 20_000_000 }), { budget: createMessageBudget(1_000) });
    expect(first.result).toEqual(refused("it is larger than 25 MB"));
  });

  test("the time limit ends a download that stalls", async () => {
    const time = new AbortController();
    const slow = download(put({ stalls: true }), {}, time.signal);
    const started = media.requests.length;
    await expect.poll(() => media.requests.length).toBeGreaterThan(started);
    time.abort();
    expect((await slow).result).toEqual(refused("it took longer than 60 seconds"));
  });
});
