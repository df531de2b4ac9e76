import { describe, expect, test } from "vitest";
import { ignoredMembers } from "./ignored-members.ts";

const entity = { type: "Project", class: "did:ixo:protocol:x", status: "active" };

describe("members that a new domain does not define", () => {
  test("reports nothing if all members are known", () => {
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
  ])("ignores %s and suggests %s", (name, meant) => {
    expect(ignoredMembers({ ...entity, [name]: {} })).toEqual({ ignored: [name], didYouMean: { [name]: meant } });
  });

  test.each(["id", "verificationStatus", "version", "x", "__proto__x", "typography"])(
    "has no suggestion for %s",
    (name) => {
      expect(ignoredMembers({ ...entity, [name]: 1 })).toEqual({ ignored: [name] });
    },
  );

  test("reports members inside document, credentials and accounts once each, without item numbers [RG-46]", () => {
    const service = { id: "s", type: "t", serviceEndpoint: "https://a.test", colour: 1 };
    const method = { id: "k", type: "t", blockchainAccountID: "a", publicKey: "x" };
    const sent = {
      ...entity,
      metadata: { anything: { at: "all" } },
      document: { service: [service, service, "text"], verificationMethod: [method], servce: [], keyAgreement: ["k"] },
      credentials: ["did:a:b", { id: "did:a:b", kind: "x" }],
      accounts: [{ name: "a", address: "b", chain: "c" }],
    };
    expect(ignoredMembers(sent)).toEqual({
      ignored: [
        "document/servce",
        "document/verificationMethod/publicKey",
        "document/service/colour",
        "credentials/kind",
        "accounts/chain",
      ],
    });
  });

  test("an import line can have an owner, a body cannot [RG-217]", () => {
    expect(ignoredMembers({ ...entity, owner: "did:a:b" }, ["owner"])).toEqual({});
    expect(ignoredMembers({ ...entity, owner: "did:a:b" })).toEqual({ ignored: ["owner"] });
  });

  test("reports at most fifty names, each cut", () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${"x".repeat(200)}${at}`, at]));
    const { ignored = [] } = ignoredMembers(many);
    expect([ignored.length, Math.max(...ignored.map(({ length }) => length))]).toEqual([50, 100]);
  });
});
