/** The change feed over its route: pages, long poll, server-sent events. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { LOOK_INTERVAL } from "../../../workers/registry/changes/follow.ts";
import { FOLLOWERS_PER_KEY } from "../../../workers/registry/changes/shared-feed.ts";
import { PAGE_CHARACTERS } from "../../../workers/registry/store/change-store.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const OWNER = "did:web:changes.test";
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf(OWNER, ["domains:write"]);
});

const read = async (query = "", headers: Record<string, string> = {}) =>
  edge.ask("GET", `/v1/changes${query}`, { key, headers });

async function newDomain(metadata: object = { name: "A" }): Promise<string> {
  const body = { type: "Project", class: "did:ixo:protocol/cooking", metadata };
  return (await edge.ask("POST", "/v1/domains", { key, body })).body.id;
}

async function patch(id: string, metadata: object): Promise<void> {
  await edge.ask("PATCH", `/v1/domains/${id}`, { key, headers: { "If-Match": "*" }, body: { metadata } });
}

const newest = async () => (await DATABASE.prepare("SELECT max(seq) AS seq FROM changes").first<number>("seq")) ?? 0;

describe("pages", () => {
  test("contain the entries of the history, in the order of their commits [RG-84]", async () => {
    const after = await newest();
    const [one, other] = [await newDomain(), await newDomain()];
    await patch(one, { name: "B" });
    const { body } = await read(`?after=${after}`);
    expect(body.page).toEqual({ limit: 20, hasMore: false, nextAfter: after + 3 });
    expect(body.data.map((change: { seq: number; domainId: string }) => [change.seq, change.domainId])).toEqual([
      [after + 1, one],
      [after + 2, other],
      [after + 3, one],
    ]);
    const history = (await edge.ask("GET", `/v1/domains/${one}/history`, { key })).body.data;
    const entryAt = (at: number) => {
      const { seq: _, domainId: __, ...entry } = body.data[at];
      return entry;
    };
    expect([entryAt(2), entryAt(0)]).toEqual(history);
    expect(entryAt(0).changes).toContainEqual({ path: "/type", from: null, to: "Project" });
  });

  test("a walk meets each change once, without gaps, while writers continue [RG-84]", async () => {
    const start = await newest();
    const ids = await Promise.all(Array.from({ length: 12 }, () => newDomain()));
    const met: number[] = [];
    let path: string | undefined = `?after=${start}&limit=5`;
    for (let more = true; more;) {
      const page = await read(path);
      met.push(...page.body.data.map(({ seq }: { seq: number }) => seq));
      path = /<\/v1\/changes([^>]+)>; rel="next"/.exec(page.headers.get("Link") ?? "")?.[1] ?? "";
      more = page.body.page.hasMore;
      // Two concurrent changes of one domain: one of them fails and releases its number.
      if (met.length <= 10) await Promise.all([1, 2].map((n) => patch(ids[met.length] ?? "", { n: n + met.length })));
    }
    const end = await newest();
    expect(end).toBeGreaterThan(start + 12);
    expect(met).toEqual(Array.from({ length: end - start }, (_, index) => start + 1 + index));
    expect((await read(path)).body).toMatchObject({ data: [], page: { hasMore: false, nextAfter: end } });
  });

  test("begin before the end of the feed with `latest` [RG-157]", async () => {
    const ids = [await newDomain(), await newDomain(), await newDomain()];
    const end = await newest();
    const { body } = await read("?latest=2");
    expect(body.data.map((change: { domainId: string }) => change.domainId)).toEqual(ids.slice(1));
    expect(body.page).toMatchObject({ hasMore: false, nextAfter: end });
    expect((await read("?latest=0")).body).toMatchObject({ data: [], page: { hasMore: false, nextAfter: end } });
    const most = (await read("?latest=100&limit=1")).body.data;
    expect(most.at(-1).seq - most[0].seq).toBe(most.length - 1);
    expect([most.at(-1).seq, most.length]).toEqual([end, Math.min(end, 100)]);
    expect((await read("?latest=101")).status).toBe(400);
  });

  test("end early if they would be too large, and are never empty [RG-80]", async () => {
    const after = await newest();
    const metadata = { text: "x".repeat(60_000) };
    const count = Math.ceil(PAGE_CHARACTERS / 60_000) + 3;
    for (let at = 0; at < count; at += 1) await newDomain(metadata);
    const { body } = await read(`?after=${after}&limit=100`);
    expect(body.data.length).toBeGreaterThan(count / 2);
    expect(body.data.length).toBeLessThan(count);
    expect(body.page).toMatchObject({ hasMore: true, nextAfter: after + body.data.length });
  });

  test.each([
    ["?after=-1", "validation_failed"],
    ["?after=x", "validation_failed"],
    ["?wait=31", "validation_failed"],
    ["?limit=101", "invalid_page_size"],
    ["?domain=x", "unknown_parameter"],
    ["?after=9007199254740991", "invalid_cursor"],
  ])("%s is refused: %s [RG-84]", async (query, code) => {
    expect(await read(query)).toMatchObject({ status: 400, body: { code } });
  });

  test("need the scope domains:read", async () => {
    expect(await edge.ask("GET", "/v1/changes")).toMatchObject({ status: 401 });
    const voter = await edge.keyOf("did:web:voter.test", ["verification:vote"]);
    expect(await edge.ask("GET", "/v1/changes", { key: voter })).toMatchObject({ status: 403 });
  });
});

test("a long poll returns a change when it happens, and an empty page at its timeout [RG-85]", async () => {
  const after = await newest();
  const waiting = read(`?after=${after}&wait=30`);
  const id = await newDomain();
  expect((await waiting).body.data).toMatchObject([{ seq: after + 1, domainId: id, action: "created" }]);
  expect((await read(`?after=${after + 1}&wait=1`)).body).toMatchObject({ data: [], page: { nextAfter: after + 1 } });
});

describe("events", () => {
  async function open(query: string, headers: Record<string, string> = {}) {
    const response = await edge.call("GET", `/v1/changes${query}`, {
      key,
      headers: { Accept: "text/event-stream", ...headers },
    });
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    return {
      response,
      /** The ids so far, once there are this many. */
      async ids(count: number): Promise<readonly number[]> {
        for (;;) {
          const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
          if (ids.length >= count) return ids;
          const { done, value } = await reader.read();
          if (done) throw new Error(`ended after ${text}`);
          text += value;
        }
      },
      text: () => text,
      leave: () => reader.cancel(),
    };
  }

  test("begin with the existing changes and continue with new ones [RG-86]", async () => {
    const after = await newest();
    const first = await newDomain();
    const stream = await open(`?after=${after}`);
    expect(stream.response.headers.get("Content-Type")).toBe("text/event-stream");
    expect(await stream.ids(1)).toEqual([after + 1]);
    const second = await newDomain();
    expect(await stream.ids(2)).toEqual([after + 1, after + 2]);
    await stream.leave();
    const data = [...stream.text().matchAll(/^event: change\nid: \d+\ndata: (.+)$/gm)].map(([, json = ""]) =>
      JSON.parse(json),
    );
    expect(data).toMatchObject([{ domainId: first }, { domainId: second }]);
    const page = await read(`?after=${after}`);
    expect(data).toEqual(page.body.data);
  });

  test("resume after Last-Event-ID, whatever the query says [RG-86]", async () => {
    const after = await newest();
    for (const _ of [1, 2, 3]) await newDomain();
    const stream = await open("?after=0", { "Last-Event-ID": String(after + 2) });
    expect(await stream.ids(1)).toEqual([after + 3]);
    await stream.leave();
    for (const id of ["x", String(after + 1_000_000)]) {
      const headers = { Accept: "text/event-stream", "Last-Event-ID": id };
      const { status, body } = await edge.ask("GET", "/v1/changes", { key, headers });
      expect(status).toBe(400);
      expect(body.errors).toEqual([expect.objectContaining({ header: "Last-Event-ID" })]);
    }
  });

  test("twenty streams cost one look per interval, the next is refused, and one that disconnects makes room [RG-163, RG-164]", async () => {
    let looks = 0;
    const counted = new Proxy(DATABASE, {
      get(target, name) {
        if (name !== "prepare") return Reflect.get(target, name).bind(target);
        return (sql: string) => {
          if (sql.includes("max(seq)")) looks += 1;
          return target.prepare(sql);
        };
      },
    });
    const other = registryEdge({ DATABASE: counted });
    const [own, foreign] = [await other.keyOf(OWNER, ["domains:read"]), await other.keyOf(OWNER, ["domains:read"])];
    const start = await newest();
    const follow = (holder: string) =>
      other.call("GET", `/v1/changes?after=${start}`, { key: holder, headers: { Accept: "text/event-stream" } });
    const readers = [];
    for (let at = 0; at < FOLLOWERS_PER_KEY; at += 1) readers.push((await follow(own)).body?.getReader());
    // Each begins with the line `retry`, then waits for a change.
    for (const reader of readers) await reader?.read();
    const pending = readers.map((reader) => reader?.read());
    const refused = await other.ask("GET", `/v1/changes?after=${start}&wait=1`, { key: own });
    expect([refused.status, refused.body.code, refused.headers.get("Retry-After")]).toEqual([
      429,
      "rate_limited",
      "10",
    ]);
    expect((await other.ask("GET", `/v1/changes?after=${start}`, { key: own })).status).toBe(200);
    const [before, begunAt] = [looks, Date.now()];
    expect((await other.ask("GET", `/v1/changes?after=${start}&wait=1`, { key: foreign })).status).toBe(200);
    const intervals = Math.floor((Date.now() - begunAt) / LOOK_INTERVAL) + 1;
    const ofTheRequestItself = 2;
    expect(looks - before).toBeLessThanOrEqual(intervals + ofTheRequestItself);
    const changed = await newDomain();
    const texts = await Promise.all(pending.map(async (part) => new TextDecoder().decode((await part)?.value)));
    for (const text of texts) expect(text).toContain(changed);
    await readers[0]?.cancel();
    expect((await other.ask("GET", `/v1/changes?after=${start}&wait=1`, { key: own })).status).toBe(200);
    for (const reader of readers) await reader?.cancel();
  });

  test("a stream whose key has used up its reads ends, and the next request states the wait [RG-163]", async () => {
    const brief = registryEdge({ DATABASE, REGISTRY_READS_PER_MINUTE: "3" });
    const own = await brief.keyOf(OWNER, ["domains:read"]);
    const headers = { Accept: "text/event-stream" };
    const stream = await brief.call("GET", `/v1/changes?after=${await newest()}`, { key: own, headers });
    expect(await stream.text()).toContain("retry");
    const next = await brief.ask("GET", "/v1/changes", { key: own });
    expect([next.status, Number(next.headers.get("Retry-After")) >= 1]).toEqual([429, true]);
  });

  test("a client that disconnects stops the work", async () => {
    let looks = 0;
    const counted = new Proxy(DATABASE, {
      get(target, name) {
        if (name !== "prepare") return Reflect.get(target, name).bind(target);
        return (sql: string) => {
          if (sql.includes("max(seq)")) looks += 1;
          return target.prepare(sql);
        };
      },
    });
    const other = registryEdge({ DATABASE: counted });
    const own = await other.keyOf(OWNER, ["domains:read"]);
    const response = await other.call("GET", `/v1/changes?after=${await newest()}`, {
      key: own,
      headers: { Accept: "text/event-stream" },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    // A connection always waits for more.
    const more = reader?.read();
    await expect.poll(() => looks).toBeGreaterThan(1);
    await reader?.cancel();
    expect(await more).toMatchObject({ done: true });
    const before = looks;
    // A request of another client that would look at the feed twice.
    await edge.ask("GET", `/v1/changes?after=${await newest()}&wait=1`, { key });
    expect(looks - before).toBeLessThanOrEqual(1);
  });
});
