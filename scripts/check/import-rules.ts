/**
 * Who may import whom (docs/architecture.md, "Who may import whom"), as rows that oxlint.config.ts turns into `no-restricted-imports`.
 * The last row that matches a file counts, so each row is complete.
 */
import {
  NOT_ZOD,
  OBJECT_PARTS,
  OBJECT_VALUES,
  ORACLE_PARTS,
  PORT,
  ROUTING,
  SOCKETIO,
  TOOLS,
  WORKERS,
  layers,
  layersIn,
  leaf,
  parts,
  plugin,
  surface,
  surfaceFolders,
  type ImportRow,
  type RefusedImport,
} from "./import-rows.ts";

/** The folders of sdk/src, each with the folders that it imports. */
const sdkFolders: Readonly<Record<string, readonly string[]>> = {
  core: [],
  matrix: ["core"],
  "ai-sdk": ["core"],
  react: ["core", "matrix"],
  devtools: ["core", "react"],
  "live-agent": ["core", "matrix", "react"],
};
/** Folders that work without React. */
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

const HTTP_ONLY: RefusedImport = {
  regex: String.raw`^(\.\./)+(workers/(?:[^s]|s[^u])|oracle/|platform/(?:[^r]|r[^e]|re[^s])|socketio/)`,
  allowTypeImports: true,
  message: "Tools speak HTTP; of the Worker they know the table of surfaces, and the form of a result.",
};

/** The folders of console/src, from the top; folders in one row do not import each other. */
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
  // A test kit is the entry of a separate Worker: it composes the parts, as workers/index.ts does.
  { files: ["workers/oracle/testing/**"], refused: [TOOLS] },
  { files: ["durable-objects/*.ts"], refused: [ROUTING, WORKERS, SOCKETIO, TOOLS] },
  { files: ["durable-objects/*/**"], refused: OBJECT_PARTS },
  ...layersIn("durable-objects/ussd-session", OBJECT_PARTS, [
    "session",
    "menus",
    "programme",
    "screen",
    "input",
    "texts",
  ]),
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
    refused: [HTTP_ONLY, OBJECT_VALUES],
  },
  // A menu file is checked without a server, by the checks of the gateway.
  {
    files: ["scripts/menus.ts", "scripts/menus/**"],
    refused: [
      {
        regex: "(^|/)durable-objects/(?:[^u]|u[^/]*/[^p])",
        allowTypeImports: true,
        message: "npm run menus imports the programmes of the phone gateway, and no other part of an object.",
      },
      HTTP_ONLY,
    ],
  },
  // The console's client is generated from the routes themselves, without a running server.
  { files: ["scripts/console/*.ts"], refused: [OBJECT_VALUES, PORT] },
  { files: ["**/*.test.{ts,tsx}", "test/**"], refused: [] },
  { files: ["bench/**"], refused: [SOCKETIO] },
];
