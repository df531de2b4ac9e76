/** The lines of an NDJSON answer as they come. What follows the last line feed was cut off and is left out. */
import { failureOfThrown } from "../api/api-failure.ts";

/** A connection that is lost on the way is thrown as an ApiFailure without a status. */
export async function* responseLines({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  const read = async () => {
    try {
      return await reader.read();
    } catch (error) {
      throw failureOfThrown(error);
    }
  };
  let rest = "";
  try {
    for (let part = await read(); !part.done; part = await read()) {
      const pieces = (rest + part.value).split("\n");
      rest = pieces.pop() ?? "";
      yield* pieces.filter((piece) => piece !== "");
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
