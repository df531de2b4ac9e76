import { expect, test } from "vitest";
import { noticesOf } from "./notices.ts";

const apache = (owner: string): string => `Apache License
   Version 2.0, January 2004

   the copyright notice that is included in the work

   Copyright ${owner}
`;

test("an Apache licence is represented by its owner, any other in full", () => {
  const text = noticesOf([
    { name: "a", version: "1.0.0", licence: apache("2016 All in Bits, Inc") },
    { name: "b", version: "2.0.0", licence: apache("[yyyy] [name of copyright owner]") },
    { name: "c", version: "3.0.0", licence: "MIT License\n\nPermission is hereby granted\n" },
  ]);
  expect(text).toContain("a 1.0.0\n  Copyright 2016 All in Bits, Inc\nb 2.0.0\n\n");
  expect(text).toMatch(/-\nc 3\.0\.0\n\nMIT License\n\nPermission is hereby granted\n$/);
  expect(text).not.toContain("[yyyy]");
});
