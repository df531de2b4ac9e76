/** Responses of newline-delimited JSON, and clients that disconnect. */
import { expect, test } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import { ndjsonResponse } from "./ndjson.ts";

function recordedLog() {
  const lines: string[] = [];
  return { lines, log: createLogger({}, (_level, line) => void lines.push(line)) };
}

test("writes one line per object; if an object cannot be produced, the response breaks off and the error is logged", async () => {
  const { lines, log } = recordedLog();
  const response = ndjsonResponse(
    (async function* () {
      yield [{ at: 1 }, { at: 2 }];
      throw new Error("the database is away");
    })(),
    log,
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe('{"at":1}\n{"at":2}\n');
  await expect(reader?.read()).rejects.toThrow("away");
  expect(lines).toEqual([expect.stringContaining("the database is away")]);
});

test("a client that disconnects while a part is produced causes no error, and nothing more is produced", async () => {
  const { lines, log } = recordedLog();
  const making = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let made = 0;
  const response = ndjsonResponse(
    (async function* () {
      for (;;) {
        made += 1;
        making.resolve();
        await gone.promise;
        yield [{ made }];
      }
    })(),
    log,
  );
  const reader = response.body?.getReader();
  const reading = reader?.read();
  await making.promise;
  const left = reader?.cancel();
  gone.resolve();
  await left;
  expect(await reading).toMatchObject({ done: true });
  expect([made, lines]).toEqual([1, []]);
});
