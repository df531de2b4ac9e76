/**
 * The licence notices of a descriptor set's sources: it contains other people's .proto files. Apache-2.0 texts are recognised by
 * their copyright lines, since the text itself is in LICENSE; any other text is included in full.
 */

export interface Input {
  readonly name: string;
  readonly version: string;
  /** The text of the package's LICENSE. */
  readonly licence: string;
}

const APACHE = /Apache License\s+Version 2\.0, January 2004/;
const PLACEHOLDER = "[name of copyright owner]";
const RULE = "-".repeat(80);

export function noticesOf(inputs: readonly Input[]): string {
  const isApache = ({ licence }: Input): boolean => APACHE.test(licence);
  const apache = inputs.filter(isApache).map((input) => `${title(input)}\n${copyrightLines(input.licence)}`);
  const others = inputs.filter((input) => !isApache(input));
  return (
    [
      "The descriptor sets in this folder are compiled from proto/, which is part of this project (proto/README.md tells where\nits facts come from), and from the files of the packages below. The sets hold the\nlatter without comments, and without what the gateway does not read.",
      `Under the Apache License, Version 2.0 (LICENSE at the root of this project):\n\n${apache.join("")}`.trimEnd(),
      ...others.map((input) => `${RULE}\n${title(input)}\n\n${input.licence.trim()}`),
    ].join("\n\n") + "\n"
  );
}

function title({ name, version }: Input): string {
  return `${name} ${version}`;
}

/** In an Apache text: the line of its appendix that names the owner, indented; empty if it was not filled in. */
function copyrightLines(licence: string): string {
  const lines = licence.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => /^Copyright (\d{4}|\[yyyy\])/.test(line) && !line.includes(PLACEHOLDER))
    .map((line) => `  ${line}\n`)
    .join("");
}
