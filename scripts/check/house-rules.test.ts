/** Each house rule refuses its subject, and accepts an ordinary file. */
import { expect, test } from "vitest";
import { houseFaults } from "./house-rules.ts";

const ordinary = '/** A run. */\nimport * as z from "zod";\nimport type { Row } from "./row.ts";\n';

test("an ordinary file has no faults", () => {
  expect(houseFaults("durable-objects/chat-session/run-log.ts", ordinary)).toEqual([]);
  expect(houseFaults("workers/index.ts", ordinary)).toEqual([]);
  expect(houseFaults("platform/json.ts", '/** A schema. */\nimport type * as z from "zod";\n')).toEqual([]);
});

test.each(["workers/oracle/utils.ts", "workers/helpers.ts", "sdk/src/types.ts", "test/support/helper.ts"])(
  "%s does not describe its content",
  (path) => {
    expect(houseFaults(path, ordinary)).toEqual([`${path}: name the file after what it holds`]);
  },
);

test("an index is a barrel", () => {
  expect(houseFaults("oracle/plugins/index.ts", ordinary)).toHaveLength(1);
});

test("a file without a header is refused", () => {
  expect(houseFaults("workers/oracle/app.ts", "export const answer = 42;\n")).toHaveLength(1);
});

test.each([
  'import { z } from "zod";',
  'import z from "zod";',
  'import {\n  z,\n} from "zod";',
  'import z, { ZodError } from "zod";',
])("%s is refused", (statement) => {
  expect(houseFaults("workers/oracle/app.ts", `/** App. */\nimport { Hono } from "hono";\n${statement}\n`)).toEqual([
    'workers/oracle/app.ts: write `import * as z from "zod"`',
  ]);
});
