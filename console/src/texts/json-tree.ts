/** Words of the viewer of JSON values. */
import { grouped, plural } from "./number.ts";

export const jsonTreeTexts = {
  document: "Whole document",
  members: (count: number) => plural(count, "member", "members"),
  items: (count: number) => plural(count, "item", "items"),
  characters: (count: number) => `${grouped(count)} characters`,
  more: (remaining: number, slice: number) =>
    `Show ${grouped(Math.min(remaining, slice))} more of ${grouped(remaining)}`,
  selected: "Selected:",
  copyJson: "Copy JSON",
  copyPointer: "Copy pointer",
};
