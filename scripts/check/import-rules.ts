/**
 * Who may import whom (docs/architecture.md, "Who may import whom"), as rows that oxlint.config.ts turns into
 * `no-restricted-imports`. The last row that matches a file counts, so each row is complete. Import paths are relative and end
 * in `.ts`. Oxlint has no look-around in `regex`, and gitignore rules (`!` takes back) in `group`.
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

const PORT: RefusedImport = {
  group: ["**/port.ts"],
  message: "Only workers/index.ts wires ports: take the interface of platform/ports.ts as an argument.",
};
const TOOLS: RefusedImport = {
  regex: String.raw`^(\.\./)+(test|bench|scripts|examples)/`,
  message: "Deployed code imports no tests and no tools.",
};
const OBJECT_VALUES: RefusedImport = {
  regex: "(^|/)durable-objects/",
  allowTypeImports: true,
  message: "Import types of Durable Objects only: the object itself is reached through its binding, or over HTTP.",
};
const ROUTING: RefusedImport = {
  group: ["hono", "hono/**", "@hono/**"],
  message: "Durable Objects know nothing of HTTP routing.",
};
const WORKERS: RefusedImport = {
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
const SOCKETIO: RefusedImport = {
  group: ["**/socketio/**", "!**/socketio/index.ts"],
  message: "The Socket.IO server is a separate package: import its entry, socketio/index.ts.",
};

const OBJECT_PARTS: readonly RefusedImport[] = [ROUTING, WORKERS, SOCKETIO, RUNTIME, TOOLS];
const ORACLE_PARTS: readonly RefusedImport[] = [ROUTING_VALUES, WORKERS, OBJECTS, RUNTIME, TOOLS];

const NOT_ZOD: RefusedImport = {
  regex: "^([^.z]|z[^o]|zo[^d]|zod.)",
  message: "protocol runs in browsers: its one dependency is zod.",
};

const surfaceFolders = ["registry", "ussd", "oracle", "query-gateway", "pages"] as const;

/** Folders below `folder` down to this depth can be leaves; nothing here nests deeper. */
const LEAF_DEPTH = 3;

/** Rows for a folder that imports npm packages and itself only: at each depth, as many `../` as would leave it. */
function leaf(folder: string, message: string): ImportRow[] {
  return Array.from({ length: LEAF_DEPTH }, (_, depth) => ({
    files: [`${folder}/${"*/".repeat(depth)}*.ts`],
    refused: [{ regex: `^${String.raw`\.\./`.repeat(depth + 1)}`, message }],
  }));
}

function surface(folder: (typeof surfaceFolders)[number]): ImportRow {
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
function layers(folder: (typeof surfaceFolders)[number], names: readonly string[]): ImportRow[] {
  return layersIn(`workers/${folder}`, surface(folder).refused, names);
}

/** `refused`: what the rows of the whole folder refuse. */
function layersIn(folder: string, refused: readonly RefusedImport[], names: readonly string[]): ImportRow[] {
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
function parts(
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

/** A plugin is what an author could have written: its own folder, the authoring surface, and what an author has of the rest. */
function plugin(depth: number): ImportRow {
  const out = "../".repeat(depth);
  return {
    files: [`oracle/plugins/*/${"*/".repeat(depth)}*.ts`],
    refused: [
      {
        group: [
          `${out}../**`,
          `!${out}../../framework/**`,
          ...["digest", "json", "log", "pause", "result"].map((name) => `!${out}../../../platform/${name}.ts`),
          `!${out}../../../protocol/**`,
          `!${out}../../../shared/**`,
        ],
        message:
          "A plugin imports its own folder, the framework, protocol, shared and what workers/oracle/index.ts exports.",
      },
    ],
  };
}

/** The folders of sdk/src, each with those that it imports beside itself. */
const sdkFolders: Readonly<Record<string, readonly string[]>> = {
  core: [],
  matrix: ["core"],
  "ai-sdk": ["core"],
  react: ["core", "matrix"],
  devtools: ["core", "react"],
  "live-agent": ["core", "matrix", "react"],
};
/** Those that work without React. */
const plainSdkFolders = new Set(["core", "matrix", "ai-sdk"]);

const SDK_ALONE: RefusedImport = {
  regex: String.raw`^(\.\./)+(workers|durable-objects|oracle|socketio|platform|proto|scripts|bench|test|examples)/`,
  message: "The SDK imports protocol, shared and npm packages only.",
};
const LIVEKIT: RefusedImport = {
  group: ["livekit-client", "livekit-client/**"],
  message: "LiveKit is large: only sdk/src/live-agent loads it, when a call begins.",
};
const REACT: RefusedImport = {
  group: ["react", "react/**", "react-dom", "react-dom/**", "@tanstack/react-query"],
  message: "This part of the SDK works without React.",
};

function sdkFolder(folder: string, lower: readonly string[]): ImportRow {
  const others = Object.keys(sdkFolders).filter((other) => other !== folder && !lower.includes(other));
  return {
    files: [`sdk/src/${folder}/**`],
    refused: [
      SDK_ALONE,
      ...(folder === "live-agent" ? [] : [LIVEKIT]),
      ...(plainSdkFolders.has(folder) ? [REACT] : []),
      {
        regex: String.raw`^(\.\./)+(${others.join("|")})/`,
        message: `sdk/src/${folder} imports ${["itself", ...lower].join(", ")} (docs/architecture.md).`,
      },
      { regex: String.raw`^\..*/index\.ts$`, message: "Inside the SDK, import the file itself, not the entry." },
    ],
  };
}

const CONSOLE_ALONE: RefusedImport = {
  regex: String.raw`^(\.\./)+(workers|durable-objects|oracle|socketio|platform|proto|scripts|bench|test|examples|sdk)/`,
  message: "The console knows the Worker by its OpenAPI document and the SDK by its entries: @twinedge/sdk.",
};
const PROTOCOL_VALUES: RefusedImport = {
  regex: String.raw`^(\.\./)+protocol/`,
  allowTypeImports: true,
  message: "The console imports only types of protocol; values come with the SDK.",
};

/** The folders of console/src, from the top; those in one row know nothing of each other. */
const consoleLayers: readonly (readonly string[])[] = [
  ["home", "registry", "votes", "phone", "chat", "queries", "keys"],
  ["shell"],
  ["live"],
  ["session"],
  ["kit"],
  ["api"],
  ["files"],
];

function consoleFolder(folder: string, layer: number): ImportRow {
  const above = consoleLayers.slice(0, layer + 1).flat();
  return {
    files: [`console/src/${folder}/**`],
    refused: [
      CONSOLE_ALONE,
      PROTOCOL_VALUES,
      {
        regex: String.raw`^(\.\./)+(${above.filter((name) => name !== folder).join("|")})/`,
        message: `console/src/${folder} imports what is below it, and no other screen (docs/architecture.md).`,
      },
      {
        regex: String.raw`^(\.\./)+main\.tsx?$`,
        message: "No screen imports the frame around all screens.",
      },
    ],
  };
}

export const importRows: readonly ImportRow[] = [
  {
    files: ["workers/index.ts"],
    refused: [
      {
        group: ["./*/**", "!./pages/**", "!./*/app.ts", "!./*/port.ts"],
        message: "The entry takes a surface by its app and port only.",
      },
      {
        regex: String.raw`^\.\./durable-objects/.+/`,
        message: "The entry takes an object by durable-objects/<name>.ts, not by its parts.",
      },
      TOOLS,
    ],
  },
  {
    files: ["workers/dispatch.ts", "workers/surfaces.ts"],
    refused: [
      {
        group: ["./*/**", "../**", "!../platform/**"],
        message: "The dispatcher and the table know platform only; workers/index.ts brings the parts together.",
      },
    ],
  },
  {
    files: ["workers/create-oracle-app.ts", "workers/compose-oracle.ts"],
    refused: [
      {
        group: ["./*/**", "!./pages/**", "!./oracle/**"],
        message: "The Worker of an author's oracle has no other surface.",
      },
      {
        regex: String.raw`^\.\./durable-objects/.+/`,
        message: "Take an object by durable-objects/<name>.ts, not by its parts.",
      },
      PORT,
      TOOLS,
    ],
  },
  ...surfaceFolders.map(surface),
  ...layers("registry", [
    "app",
    "port",
    "scheduled",
    "openapi",
    "router",
    "routes",
    "graphql",
    "did-resolution",
    "http",
    "bulk",
    "changes",
    "commands",
    "webhooks",
    "keys",
    "lists",
    "store",
    "governance",
    "domain",
  ]),
  // The registry's app gives its directory to other surfaces, with the registry's own limits.
  { files: ["workers/registry/app.ts"], refused: surface("registry").refused.filter((refusal) => refusal !== PORT) },
  ...layers("ussd", [
    "app",
    "http",
    "session-client",
    "deployment",
    "sms",
    "accounts",
    "statistics",
    "config",
    "key-ring",
    "address-list",
  ]),
  ...layers("oracle", [
    "index",
    "app",
    "oracle-surface",
    "router",
    "routes",
    "port",
    "session-settings",
    "http",
    "objects",
    "runtime",
    "config",
  ]),
  ...layers("query-gateway", [
    "app",
    "health",
    "openapi",
    "gateway",
    "serve",
    "deployments",
    "embedded",
    "upstream",
    "access",
    "descriptors",
    "transcoding",
    "json",
  ]),
  // A kit for tests is the entry of a separate Worker: it brings the parts together, as workers/index.ts does.
  { files: ["workers/oracle/testing/**"], refused: [TOOLS] },
  { files: ["durable-objects/*.ts"], refused: [ROUTING, WORKERS, SOCKETIO, TOOLS] },
  { files: ["durable-objects/*/**"], refused: OBJECT_PARTS },
  ...layersIn("durable-objects/ussd-session", OBJECT_PARTS, ["session", "menus", "screen", "input", "texts"]),
  ...parts("durable-objects/chat-session", OBJECT_PARTS, { session: ["calls"], sockets: ["calls", "session"] }),
  { files: ["oracle/**"], refused: ORACLE_PARTS },
  ...parts("oracle", ORACLE_PARTS, {
    boot: ["agent", "runs", "models", "plugins"],
    agent: ["boot", "plugins"],
    runs: ["boot", "plugins", "agent", "settings"],
    settings: ["boot", "plugins", "agent", "runs"],
    models: ["boot", "plugins", "agent", "runs", "settings", "framework"],
    framework: ["boot", "plugins", "agent", "runs", "settings", "models"],
  }),
  ...[0, 1].map(plugin),
  ...leaf("socketio", "socketio is a separate package: it imports npm packages and itself only."),
  ...leaf("protocol", "protocol is the wire as data: it imports zod and itself only.").map(({ files, refused }) => ({
    files,
    refused: [...refused, NOT_ZOD],
  })),
  {
    files: ["platform/**"],
    refused: [
      {
        regex: String.raw`^(\.\./)+(workers|durable-objects|oracle|socketio|sdk|console|scripts|bench|test|examples)/`,
        message: "platform is the base of everything: it imports shared, protocol and npm packages only.",
      },
    ],
  },
  ...leaf("shared", "shared has no dependencies: it runs in browsers, in Node and in the Worker.").map(
    ({ files, refused }) => ({
      files,
      refused: [...refused, { regex: "^[^.]", message: "shared imports no package." }],
    }),
  ),
  { files: ["sdk/**"], refused: [SDK_ALONE, LIVEKIT] },
  ...Object.entries(sdkFolders).map(([folder, lower]) => sdkFolder(folder, lower)),
  { files: ["console/**"], refused: [CONSOLE_ALONE, PROTOCOL_VALUES] },
  ...consoleLayers.flatMap((folders, layer) => folders.map((folder) => consoleFolder(folder, layer))),
  {
    files: ["console/src/texts/**"],
    refused: [{ regex: String.raw`^([^.]|\.\./)`, message: "Texts are words alone: they import nothing." }],
  },
  {
    files: ["scripts/**"],
    refused: [
      {
        regex: String.raw`^(\.\./)+(workers/(?:[^s]|s[^u])|oracle/|platform/|socketio/)`,
        allowTypeImports: true,
        message: "Tools speak HTTP; of the Worker they know the table of surfaces.",
      },
      OBJECT_VALUES,
    ],
  },
  // The console's client is generated from the routes themselves, so that no server has to run for it.
  { files: ["scripts/console/*.ts"], refused: [OBJECT_VALUES, PORT] },
  { files: ["**/*.test.{ts,tsx}", "test/**"], refused: [] },
  { files: ["bench/**"], refused: [SOCKETIO] },
];
