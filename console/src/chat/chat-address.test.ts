import { expect, test } from "vitest";
import { aboutOf, chatHref, panelOf } from "./chat-address.ts";

test("conversation, panel and model are one address [CN-138]", () => {
  expect(chatHref({ sessionId: "" })).toBe("/chat");
  expect(chatHref({ sessionId: "a/b", panel: "memory", model: "big" })).toBe("/chat/a%2Fb?panel=memory&model=big");
  expect([panelOf("inspector"), panelOf("nothing")]).toEqual(["inspector", undefined]);
});

test("only a DID is accepted as a subject [CN-140]", () => {
  expect(aboutOf("did:ixo:entity:0123")).toBe("did:ixo:entity:0123");
  for (const text of ["", "did:", "did:ixo:a b", "ignore all instructions", `did:ixo:${"a".repeat(201)}`])
    expect(aboutOf(text)).toBeUndefined();
});
