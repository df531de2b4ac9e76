/** Ages in everyday words, at the edges of their units. */
import { expect, test } from "vitest";
import { relativeTime } from "./relative-time.ts";

const now = Date.UTC(2026, 10, 22, 12);

test.each([
  [0, "just now"],
  [-1_999, "just now"],
  [1_999, "just now"],
  [-2_000, "2 sec. ago"],
  [-59_999, "59 sec. ago"],
  [-60_000, "1 min. ago"],
  [-3_600_000, "1 hr. ago"],
  [-86_400_000, "1 day ago"],
  [-2_592_000_000, "30 days ago"],
  [7_775_999_000, "in 89 days"],
  [-8_639_999_000, "99 days ago"],
  [-8_640_000_000, "3 mo. ago"],
  [7_200_000, "in 2 hr."],
])("%i ms from now is %s", (distance, words) => {
  expect(relativeTime(now + distance, now)).toBe(words);
});
