/**
 * The built Worker with a second Worker that receives its traces as they happen, as a tail Worker of the platform does: the spans of
 * each request, with their names, attributes and nesting.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type LegacyWorkerOptions } from "miniflare";
import { inject } from "vitest";
import { readDevVarsFile } from "../../../scripts/start/dev-vars.ts";
import { removeDirectory } from "./remove-directory.ts";

export interface TracedSpan {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly trace: string;
}

export interface TailedWorker {
  readonly url: string;
  /** The spans since the last call. */
  takeSpans(): Promise<readonly TracedSpan[]>;
  dispose(): Promise<void>;
}

/** The flags of a Worker whose traces another one receives. */
const TAIL_FLAGS = ["experimental", "streaming_tail_worker"];

const TAIL = `
let spans = [];
export default {
  async fetch() {
    const taken = spans;
    spans = [];
    // Numbers of the platform's own spans may be BigInt.
    return new Response(JSON.stringify(taken, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
  },
  tailStream() {
    const open = new Map();
    return (each) => {
      const { event } = each;
      if (event.type === "spanOpen") {
        const span = { name: event.name, attributes: {}, trace: each.spanContext.traceId };
        open.set(event.spanId, span);
        spans.push(span);
      }
      if (event.type === "attributes") {
        const span = open.get(each.spanContext?.spanId);
        for (const { name, value } of event.info) if (span !== undefined) span.attributes[name] = value;
      }
    };
  },
};`;

export async function startTailedWorker(variables: Readonly<Record<string, string>> = {}): Promise<TailedWorker> {
  const storage = mkdtempSync(join(tmpdir(), "twinedge-tailed-"));
  const built = inject("builtWorker");
  if (existsSync(join(built, "state"))) cpSync(join(built, "state"), storage, { recursive: true });
  const bundle = join(built, "bundle");
  const bindings = JSON.parse(readFileSync(join(built, "bindings.json"), "utf8")) as LegacyWorkerOptions;
  const files = readdirSync(bundle);
  const ofType = (type: "ESModule" | "Data", ending: string) =>
    files.filter((name) => name.endsWith(ending)).map((name) => ({ type, path: join(bundle, name) }));
  const { compatibilityDate, compatibilityFlags = [] } = bindings;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      logRequests: false,
      handleStructuredLogs: () => undefined,
      resourcePersistencePath: join(storage, "v3"),
      workers: [
        {
          ...bindings,
          name: "twinedge",
          compatibilityFlags: [...compatibilityFlags, ...TAIL_FLAGS],
          modules: [...ofType("ESModule", ".js"), ...ofType("Data", ".binpb")],
          modulesRoot: bundle,
          streamingTails: ["tail"],
          bindings: {
            ...Object.fromEntries(readDevVarsFile(".dev.vars")),
            ENVIRONMENT: "development",
            LLM_PROVIDER: "local",
            ...variables,
          },
        },
        {
          name: "tail",
          modules: true,
          script: TAIL,
          ...(compatibilityDate === undefined ? {} : { compatibilityDate }),
          compatibilityFlags: ["nodejs_compat", ...TAIL_FLAGS],
        },
      ],
    }),
  );
  const url = (await miniflare.ready).origin;
  return {
    url,
    async takeSpans() {
      const tail = await miniflare.getWorker("tail");
      const response = await tail.fetch("http://tail/");
      return (await response.json()) as readonly TracedSpan[];
    },
    async dispose() {
      await miniflare.dispose();
      removeDirectory(storage);
    },
  };
}
