/** A descriptor set from a node's own reflection, over real gRPC, and the errors without one. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { fixtureImage, ixoImage } from "../../test/support/query-gateway/gateway-fixture.ts";
import { startReflectingNode, type ReflectingNodeOptions } from "../../test/support/query-gateway/reflecting-node.ts";
import { loadSchema } from "../../workers/query-gateway/descriptors/schema.ts";
import { imageOfNode, NODE_ANSWER_BYTES_MAX, type NodeImage, type NodeImageLimits } from "./node-image.ts";
import { REFLECTION_PACKAGES } from "./reflection.ts";

const builtIn = ixoImage();
const ask = (url: string, timeoutMs = 60_000, limits?: NodeImageLimits) => {
  const transport = createGrpcTransport({ baseUrl: url, readMaxBytes: NODE_ANSWER_BYTES_MAX });
  return imageOfNode(url, { transport, builtIn, timeoutMs, ...(limits && { limits }) });
};

async function made(
  image: Uint8Array,
  options: ReflectingNodeOptions,
  limits?: NodeImageLimits,
): Promise<NodeImage | string> {
  const node = await startReflectingNode(image, options);
  const answer = await ask(node.url, undefined, limits);
  await node.close();
  return answer;
}

function imageOf(answer: NodeImage | string): Uint8Array {
  if (typeof answer === "string") throw new Error(answer);
  return answer.image;
}

/** Every method with its rules: the routes that the gateway serves from a descriptor set. */
function rulesOf(image: Uint8Array): Record<string, unknown> {
  return Object.fromEntries(loadSchema(image).methods.map(({ path, rules }) => [path, rules]));
}
const builtInRules = rulesOf(builtIn);

describe.each(REFLECTION_PACKAGES)("%s [QG-122]", (packageName) => {
  test.each([true, false])("the HTTP rules are included; imports returned at once: %s", async (withImports) => {
    const answer = await made(builtIn, { packages: [packageName], withImports });
    expect(rulesOf(imageOf(answer))).toEqual(builtInRules);
    expect(answer).toMatchObject({ services: 43, routes: 271 });
  });
});

test("includes every form of a rule, and everything needed to print an answer", async () => {
  const image = imageOf(await made(fixtureImage(), { packages: ["grpc.reflection.v1"] }));
  expect(rulesOf(image)).toEqual(rulesOf(fixtureImage()));
  const chain = imageOf(await made(builtIn, { packages: ["grpc.reflection.v1"] }));
  const coin = (set: Uint8Array) => loadSchema(set).registry.getMessage("cosmos.base.v1beta1.Coin")?.fields[1]?.proto;
  expect(coin(chain)).toEqual(coin(builtIn));
});

test("includes the types that an Any may contain if the node lists them", async () => {
  const message = "ixo.claims.v1beta1.MsgSubmitClaim";
  const packages = ["grpc.reflection.v1"];
  const without = loadSchema(imageOf(await made(builtIn, { packages })));
  expect(without.registry.getMessage(message)).toBeUndefined();
  const listed = loadSchema(imageOf(await made(builtIn, { packages, anyTypes: [message, "no.such.Type"] })));
  expect(listed.registry.getMessage(message)?.fields.length).toBe(10);
});

test("files that every chain uses may be missing at the node", async () => {
  const hidden = ["gogoproto/gogo.proto", "google/api/annotations.proto", "google/protobuf/any.proto"];
  const answer = await made(builtIn, { packages: ["grpc.reflection.v1alpha"], hidden });
  expect(rulesOf(imageOf(answer))).toEqual(builtInRules);
});

describe("a failure is one sentence", () => {
  test("for an import that is nowhere", async () => {
    const set = fromBinary(FileDescriptorSetSchema, builtIn);
    const file = set.file.find(({ name }) => name === "ixo/token/v1beta1/token.proto");
    if (file === undefined) throw new Error("no such file");
    for (const each of set.file) {
      if (each === file) each.name = "own/token.proto";
      each.dependency = each.dependency.map((name) => (name === "ixo/token/v1beta1/token.proto" ? file.name : name));
    }
    const image = toBinary(FileDescriptorSetSchema, set);
    expect(await made(image, { packages: ["grpc.reflection.v1"], hidden: ["own/token.proto"] })).toMatch(
      /: it does not return own\/token\.proto, which ixo\/token\/v1beta1\/query\.proto imports$/,
    );
  });

  test("for a node without reflection, and one whose services have no rules", async () => {
    expect(await made(builtIn, { packages: [] })).toContain("it has no server reflection");
    const set = fromBinary(FileDescriptorSetSchema, builtIn);
    for (const file of set.file)
      for (const service of file.service) for (const each of service.method) delete each.options;
    const image = toBinary(FileDescriptorSetSchema, set);
    expect(await made(image, { packages: ["grpc.reflection.v1"] })).toContain(
      "none of its 43 services has an HTTP rule",
    );
  });

  test("for no server, an HTTP/1 server, and one that does not respond", async () => {
    const web = createServer((_, response) => response.end("<html>"));
    const mute = createTcpServer();
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const at = (server: { address(): unknown }) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await ask("http://127.0.0.1:1")).toContain("cannot be reached");
    expect(await ask(at(web))).toMatch(/cannot be reached, or does not speak gRPC|does not speak gRPC there/);
    expect(await ask(at(mute), 300)).toContain("does not answer within 300 ms");
    web.close();
    mute.close();
  });
});

describe("a node that answers endlessly [QG-143]", () => {
  const packages = ["grpc.reflection.v1"];
  const fixture = fixtureImage();
  const files = fromBinary(FileDescriptorSetSchema, fixture).file;
  const enough: NodeImageLimits = { timeMs: 60_000, names: 5_000, bytes: 50_000_000 };
  const bytes = files.reduce((sum, file) => sum + toBinary(FileDescriptorProtoSchema, file).byteLength, 0);

  test.each([
    ["files", { names: files.length }, `it has more than ${files.length - 1} files`, { names: files.length - 1 }],
    ["bytes", { bytes }, `it sends more than ${bytes - 1} bytes of files`, { bytes: bytes - 1 }],
  ])("is limited in %s", async (_, most, message, less) => {
    expect(imageOf(await made(fixture, { packages }, { ...enough, ...most })).byteLength).toBeGreaterThan(0);
    expect(await made(fixture, { packages }, { ...enough, ...less })).toContain(message);
  });

  test("is limited in services and types", async () => {
    const limits = { ...enough, names: 42 };
    expect(await made(builtIn, { packages }, limits)).toContain("it has more than 42 services and types");
  });

  test("is limited in one answer", async () => {
    const set = fromBinary(FileDescriptorSetSchema, fixture);
    const [file] = set.file.filter(({ service }) => service.length > 0);
    if (file === undefined) throw new Error("the fixture has no service");
    file.syntax = "x".repeat(NODE_ANSWER_BYTES_MAX);
    const image = toBinary(FileDescriptorSetSchema, set);
    expect(await made(image, { packages })).toContain(
      `it sends more than ${NODE_ANSWER_BYTES_MAX} bytes in one answer`,
    );
  });

  test("is limited in time", async () => {
    const mute = createTcpServer();
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    expect(await ask(url, 60_000, { ...enough, timeMs: 300 })).toContain("it did not finish within 300 ms");
    mute.close();
  });
});
