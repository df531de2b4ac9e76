/** A media server outside the runtime under test, for tests of plugins inside workerd: they find it by vitest's `inject`. */
import type { TestProject } from "vitest/node";
import { startMediaServer, type MediaServer } from "./peers/media-server.ts";

export interface MediaForPlugins extends Pick<MediaServer, "url" | "token" | "variables" | "attachments"> {
  /** Texts of 25 MB each. */
  readonly large: readonly string[];
  /** More than a message may have, as files of some bytes each. */
  readonly small: readonly string[];
}

declare module "vitest" {
  interface ProvidedContext {
    media: MediaForPlugins;
  }
}

const SMALL_FILES = 105;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const media = await startMediaServer();
  const { url, token, variables, attachments } = media;
  const large = ["one", "two", "three"].map((name) => media.put(`large_${name}`, { undeclared: 25_000_000 }));
  const small = Array.from({ length: SMALL_FILES }, (_, index) =>
    media.put(`small_${index}`, { bytes: new TextEncoder().encode(`small file ${index}`) }),
  );
  project.provide("media", { url, token, variables, attachments, large, small });
  return () => media.stop();
}
