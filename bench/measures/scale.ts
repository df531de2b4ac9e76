/** A simulation on paper: where each hot object and table of a large deployment saturates, beside the load to reach. */
import type { BenchOptions } from "../arguments.ts";
import type { Row } from "../rows.ts";
import { monthlyCost, sizes } from "../scale/costs.ts";
import { valuesWith } from "../scale/limits.ts";
import { saturations, type Saturation } from "../scale/scenarios.ts";

/** Needs no server: it computes with the limits in bench/scale/limits.ts. */
export interface Simulation {
  readonly name: string;
  readonly about: string;
  readonly simulate: (options: BenchOptions, say: (line: string) => void) => readonly Row[];
}

export const scale: Simulation = {
  name: "scale",
  about: "simulated: the load at which hot objects and tables saturate, beside the target; --set changes a limit",
  simulate({ limits }, say) {
    const values = valuesWith(limits);
    const found = saturations(values);
    const [first] = found.toSorted((one, other) => one.at / one.target - other.at / other.target);
    if (first !== undefined)
      say(`The first to saturate: ${first.what}, at ${Math.round(first.at).toLocaleString("en-US")} ${first.unit}.`);
    for (const size of sizes) {
      const { phone, chat, database, total } = monthlyCost(size, values);
      const words = `${dollars(phone)} phone, ${dollars(chat)} chat, ${dollars(database)} database`;
      say(`A month of ${size.name} (${size.server?.name ?? "D1"}): ${words}; ${dollars(total)} US dollars in all`);
    }
    return found.map(rowOfSaturation);
  },
};

function rowOfSaturation({ what, target, unit, at }: Saturation): Row {
  const ratio = at / target;
  return {
    what,
    value: at,
    unit,
    spread: 0,
    baseline: { name: "target", value: target, ratio },
    aim: { ratio: 1 },
    met: ratio >= 1,
  };
}

function dollars(amount: number): string {
  return Math.round(amount).toLocaleString("en-US");
}
