import { describe, expect, test } from "vitest";
import { ignoredMembers } from "./ignored-members.ts";

const entity = { type: "Project", class: "did:ixo:protocol:x", status: "active" };

describe("members that a new domain does not have", () => {
  test("none", () => {
    expect(ignoredMembers({ ...entity, protocol: "did:ixo:protocol:x", controller: "did:key:a" })).toEqual({});
  });

  test.each([
    ["metdata", "metadata"],
    ["Metadata", "metadata"],
    ["metadtaa", "metadata"],
    ["valid_from", "validFrom"],
    ["validUntill", "validUntil"],
    ["controler", "controllers"],
    ["relayer_node", "relayerNode"],
    ["clas", "class"],
  ])("%s is ignored, and perhaps %s was meant", (name, meant) => {
    expect(ignoredMembers({ ...entity, [name]: {} })).toEqual({ ignored: [name], didYouMean: { [name]: meant } });
  });

  test.each(["id", "verificationStatus", "version", "x", "__proto__x", "typography"])(
    "%s looks like no other",
    (name) => {
      expect(ignoredMembers({ ...entity, [name]: 1 })).toEqual({ ignored: [name] });
    },
  );

  test("at most fifty, each cut", () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${"x".repeat(200)}${at}`, at]));
    const { ignored = [] } = ignoredMembers(many);
    expect([ignored.length, Math.max(...ignored.map(({ length }) => length))]).toEqual([50, 100]);
  });
});
