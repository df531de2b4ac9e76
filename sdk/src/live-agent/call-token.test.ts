import { afterEach, beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../../../test/support/server/dispose-after-tests.ts";
import { startLocalServer } from "../../../test/support/server/local-server.ts";
import { requestCallToken } from "./call-token.ts";

const token = { access_token: "openid", token_type: "Bearer", matrix_server_name: "mx.example", expires_in: 60 };
const granted = { url: "wss://sfu.example", jwt: "jwt" };
const started = disposeAfterTests();

/** The response of each service, by path. A missing entry is a missing route. */
let answers: Record<string, readonly [status: number, body: unknown]> = {};
let asked: { path: string; body: unknown }[] = [];
let origin = "";

beforeAll(async () => {
  const server = await startLocalServer((request, body, response) => {
    const path = String(request.url);
    asked.push({ path, body: JSON.parse(body) });
    const [status, answer] = answers[path] ?? [404, { statusCode: 404, message: `Cannot POST ${path}` }];
    response.writeHead(status).end(JSON.stringify(answer));
  });
  started({ close: server.close });
  origin = server.origin;
});

afterEach(() => {
  [answers, asked] = [{}, []];
});

function request(jwtServiceUrl?: string, isNetworkNamed = true) {
  return requestCallToken(
    {
      jwtServiceUrl,
      apiUrl: `${origin}/oracle`,
      defaultJwtServiceUrl: isNetworkNamed ? `${origin}/network` : undefined,
    },
    "$e@!r",
    token,
  );
}

const paths = () => asked.map(({ path }) => path);

test("only the service that the application names is asked [SD-177]", async () => {
  answers = { "/own": [200, granted], "/oracle/sfu/get": [200, granted] };
  expect(await request(`${origin}/own`)).toEqual(granted);
  expect(asked).toEqual([{ path: "/own", body: { room: "$e@!r", openid_token: token, device_id: "PORTAL" } }]);
  answers = {};
  await expect(request(`${origin}/own`)).rejects.toThrow("The service for call tokens refused with 404");
  expect(paths()).toEqual(["/own", "/own"]);
});

test("without a named service the oracle is asked, and then the network's service if the oracle has no such route [SD-177]", async () => {
  answers = { "/oracle/sfu/get": [200, granted] };
  expect(await request()).toEqual(granted);
  expect(paths()).toEqual(["/oracle/sfu/get"]);
  for (const status of [401, 403, 404, 405]) {
    asked = [];
    answers = {
      "/oracle/sfu/get": [status, { message: "Missing UCAN authentication" }],
      "/network": [200, { ...granted, jwt: "network" }],
    };
    expect(await request()).toEqual({ ...granted, jwt: "network" });
    expect(paths()).toEqual(["/oracle/sfu/get", "/network"]);
  }
});

test("a refusal by the oracle is final [SD-177]", async () => {
  const errcode = "M_UNAUTHORIZED";
  answers = { "/oracle/sfu/get": [401, { errcode, error: "no" }], "/network": [200, granted] };
  await expect(request()).rejects.toMatchObject({ status: 401, code: errcode });
  answers["/oracle/sfu/get"] = [500, {}];
  await expect(request()).rejects.toMatchObject({ status: 500 });
  answers["/oracle/sfu/get"] = [200, { url: "wss://sfu.example" }];
  await expect(request()).rejects.toThrow("The oracle answered without jwt");
  expect(paths()).toEqual(Array.from({ length: 3 }, () => "/oracle/sfu/get"));
});

test("without a named network only the oracle gets the OpenID token [SD-177]", async () => {
  answers = { "/network": [200, granted] };
  for (const status of [401, 403, 404]) {
    answers["/oracle/sfu/get"] = [status, { message: "Missing UCAN authentication" }];
    await expect(request(undefined, false)).rejects.toMatchObject({ status });
  }
  expect(new Set(paths())).toEqual(new Set(["/oracle/sfu/get"]));
  const source = { jwtServiceUrl: undefined, apiUrl: undefined, defaultJwtServiceUrl: undefined };
  await expect(requestCallToken(source, "room", token)).rejects.toThrow("No service signs tokens for calls");
});
