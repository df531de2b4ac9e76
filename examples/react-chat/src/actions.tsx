/**
 * AG-UI actions: the components that the oracle can ask this page to show. `draw_chart` renders itself in the
 * conversation.
 */
import type { AgActionConfig } from "@twinedge/sdk";
import * as z from "zod";

const chart = z.object({
  title: z.string().describe("What the bars show"),
  unit: z.string().optional(),
  bars: z
    .array(z.object({ label: z.string(), value: z.number().nonnegative() }))
    .min(1)
    .max(12),
});

/** For the built-in model, which recognizes the example sentence in a tool's description. */
const example: z.infer<typeof chart> = {
  title: "Hours cooked by month",
  unit: "h",
  bars: [
    { label: "August", value: 48 },
    { label: "September", value: 57 },
    { label: "October", value: 61 },
  ],
};

function BarChart({ title, unit = "", bars }: z.infer<typeof chart>) {
  const largest = Math.max(...bars.map(({ value }) => value), 1);
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <dl>
        {bars.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <span className="bar-fill" style={{ inlineSize: `${(value / largest) * 70}%` }} aria-hidden="true" />
              {value} {unit}
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}

const drawChart: AgActionConfig<typeof chart> = {
  name: "draw_chart",
  description: `Draw a bar chart in the conversation\nExample: "Draw a chart of the hours cooked by month" ${JSON.stringify(example)}`,
  parameters: chart,
  handler: ({ bars }) => ({ success: true, drawn: bars.length }),
  render: ({ args, status }) => {
    const parsed = chart.safeParse(args);
    if (parsed.success) return <BarChart {...parsed.data} />;
    return <p className="card">{status === "isRunning" ? "Drawing a chart …" : "This chart cannot be drawn."}</p>;
  },
};

export const pageActions = [drawChart];
