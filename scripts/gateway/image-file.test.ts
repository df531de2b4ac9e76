import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixtureImage, ixoImage } from "../../test/support/query-gateway/gateway-fixture.ts";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { FILE_SET as setOfWorker } from "../../workers/query-gateway/deployments/config.ts";
import * as worker from "../../workers/query-gateway/descriptors/schema.ts";
import { FILE_CONFIG, FILE_SET, IMAGE_BYTES_MAX, IMAGE_FILE, imageFault, usesFile } from "./image-file.ts";

test("limit and names equal the Worker's [QG-120, QG-121]", () => {
  expect([IMAGE_BYTES_MAX, IMAGE_FILE, FILE_SET]).toEqual([worker.IMAGE_BYTES_MAX, worker.IMAGE_FILE, setOfWorker]);
});

function fileOf(bytes: Uint8Array | string): string {
  const path = join(temporaryDirectory(), "image.binpb");
  writeFileSync(path, bytes);
  return path;
}

test("a descriptor set with routes is accepted", () => {
  for (const image of [fixtureImage(), ixoImage()]) expect(imageFault(fileOf(image))).toBeUndefined();
});

test.each<[string, Uint8Array | string]>([
  ["is not a google.protobuf.FileDescriptorSet", "<html>"],
  ["is not a google.protobuf.FileDescriptorSet", ixoImage().subarray(0, 1000)],
  ["has no method with an HTTP rule", ""],
  [`has ${IMAGE_BYTES_MAX + 1} bytes; an image has at most 5000000`, new Uint8Array(IMAGE_BYTES_MAX + 1)],
  ["is not a google.protobuf.FileDescriptorSet", new Uint8Array(IMAGE_BYTES_MAX)],
])("%s", (words, bytes) => {
  expect(imageFault(fileOf(bytes))).toContain(words);
});

test("a missing file is reported by name", () => {
  expect(imageFault(join(temporaryDirectory(), "none"))).toMatch(/none cannot be read: ENOENT/);
});

test("a configuration uses the file if a chain profile lists it", () => {
  expect(usesFile(FILE_CONFIG)).toBe(true);
  expect(usesFile('{"deployments":[{"name":"a"},{"name":"b","sets":["ixo","file"]}]}')).toBe(true);
  expect(usesFile('{"deployments":[{"name":"a","sets":["ixo"]}]}')).toBe(false);
  expect(usesFile("{}")).toBe(false);
});
