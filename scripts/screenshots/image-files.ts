/** Pictures as files of docs/images: WebP, still or animated, as small as sharpness allows. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { projectRoot } from "../run-command.ts";

export const imageFolder = "docs/images";

/** One picture of a recording and how long it is shown. */
export interface Frame {
  /** PNG. */
  readonly picture: Buffer;
  readonly milliseconds: number;
  /** A line below the picture that describes the step. */
  readonly caption?: string;
}

/** A picture as PNG, or the frames of a recording. */
export type Image = Buffer | readonly Frame[];

/** Writes `docs/images/<name>.webp` and returns its size in bytes. */
export async function writeImage(name: string, image: Image): Promise<number> {
  const bytes = Buffer.isBuffer(image) ? await still(image) : await recording(image);
  await mkdir(join(projectRoot, imageFolder), { recursive: true });
  await writeFile(join(projectRoot, imageFolder, `${name}.webp`), bytes);
  return bytes.length;
}

/** Flat colours and text take fewer bytes nearly lossless, gradients take fewer bytes lossy. */
const ways = [
  { nearLossless: true, quality: 60, effort: 5 },
  { quality: 90, effort: 5 },
] as const;

async function still(picture: Buffer): Promise<Buffer> {
  const files = await Promise.all(ways.map((way) => sharp(picture).webp(way).toBuffer()));
  return files.reduce((least, file) => (file.length < least.length ? file : least));
}

/** Frames are stored as differences from the previous frame. */
const moving = { quality: 82, effort: 4 } as const;

/** Repeats without an end. */
export async function recording(frames: readonly Frame[]): Promise<Buffer> {
  const hasCaptions = frames.some(({ caption }) => caption !== undefined);
  const pictures = hasCaptions
    ? await Promise.all(frames.map(({ picture, caption = "" }) => captioned(picture, caption)))
    : frames.map(({ picture }) => picture);
  return sharp(pictures, { join: { animated: true } })
    .webp({ ...moving, loop: 0, delay: frames.map(({ milliseconds }) => milliseconds) })
    .toBuffer();
}

/** Pixels of the line below a picture, as a share of the picture's width. */
const CAPTION_HEIGHT = 0.08;
const captionColours = { paper: "#0f6b4f", ink: "#ffffff" };

async function captioned(picture: Buffer, caption: string): Promise<Buffer> {
  const { width, height } = await sharp(picture).metadata();
  const line = Math.round(width * CAPTION_HEIGHT);
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${line}">
    <text x="50%" y="50%" dy="0.35em" text-anchor="middle" font-family="sans-serif" font-size="${line * 0.46}" fill="${captionColours.ink}">${caption}</text>
  </svg>`;
  return sharp(picture)
    .extend({ bottom: line, background: captionColours.paper })
    .composite([{ input: Buffer.from(text), top: height, left: 0 }])
    .png()
    .toBuffer();
}
