/**
 * Google's own client library writes requests and this gateway reads them: for every method of the fixture and of the
 * ixo descriptor set, the node gets the client's message.
 */
import { toJson, type JsonObject, type Message } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { createTranscoder, type Transcoder } from "../../../test/support/query-gateway/transcoded-calls.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { randomRequest } from "../../../test/support/query-gateway/random-request.ts";
import type { Route } from "./routes.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
/** There are hundreds of routes, each with few fields. */
const runsOfARoute = Math.ceil(numRuns / 10);

interface Written {
  readonly httpMethod: string;
  readonly url: string;
  readonly queryString: string;
  readonly data: unknown;
}

/** Not exported by the library, so it is imported by its file. */
const gax = createRequire(import.meta.url)("../../../node_modules/google-gax/build/src/transcoding.js") as {
  transcode: (request: JsonObject, options: readonly object[]) => Written | undefined;
};

/** The HTTP methods that the library supports. */
const WRITTEN_METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function sendable({ plan }: Transcoder): readonly (readonly [string, Route])[] {
  const hidden = new Set(plan.table.shadowed.map(({ route }) => route));
  return plan.routes
    .filter((route) => !route.isAlias && !hidden.has(route) && WRITTEN_METHODS.includes(route.httpMethod))
    .filter(({ body }) => body.kind !== "field" || body.field.fieldKind === "message")
    .filter(({ method, body }) => method.input.typeName !== "google.api.HttpBody" && !isRawField(body))
    .map((route) => [`${route.method.parent.typeName}/${route.method.name} ${route.template.text}`, route]);
}

function isRawField(body: Route["body"]): boolean {
  return body.kind === "field" && body.field.message?.typeName === "google.api.HttpBody";
}

function write(route: Route, message: Message): Written {
  const { rule, method } = route;
  const json = toJson(method.input, message, { alwaysEmitImplicit: true }) as JsonObject;
  const option = { [rule.verb.toLowerCase()]: rule.template, ...(rule.body && { body: rule.body }) };
  const written = gax.transcode(json, [{ "(google.api.http)": option }]);
  if (written === undefined) throw new Error(`not written: ${JSON.stringify(json)}`);
  return written;
}

describe.each([
  ["the fixture", createTranscoder(fixtureImage())],
  ["the ixo descriptor set", createTranscoder(ixoImage())],
])("%s", (_name, transcoder) => {
  test.each(sendable(transcoder))("%s arrives as the client's message [QG-30]", (_route, route) => {
    fc.assert(
      fc.property(randomRequest(route), (message) => {
        const meant = toJson(route.method.input, message);
        const { httpMethod, url, queryString, data } = write(route, message);
        const line = `${httpMethod.toUpperCase()} ${url}?${queryString}`;
        const mapped = transcoder.map(line, data === "" ? "" : JSON.stringify(data));
        const note = JSON.stringify([line, mapped.ok ? mapped.value.route.template.text : mapped.error]);
        expect(mapped.ok && mapped.value.route, note).toBe(route);
        expect(mapped.ok && toJson(route.method.input, mapped.value.message), note).toEqual(meant);
      }),
      { numRuns: runsOfARoute },
    );
  });
});
