import { expect, test } from "vitest";
import { maskPhone } from "./session-client.ts";

test.each([
  ["+260971234567", "+260******567"],
  ["+123456789", "+123***789"],
  ["+12345678", "+******78"],
  ["+1234567", "+*****67"],
])("%s is masked as %s [PH-97, PH-115]", (phoneNumber, shown) => {
  expect(maskPhone(phoneNumber)).toBe(shown);
});
