/** docs/error-codes.md, generated from the lists of codes in the source and their meanings. */
import { wireMeaningOf } from "../../../platform/http/error-bodies.ts";
import type { FailureCode } from "../../../platform/failure.ts";
import {
  classCodes,
  limitCodes,
  runFailureCodes,
  runNoticeCodes,
  unauthorizedCodes,
  type CodeMeaning,
} from "../../../protocol/error-codes.ts";
import { RPC_ERROR } from "../../../workers/query-gateway/serve/json-rpc.ts";
import { rpcErrorOf } from "../../../workers/query-gateway/serve/rpc-status.ts";
import { GRPC } from "../../../workers/query-gateway/upstream/upstream.ts";
import { codeOfResolution, type ResolutionReason } from "../../../workers/registry/did-resolution/options.ts";
import { statusOf, type RegistryReason } from "../../../workers/registry/failures.ts";
import {
  engineMeanings,
  grpcMeanings,
  jsonRpcMeanings,
  pluginMeanings,
  registryMeanings,
  resolutionMeanings,
} from "./error-code-meanings.ts";
import { markdownTable } from "./markdown-table.ts";

const HEAD = `# Error codes

This page lists every error code of the platform with its HTTP status, its meaning and the action for the client. Base decisions in your
code on the code or the status, and show the message to people. The lists grow: handle an unknown code by its status.`;

const WIRES: readonly (readonly string[])[] = [
  ["you called", "the code is", "go to"],
  ["`/sessions`, `/messages`, `/runs` and other chat paths", "`code` in the JSON body", "[Oracle](#oracle)"],
  ["the stream of a run", "`code` of an `error` frame", "[Runs](#runs)"],
  ["`/socket.io/`", "`error.data.code`, or a number of Engine.IO", "[Sockets](#sockets)"],
  ["`/v1/…`", "`code` in `application/problem+json`", "[Registry](#registry)"],
  ["`/graphql`", "`errors[].extensions.code`", "[Registry](#registry)"],
  ["`/1.0/identifiers/…`", "`didResolutionMetadata.error.type`", "[DID resolution](#did-resolution)"],
  [
    "`/ixo/…`, `/cosmos/…` and other chain paths",
    "a gRPC number, `code` in the JSON body",
    "[Query gateway](#query-gateway)",
  ],
  ["`/ixo/rpc`", "a JSON-RPC number, `error.code`", "[JSON-RPC](#json-rpc)"],
  ["`/api/ussd/…`", "the status alone", "[Phone gateway](#phone-gateway)"],
];

const AFTER_WIRES = `Every response has \`X-Request-Id\`; the operator finds its log lines by that id. If a response has \`Retry-After\`, retry after that number
of seconds. The codes of an oracle that does not boot are in the [plugin guide](plugins.md).

<!-- Made from the source. After a change: npx vitest run --project unit protocol/error-codes-page.test.ts --update -->`;

const ORACLE = `## Oracle

The body has \`statusCode\`, \`message\`, \`error\`, \`requestId\`, \`code\` and \`retryable\`; the [oracle
protocol](reference/oracle-protocol.md#errors) describes it. A status of 401 also has \`reason\`:
\`expired\`, \`not_yet_valid\`, \`wrong_audience\`, \`malformed\`, \`bad_signature\`, \`capability\`, \`too_long\`, \`invocation_required\` or
\`revoked\` ([troubleshooting](troubleshooting.md#401-from-the-oracle)).`;

const RUNS = `## Runs

An \`error\` frame of a stream has one of these codes. The first list ends the run.`;

const SOCKETS = `## Sockets

A refused connection has the \`code\` and \`retryable\` of the [oracle](#oracle) in \`error.data\`. Engine.IO refuses requests that are not
part of the protocol with a number:`;

const REGISTRY = `## Registry

REST errors are problem details (RFC 9457). If a request has several errors, \`code\` is \`validation_failed\` and \`errors\` lists each with
its own code: a code of this table, or \`required\`, \`type\`, \`length\`, \`format\`, \`range\`, \`order\` or \`duplicate\`.

The status of GraphQL responses follows GraphQL over HTTP, so read \`extensions.code\` there. Errors of the GraphQL document are
\`validation_failed\`.`;

const RESOLUTION = `## DID resolution

\`type\` is \`https://www.w3.org/ns/did#\` and one of these codes. A deactivated DID is a 410 without an error. Other errors, such as a rate
limit, have the registry's codes as \`urn:problem:twe:<code>\`.`;

const GATEWAY = `## Query gateway

The body is \`{"code","message","details"}\`, as a node prints it. Errors of a node pass through with the same code. The gateway itself also
uses statuses that share a code: 405 (12), 413 and 414 (8 and 3), 415 (3) and 502 (13 and 14).`;

const JSON_RPC = `## JSON-RPC

The HTTP status is 200, except for a body over the size limit (413).`;

const PHONE = `## Phone gateway

The session endpoint returns a 200 with a screen for the caller, even after a failure, except for 404, 405 and 429. Operator routes return:`;

const PHONE_ERRORS: readonly (readonly string[])[] = [
  ["status", "body", "cause", "do"],
  ["400", '`{"error":"Bad Request","message"}`', "the body or a parameter is invalid", "correct it"],
  [
    "401",
    '`{"error":"Unauthorized"}`',
    "the operator token is missing or wrong",
    "send `USSD_OPERATOR_TOKEN` as bearer token",
  ],
  [
    "404",
    '`{"error":"Not Found"}`',
    "unknown customer, or the route is closed for this caller",
    "check the id, the token and `USSD_ALLOWED_IPS`",
  ],
  ["405", '`{"error":"Method Not Allowed"}`', "the path does not support the method", "use a method in `Allow`"],
  ["409", '`{"error":"Conflict","message"}`', "the DID belongs to another customer", "unlink it there first"],
  [
    "429",
    '`{"error","message","code":"RATE_LIMIT_EXCEEDED","retryAfter"}`',
    "too many requests",
    "repeat after `Retry-After`",
  ],
  ["503", '`{"error":"…"}`', "the database is unreachable, or a variable is invalid", "see `/health`"],
];

const limitStatus: Readonly<Record<keyof typeof limitCodes, number>> = {
  not_allowed: 403,
  approval_over: 409,
  session_limit: 409,
  message_limit: 409,
  message_already_answered: 409,
  queue_full: 429,
  daily_turn_limit: 429,
  daily_token_limit: 429,
  daily_tokens_reserved: 429,
  running_turn_limit: 429,
  address_turn_limit: 429,
  daily_budget_exhausted: 503,
  daily_budget_reserved: 503,
};

export function errorCodesPage(): string {
  return [
    HEAD,
    markdownTable(WIRES),
    AFTER_WIRES,
    ORACLE,
    table("status", [
      ...entriesOf(unauthorizedCodes).map((entry) => row(entry, 401)),
      ...entriesOf(limitCodes).map((entry) => row(entry, limitStatus[entry[0]])),
      ...entriesOf(classCodes).map((entry) => row(entry, statusOfClass(entry[0]))),
    ]),
    "Bundled plugins add:",
    table(
      "status",
      Object.entries(pluginMeanings).map(([code, [status, ...meaning]]) => row([code, meaning], status)),
    ),
    RUNS,
    table(undefined, entriesOf(runFailureCodes).map(plainRow)),
    "Notices do not end the run.",
    table(undefined, entriesOf(runNoticeCodes).map(plainRow)),
    SOCKETS,
    table(
      "status",
      engineMeanings.map(([code, status, ...meaning]) => row([String(code), meaning], status)),
    ),
    REGISTRY,
    table(
      "status",
      (Object.entries(registryMeanings) as [RegistryReason, CodeMeaning][]).map((entry) =>
        row(entry, statusOf(entry[0])),
      ),
    ),
    RESOLUTION,
    table(
      "status",
      (Object.entries(resolutionMeanings) as [ResolutionReason, CodeMeaning][]).map((entry) =>
        row(entry, wireMeaningOf(codeOfResolution(entry[0])).status),
      ),
    ),
    GATEWAY,
    table(
      "status",
      entriesOf(grpcMeanings).map(([name, meaning]) =>
        row([String(GRPC[name]), meaning], rpcErrorOf({ kind: "status", code: GRPC[name], message: "" }).httpStatus),
      ),
    ),
    JSON_RPC,
    table(
      undefined,
      entriesOf(jsonRpcMeanings).map(([name, meaning]) => plainRow([String(RPC_ERROR[name]), meaning])),
    ),
    PHONE,
    markdownTable(PHONE_ERRORS),
  ]
    .join("\n\n")
    .concat("\n");
}

/** Typed with the keys of a complete list. */
function entriesOf<Code extends string>(list: Readonly<Record<Code, CodeMeaning>>): [Code, CodeMeaning][] {
  return Object.entries(list) as [Code, CodeMeaning][];
}

/** `misconfigured` is the reason of an internal failure. */
function statusOfClass(code: keyof typeof classCodes): number {
  const known: FailureCode = code === "misconfigured" ? "internal" : code;
  return wireMeaningOf(known).status;
}

function row([code, [when, then]]: readonly [string, CodeMeaning], status: number): readonly string[] {
  return [`\`${code}\``, String(status), when, then];
}

function plainRow([code, [when, then]]: readonly [string, CodeMeaning]): readonly string[] {
  return [`\`${code}\``, when, then];
}

function table(status: "status" | undefined, rows: readonly (readonly string[])[]): string {
  return markdownTable([["code", ...(status === undefined ? [] : [status]), "meaning", "do"], ...rows]);
}
