/** Words of the viewer of JSON values. */
import { grouped } from "./number.ts";

export const jsonTreeTexts = {
  document: "Whole document",
  members: (count: number) => (count === 1 ? "1 member" : `${grouped(count)} members`),
  items: (count: number) => (count === 1 ? "1 item" : `${grouped(count)} items`),
  characters: (count: number) => `${grouped(count)} characters`,
  more: (remaining: number, slice: number) =>
    `Show ${grouped(Math.min(remaining, slice))} more of ${grouped(remaining)}`,
  selected: "Selected:",
  copyJson: "Copy JSON",
  copyPointer: "Copy pointer",
};
