/** The text format of Prometheus (version 0.0.4). */

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The lines of one metric. */
export function metric(
  name: string,
  type: "counter" | "gauge" | "histogram",
  help: string,
  samples: readonly Sample[],
): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => sampleText(name, sample))];
}

export function sampleText(name: string, { labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Lines of metrics as one document. */
export function metricsDocument(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
