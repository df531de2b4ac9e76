/** The lines of an NDJSON response as they arrive. A text after the last line feed is incomplete and is omitted. */
import { chunksOf, linesOf } from "../../../shared/stream-lines.ts";
import { failureOfThrown } from "../api/api-failure.ts";

export async function* responseLines({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  for await (const { text, isWhole } of linesOf(received(body))) if (isWhole && text !== "") yield text;
}

/** A connection that is lost while the response is read is thrown as an ApiFailure without a status. */
async function* received(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksOf(body);
  } catch (error) {
    throw failureOfThrown(error);
  }
}
