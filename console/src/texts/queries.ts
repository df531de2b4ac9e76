/** Words of the queries screen. */
import { grouped } from "./number.ts";

const kilobyte = 1_000;

function size(bytes: number): string {
  if (bytes < kilobyte) return `${bytes} bytes`;
  if (bytes < kilobyte ** 2) return `${(bytes / kilobyte).toFixed(1)} kB`;
  return `${(bytes / kilobyte ** 2).toFixed(1)} MB`;
}

const rounded = (milliseconds: number): string => `${grouped(Math.round(milliseconds))} ms`;

const statusWords: Readonly<Record<number, string>> = {
  200: "OK",
  204: "No content",
  304: "Not modified",
  400: "Bad request",
  401: "Credentials needed",
  403: "Not allowed",
  404: "Not found",
  405: "Other method needed",
  408: "Cancelled",
  409: "Conflict",
  413: "Too large",
  414: "Path too long",
  429: "Too many requests",
  500: "The node failed",
  501: "Not served here",
  502: "Unreadable answer of the node",
  503: "No node available",
  504: "No answer in time",
};

/** Names of google.rpc.Code, and what each means here. */
const codes: Readonly<Record<number, readonly [string, string]>> = {
  1: ["CANCELLED", "The request was cancelled before it was answered."],
  2: ["UNKNOWN", "The module answered with an error of its own. Often there is nothing under this id."],
  3: ["INVALID_ARGUMENT", "A parameter is missing or has the wrong form."],
  4: ["DEADLINE_EXCEEDED", "No node answered before the deadline. Ask for less, or allow more time."],
  5: ["NOT_FOUND", "There is no such path, or nothing under this id at this height."],
  6: ["ALREADY_EXISTS", "This exists already."],
  7: ["PERMISSION_DENIED", "The credentials do not open this path."],
  8: ["RESOURCE_EXHAUSTED", "Too many requests, or too large a one. Wait, or ask for less."],
  9: ["FAILED_PRECONDITION", "The chain is not in a state that allows this."],
  10: ["ABORTED", "The node gave up. Try again."],
  11: ["OUT_OF_RANGE", "The value is outside of what there is, such as a height in the future."],
  12: ["UNIMPLEMENTED", "The node, or this gateway, does not serve this method."],
  13: ["INTERNAL", "Something is broken in the node or the gateway. The request id leads to the log."],
  14: ["UNAVAILABLE", "No node can be reached now. Try again later."],
  15: ["DATA_LOSS", "The node lost data that it needs."],
  16: ["UNAUTHENTICATED", "This deployment needs a key: enter it under “Headers and access”."],
};

export const queriesTexts = {
  title: "Queries",
  lead: "Ask the chain's query services over HTTP. Choose a path, fill in its parameters, and take the request with you.",
  links: "Links",
  graphiql: "GraphiQL of the registry",
  reference: "API reference",
  document: "OpenAPI document",

  request: "Query",
  path: "Path",
  pathHint: "Type a part of a path or of a method's name, or paste a path or a URL.",
  paths: "Paths",
  pathsLoading: "Loading the list of paths",
  pathsFailed: "The list of paths is not available here. You can still type a path.",
  noPathFound: "No listed path has these words. Enter sends what you typed as it is.",
  morePaths: (count: number) => `${grouped(count)} more. Type to narrow them down.`,
  pathCount: (count: number) => (count === 1 ? "1 path" : `${grouped(count)} paths`),
  legacy: "older release",
  notListed: "This path is not in the list. It is sent as you typed it.",
  legacyPath: "This path is of an older release of the chain. It still answers, with the body of its successor:",
  useSuccessor: "Use the present path",
  missingPath: "Choose or type a path.",
  noQuery: "This path belongs to another part of the service. Only chain queries are sent from here.",
  examples: "Examples",
  exampleTitles: {
    entities: "First ten entities",
    token: "Token parameters",
    claims: "Claims, two on a page",
    node: "Chain and node",
    block: "Latest block",
    legacy: "Claims by an older path",
  },

  parameters: "Parameters",
  noParameters: "This path takes no parameters.",
  page: "Page",
  notSet: "Not set",
  kinds: {
    text: "",
    integer: "A whole number",
    boolean: "",
    choice: "",
    bytes: "Bytes in base64",
    list: "One value a line",
    map: "One key=value a line",
  },
  body: "Body (JSON)",
  problems: {
    missing: "Enter a value: it is part of the path.",
    notInteger: "Enter a whole number in digits.",
    notBase64: "Enter base64, such as AQI+/w==.",
  },

  headers: "Headers and access",
  height: "Block height",
  heightHint: "x-cosmos-block-height: the state to ask. Empty for the latest.",
  deadline: "Deadline in ms",
  deadlineHint: "Grpc-Timeout: gives up earlier than the gateway would.",
  access: "Access",
  accessHint: "How a protected deployment lets you in.",
  accessKinds: {
    none: "Open",
    apiKey: "API key (X-API-Key)",
    bearer: "Bearer token",
    basic: "User and password",
  },
  secret: "Key",
  basicSecret: "user:password",
  secretHint: "Stays in this tab: it is in no address, no history and nothing that you copy.",

  send: "Send",
  stop: "Stop",
  sending: "Asking the gateway",
  stopped: "The query was stopped.",
  curl: "curl",
  fetch: "fetch",
  connect: "Connect",
  copyOf: (name: string) => `Copy as ${name}`,
  showCode: "Show the code",
  noConnect: "Connect needs a method that the gateway lists: choose a path from the list.",
  placeholderHint: "$API_KEY stands for your key.",

  answer: "Answer",
  nothingAsked: "Nothing asked yet",
  nothingAskedHint: "Choose a path above, or start with an example.",
  changed: "The query has changed since this answer.",
  status: (status: number) => `${status} ${statusWords[status] ?? ""}`.trim(),
  summary: (status: number, duration: number, bytes: number) =>
    `${status} ${statusWords[status] ?? ""}, ${rounded(duration)}, ${size(bytes)}`,
  statusWord: (status: number) => statusWords[status] ?? "",
  statusName: "Status",
  time: "Time",
  timeOf: rounded,
  firstByte: (waiting: number) => `first byte after ${rounded(waiting)}`,
  size: "Size",
  sizeOf: size,
  heightOf: "Height",
  noHeight: "not said",
  node: "Node",
  noNode: "none",
  cache: "Cache",
  cacheStates: {
    kept: "From the cache",
    stale: "From the cache, past its time",
    shared: "One call, shared with others",
    node: "Not used, a node answered",
    none: "Not used",
  },
  cacheAge: (seconds: number) => `${grouped(seconds)} s old`,
  cacheFresh: (seconds: number) =>
    seconds >= 0 ? `fresh for ${grouped(seconds)} s` : `stale for ${grouped(-seconds)} s`,
  received: "Received",
  views: { tree: "Tree", raw: "Raw", headers: "Headers" },
  viewsLabel: "Views of the answer",
  rawLabel: "The answer as it came",
  noJson: "The answer is no JSON.",
  emptyBody: "The answer has no body.",
  download: "Download",
  nextPage: "Next page",
  code: (code: number) => `${codes[code]?.[0] ?? "CODE"} (${code})`,
  codeMeaning: (code: number) => codes[code]?.[1] ?? "A code of the module's own.",
  deprecated: (since: string | undefined) =>
    since === undefined
      ? "This path is deprecated. Its successor is"
      : `This path is deprecated since ${since}. Its successor is`,

  history: "Asked in this tab",
  historyEmpty: "Your queries appear here, to be sent again. They go when you close the tab.",
  clearHistory: "Clear",
  commandSend: "Queries: send the query",
  commandClear: "Queries: clear the history",
  commandExample: (title: string) => `Query: ${title}`,
};
