/** Texts of the queries screen. */
import { grouped, sizeWords } from "./number.ts";

const rounded = (milliseconds: number): string => `${grouped(Math.round(milliseconds))} ms`;

const statusWords: Readonly<Record<number, string>> = {
  200: "OK",
  204: "No content",
  304: "Not modified",
  400: "Bad request",
  401: "Authentication required",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  408: "Cancelled",
  409: "Conflict",
  413: "Too large",
  414: "Path too long",
  429: "Too many requests",
  500: "The node failed",
  501: "Not implemented",
  502: "Invalid response from the node",
  503: "No node available",
  504: "Timed out",
};

/** Names of google.rpc.Code, with their meanings here. */
const codes: Readonly<Record<number, readonly [string, string]>> = {
  1: ["CANCELLED", "The request was cancelled before it was answered."],
  2: ["UNKNOWN", "The module returned its own error. Often, no record has this id."],
  3: ["INVALID_ARGUMENT", "A parameter is missing or malformed."],
  4: ["DEADLINE_EXCEEDED", "No node answered before the deadline. Ask for less, or allow more time."],
  5: [
    "NOT_FOUND",
    "The path does not exist, or no record has this id at this height. Check the id, or choose a path from the list.",
  ],
  6: ["ALREADY_EXISTS", "This already exists."],
  7: ["PERMISSION_DENIED", "These credentials do not give access to this path."],
  8: ["RESOURCE_EXHAUSTED", "Too many requests, or a request that is too large. Wait, or ask for less."],
  9: ["FAILED_PRECONDITION", "The chain is not in a state that allows this."],
  10: ["ABORTED", "The node gave up. Try again."],
  11: ["OUT_OF_RANGE", "The value is out of range, such as a height in the future."],
  12: ["UNIMPLEMENTED", "The node, or this gateway, does not serve this method."],
  13: ["INTERNAL", "The node or the gateway failed. Use the request id to find the error in the log."],
  14: ["UNAVAILABLE", "No node can be reached now. Try again later."],
  15: ["DATA_LOSS", "The node lost data that it needs."],
  16: ["UNAUTHENTICATED", "This deployment needs a key: enter it under “Headers and access”."],
};

export const queriesTexts = {
  problems: {
    missing: "Enter a value: it is part of the path.",
    notInteger: "Enter a whole number in digits.",
    notBase64: "Enter base64, such as AQI+/w==.",
  },
  height: "Block height",
  heightHint: "x-cosmos-block-height: the height to query. If empty, the latest.",
  deadline: "Deadline in ms",
  deadlineHint: "Grpc-Timeout: a shorter deadline than the gateway's.",

  answer: "Answer",
  status: (status: number) => `${status} ${statusWords[status] ?? ""}`.trim(),
  summary: (status: number, duration: number, bytes: number) =>
    `${status} ${statusWords[status] ?? ""}, ${rounded(duration)}, ${sizeWords(bytes)}`,
  statusWord: (status: number) => statusWords[status] ?? "",
  timeOf: rounded,
  firstByte: (waiting: number) => `first byte after ${rounded(waiting)}`,
  code: (code: number) => `${codes[code]?.[0] ?? "CODE"} (${code})`,
  codeMeaning: (code: number) => codes[code]?.[1] ?? "A code defined by the module.",
};
