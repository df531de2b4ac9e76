/** Recordings as files: their frames, how long each is shown, and the line below them. */
import sharp from "sharp";
import { expect, test } from "vitest";
import { recording } from "./image-files.ts";

const picture = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 200, height: 100, channels: 3, background } })
    .png()
    .toBuffer();

test("a recording shows each frame for its time, and repeats", async () => {
  const frames = [
    { picture: await picture("#ffffff"), milliseconds: 500 },
    { picture: await picture("#000000"), milliseconds: 2000 },
  ];
  const { pages, delay, loop, width, pageHeight } = await sharp(await recording(frames), { animated: true }).metadata();
  expect({ pages, delay, loop, width, pageHeight }).toEqual({
    pages: 2,
    delay: [500, 2000],
    loop: 0,
    width: 200,
    pageHeight: 100,
  });
});

test("a caption is a line below the picture, in all frames if one has it", async () => {
  const frames = [
    { picture: await picture("#ffffff"), milliseconds: 500, caption: "The line drops" },
    { picture: await picture("#fffffe"), milliseconds: 500 },
  ];
  const file = await recording(frames);
  expect((await sharp(file, { animated: true }).metadata()).pageHeight).toBe(116);
  // `stats` ignores what the pipeline cuts off.
  const lines = [0, 1].map((page) =>
    sharp(file, { page }).extract({ left: 0, top: 100, width: 200, height: 16 }).png().toBuffer(),
  );
  const [first, second] = await Promise.all(lines.map(async (line) => await sharp(await line).stats()));
  // The first line has light letters, seven pixels tall, on dark paper; the second is paper alone.
  expect(first?.isOpaque).toBe(true);
  expect(first?.channels[0]?.max).toBeGreaterThan(150);
  expect(second?.channels[0]?.max).toBeLessThan(40);
});
