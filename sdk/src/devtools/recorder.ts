/** What the devtools keep, for applications that draw it themselves, in production too. */
import { createInspector, type Inspector } from "./inspector.ts";

/** The entries, and the function that takes them, which is always there. */
export type Recorder = Inspector & { readonly inspect: NonNullable<Inspector["inspect"]> };

/**
 * Keeps the newest entries of what goes between the page and its oracles, as `createInspector` does, but in production too: for an
 * application that has an inspector of its own for its users. It holds no token.
 *
 * @example
 * const recorder = createRecorder();
 * <OraclesProvider inspect={recorder.inspect} {...wallet} />;
 * recorder.subscribe(() => draw(recorder.getSnapshot()));
 */
export function createRecorder(): Recorder {
  return createInspector();
}
