/** The files of an unsent message. */
import { expect, test } from "vitest";
import { openAttachedFiles, type AttachedFile } from "./attached-files.ts";

const file = (key: string, kind: "sending" | "failed" = "sending"): AttachedFile => ({
  key,
  name: `${key}.txt`,
  type: "text/plain",
  size: 1,
  state: kind === "failed" ? { kind, reason: "no" } : { kind },
});

test("only uploaded files are sent, once; the others stay with their message [CN-286]", () => {
  const files = openAttachedFiles();
  files.add("one", [file("a"), file("b"), file("c", "failed")]);
  files.change("one", "a", { kind: "ready", mxcUri: "oracle-file:a" });
  expect(files.takeReady("one").map(({ key }) => key)).toEqual(["a"]);
  expect(files.takeReady("one")).toEqual([]);
  expect(files.read("one").map(({ key }) => key)).toEqual(["b", "c"]);
  expect(files.read("two")).toEqual([]);
});

test("a file that is removed during its upload does not return [CN-286]", () => {
  const files = openAttachedFiles();
  files.add("one", [file("a")]);
  files.remove("one", "a");
  files.change("one", "a", { kind: "ready", mxcUri: "oracle-file:a" });
  expect(files.read("one")).toEqual([]);
});
