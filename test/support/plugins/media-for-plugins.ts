/** A media server outside the runtime under test, for tests of plugins inside workerd, which find it by vitest's `inject`. */
import type { TestProject } from "vitest/node";
import { makeRawPdf, redPixel } from "../peers/media-files.ts";
import { startMediaServer, type MediaServer } from "../peers/media-server.ts";

export interface MediaForPlugins extends Pick<MediaServer, "url" | "token" | "variables" | "attachments"> {
  /** Texts of 25 MB each. */
  readonly large: readonly string[];
  /** A few more than are stored, of some bytes each. */
  readonly small: readonly string[];
  /** Images of 3 MB each. */
  readonly photos: readonly string[];
  /** A PDF of some KB that unpacks to 100 MB. */
  readonly bomb: string;
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
  const photo = Buffer.concat([redPixel, Buffer.alloc(3_000_000 - redPixel.length)]);
  const photos = ["one", "two", "three"].map((name) => media.put(`photo_${name}`, { bytes: photo }));
  const bomb = media.put("bomb", { bytes: makeRawPdf(Buffer.alloc(100_000_000, " ")) });
  project.provide("media", { url, token, variables, attachments, large, small, photos, bomb });
  return () => media.stop();
}
