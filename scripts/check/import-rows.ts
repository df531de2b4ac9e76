/**
 * Builds the rows of import-rules.ts: imports that several rows refuse, and rows for surfaces, layers and packages. Import paths
 * are relative and end in `.ts`. Oxlint has no look-around in `regex`, and gitignore rules (`!` negates) in `group`.
 */
export interface RefusedImport {
  readonly message: string;
  readonly regex?: string;
  readonly group?: string[];
  /** `import type` passes. */
  readonly allowTypeImports?: boolean;
}

export interface ImportRow {
  readonly files: string[];
  readonly refused: readonly RefusedImport[];
}

export const PORT: RefusedImport = {
  group: ["**/port.ts"],
  message: "Only workers/index.ts wires ports: take the interface of platform/ports.ts as an argument.",
};
export const TOOLS: RefusedImport = {
  regex: String.raw`^(\.\./)+(test|bench|scripts|examples)/`,
  message: "Deployed code imports no tests and no tools.",
};
export const OBJECT_VALUES: RefusedImport = {
  regex: "(^|/)durable-objects/",
  allowTypeImports: true,
  message: "Import types of Durable Objects only: the object itself is reached through its binding, or over HTTP.",
};
export const ROUTING: RefusedImport = {
  group: ["hono", "hono/**", "@hono/**"],
  message: "Durable Objects know nothing of HTTP routing.",
};
export const WORKERS: RefusedImport = {
  regex: "(^|/)workers/",
  message: "workers/ is the top layer: workers/index.ts passes in what a surface adds.",
};
const OBJECTS: RefusedImport = {
  regex: "(^|/)durable-objects/",
  message: "The oracle takes storage and calls as arguments; durable-objects/ is above it.",
};
const ROUTING_VALUES: RefusedImport = {
  ...ROUTING,
  allowTypeImports: true,
  message: "The oracle is mounted by workers/oracle: only the types of HTTP routing reach the plugin interface.",
};
const RUNTIME: RefusedImport = {
  group: ["cloudflare:*"],
  allowTypeImports: true,
  message: "Only the thin object class touches the runtime; its parts take storage, clock and fetch as arguments.",
};
export const SOCKETIO: RefusedImport = {
  group: ["**/socketio/**", "!**/socketio/index.ts"],
  message: "The Socket.IO server is a separate package: import its entry, socketio/index.ts.",
};

export const OBJECT_PARTS: readonly RefusedImport[] = [ROUTING, WORKERS, SOCKETIO, RUNTIME, TOOLS];
export const ORACLE_PARTS: readonly RefusedImport[] = [ROUTING_VALUES, WORKERS, OBJECTS, RUNTIME, TOOLS];

export const NOT_ZOD: RefusedImport = {
  regex: "^([^.z]|z[^o]|zo[^d]|zod.)",
  message: "protocol runs in browsers: its one dependency is zod.",
};

export const surfaceFolders = ["registry", "ussd", "oracle", "query-gateway", "pages"] as const;

/** Folders below `folder` down to this depth can be leaves; nothing here nests deeper. */
const LEAF_DEPTH = 3;

/** Rows for a folder that imports only npm packages and itself: at each depth, as many `../` as would leave it. */
export function leaf(folder: string, message: string): ImportRow[] {
  return Array.from({ length: LEAF_DEPTH }, (_, depth) => ({
    files: [`${folder}/${"*/".repeat(depth)}*.ts`],
    refused: [{ regex: `^${String.raw`\.\./`.repeat(depth + 1)}`, message }],
  }));
}

export function surface(folder: (typeof surfaceFolders)[number]): ImportRow {
  const others = surfaceFolders.filter((other) => other !== folder).join("|");
  // `/health` and `/openapi.json` in pages describe the whole table; a surface knows only itself.
  const above = folder === "pages" ? "index|dispatch" : "index|dispatch|surfaces";
  return {
    files: [`workers/${folder}/**`],
    refused: [
      {
        regex: String.raw`^(\.\./)+(${others})/${folder === "oracle" ? "" : "|^(\\.\\./)+oracle/"}`,
        message: "Another surface is reached through a port only (platform/ports.ts).",
      },
      { regex: String.raw`^(\.\./)+(${above})\.ts$`, message: "A surface does not import its callers." },
      OBJECT_VALUES,
      PORT,
      TOOLS,
    ],
  };
}

/** Layers inside a surface, from the top: each uses only itself and those below it. A layer is a folder or a file. */
export function layers(folder: (typeof surfaceFolders)[number], names: readonly string[]): ImportRow[] {
  return layersIn(`workers/${folder}`, surface(folder).refused, names);
}

/** `refused`: the imports that the rows of the whole folder refuse. */
export function layersIn(folder: string, refused: readonly RefusedImport[], names: readonly string[]): ImportRow[] {
  return names.slice(1).map((name, index) => ({
    files: [`${folder}/${name}.ts`, `${folder}/${name}/**`],
    refused: [
      ...refused,
      {
        regex: String.raw`^(\./|(\.\./)+)(${names.slice(0, index + 1).join("|")})(/|\.ts$)`,
        message: `Layers go downwards only: ${names.join(", ")} (docs/architecture.md).`,
      },
    ],
  }));
}

/** Parts of a folder, each with the files and folders above it, which it does not import. */
export function parts(
  folder: string,
  refused: readonly RefusedImport[],
  upper: Readonly<Record<string, readonly string[]>>,
): ImportRow[] {
  return Object.entries(upper).map(([name, above]) => ({
    files: [`${folder}/${name}.ts`, `${folder}/${name}/**`],
    refused: [
      ...refused,
      {
        regex: String.raw`^(\./|(\.\./)+)(${above.join("|")})(/|\.ts$)`,
        message: `${name} does not import ${above.join(", ")} (docs/architecture.md).`,
      },
    ],
  }));
}

/** A plugin may import what an author could: its own folder, the authoring interface, and the author's part of the rest. */
export function plugin(depth: number): ImportRow {
  const out = "../".repeat(depth);
  return {
    files: [`oracle/plugins/*/${"*/".repeat(depth)}*.ts`],
    refused: [
      {
        group: [
          `${out}../**`,
          `!${out}../../framework/**`,
          ...[
            "database/database",
            "database/database-of",
            "database/database-size",
            "digest",
            "json",
            "log",
            "pause",
            "result",
            "stored-data",
          ].map((name) => `!${out}../../../platform/${name}.ts`),
          `!${out}../../../protocol/**`,
          `!${out}../../../shared/**`,
        ],
        message:
          "A plugin imports its own folder, the framework, protocol, shared and what workers/oracle/index.ts exports.",
      },
    ],
  };
}
