import { describe, expect, test } from "vitest";
import { renderDocPage } from "../doc-pages.ts";
import { docPages } from "../docs/pages.ts";
import { sdkEntries } from "./entries.ts";
import { publicNames, type PublicName } from "./public-api.ts";

describe.each(sdkEntries())("$name", ({ source }) => {
  const names = publicNames(source);

  test("every export has a docstring and a heading in the reference [SD-214]", () => {
    const page = docPages.find(({ name }) => name === "sdk/reference");
    const html = page === undefined ? "" : renderDocPage(page);
    const isMissing = ({ name, doc }: PublicName): boolean =>
      doc === undefined || doc.text === "" || !html.includes(`<h3 id="${name.toLowerCase()}">`);
    expect(names.filter(isMissing).map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
  });
});
