import { expect, test } from "vitest";
import { absoluteId, domainIdOf, isDomainId } from "./domain-id.ts";

test("makes an id from 16 bytes, in lower-case hexadecimal", () => {
  const id = domainIdOf(Uint8Array.from({ length: 16 }, (_, at) => at * 17));
  expect(id).toBe("did:ixo:entity:00112233445566778899aabbccddeeff");
  expect(isDomainId(id)).toBe(true);
  expect(isDomainId(id.toUpperCase())).toBe(false);
  expect(isDomainId(`${id}0`)).toBe(false);
});

test("a fragment refers to its own document", () => {
  expect(absoluteId("did:x:a", "#k")).toBe("did:x:a#k");
  expect(absoluteId("did:x:a", "did:x:b#k")).toBe("did:x:b#k");
});
