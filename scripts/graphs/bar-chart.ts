/** A chart of horizontal bars as an SVG that a page shows as an image: its own background, no script, no style sheet. */

export interface Bar {
  readonly label: string;
  /** A second line under the label. */
  readonly note: string;
  readonly value: number;
  /** The text to the right of the bar. */
  readonly text: string;
  /** The aim, in the unit of `value`. */
  readonly aim?: number | undefined;
  readonly missed?: boolean | undefined;
}

export interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** A dashed line through all bars, such as the bare Worker. */
  readonly line?: { readonly at: number; readonly label: string };
}

/** Pixels. */
const WIDTH = 800;
const BAR_START = 350;
const BAR_WIDTH = 290;
const ROW = 36;
const TOP = 56;
const BOTTOM = 16;
const BAR_HEIGHT = 14;

/** Legible on the chart's own white background, whatever the page's theme. */
const colours = { text: "#1f2328", note: "#59636e", met: "#0969da", missed: "#9a6700", line: "#d0d7de" };

/** Longer bars end here and keep their number: one of them must not make the others invisible. */
const LONGEST = 2.5;

export function drawBars({ title, bars, line }: Chart): string {
  const reference = line?.at ?? Math.max(...bars.map(({ value, aim = 0 }) => Math.max(value, aim)));
  const largest = Math.max(
    reference,
    ...bars.flatMap(({ value, aim = 0 }) => [Math.min(value, reference * LONGEST), aim]),
  );
  const at = (value: number): number => BAR_START + Math.round((Math.min(value, largest) / largest) * BAR_WIDTH);
  const height = TOP + bars.length * ROW + BOTTOM;
  const rows = bars.map((bar, index) => drawBar(bar, TOP + index * ROW, at));
  const across =
    line === undefined
      ? []
      : [
          `<line x1="${at(line.at)}" y1="${TOP - 8}" x2="${at(line.at)}" y2="${height - BOTTOM}" stroke="${colours.note}" stroke-dasharray="3 3"/>`,
          write(at(line.at), TOP - 14, line.label, { fill: colours.note, size: 11, anchor: "middle" }),
        ];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6" fill="#ffffff" stroke="${colours.line}"/>`,
    write(16, 26, title, { fill: colours.text, size: 15, weight: 600 }),
    ...rows.flat(),
    ...across,
    "</svg>",
  ].join("\n")}\n`;
}

function drawBar(
  { label, note, value, text, aim, missed = false }: Bar,
  top: number,
  at: (value: number) => number,
): readonly string[] {
  const middle = top + ROW / 2 - 4;
  const end = at(value);
  return [
    write(16, middle - 1, label, { fill: colours.text, size: 13 }),
    write(16, middle + 13, note, { fill: colours.note, size: 11 }),
    `<rect x="${BAR_START}" y="${middle - BAR_HEIGHT / 2}" width="${Math.max(1, end - BAR_START)}" height="${BAR_HEIGHT}" rx="2" fill="${missed ? colours.missed : colours.met}"/>`,
    ...(aim === undefined
      ? []
      : [
          `<line x1="${at(aim)}" y1="${middle - BAR_HEIGHT}" x2="${at(aim)}" y2="${middle + BAR_HEIGHT}" stroke="${colours.text}" stroke-width="2"/>`,
        ]),
    write(BAR_START + BAR_WIDTH + 12, middle + 4, text, { fill: colours.text, size: 12 }),
  ];
}

function write(
  x: number,
  y: number,
  text: string,
  { fill, size, weight = 400, anchor = "start" }: { fill: string; size: number; weight?: number; anchor?: string },
): string {
  return `<text x="${x}" y="${y}" fill="${fill}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
