/** The graph of docs/scaling.md: the load at which each hot object and table saturates, as a share of the target. */
import { valuesWith } from "../../bench/scale/limits.ts";
import { saturations } from "../../bench/scale/scenarios.ts";
import { drawBars } from "./bar-chart.ts";

/** The name of the file in docs/images, without its extension. */
export const SCALING = "scaling";

/** Longer bars would make the short ones, which matter, invisible. */
const LONGEST_SHARE = 2;

export function drawScaling(): string {
  const bars = saturations(valuesWith({})).map(({ what, target, unit, at }) => {
    const share = at / target;
    return {
      label: what,
      note: `target ${target.toLocaleString("en-US")} ${unit}`,
      value: Math.min(share, LONGEST_SHARE),
      text: share > LONGEST_SHARE ? "over 200 %" : `${figure(at)} (${Math.round(share * 100)} %)`,
      missed: share < 1,
    };
  });
  return drawBars({ title: "Load at which hot objects and tables saturate", bars, line: { at: 1, label: "target" } });
}

function figure(value: number): string {
  return value.toLocaleString("en-US", { maximumSignificantDigits: 2 });
}
