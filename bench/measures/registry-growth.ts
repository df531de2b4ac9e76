/**
 * The registry with many domains compared with one with few, each in a separate workerd: the cost of a request must not grow with
 * the table. Creation comes last, since it enlarges the small registry, usually by some thousands.
 */
import { FEW_DOMAINS, type BenchOptions } from "../arguments.ts";
import { effortOf, effortRows } from "../effort.ts";
import { filledRegistry, requestKinds, type FilledRegistry } from "../filled-registry.ts";
import { inTurns } from "../rounds.ts";
import type { Aim, Row } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import { CONNECTIONS, type Measure } from "./measure.ts";

export type Kind = keyof ReturnType<typeof requestKinds>;

const kinds: readonly { readonly kind: Kind; readonly what: string }[] = [
  { kind: "get", what: "get by id" },
  { kind: "list", what: "list of 20, two filters" },
  { kind: "word", what: "q, a word of every eighth" },
  { kind: "words", what: "q, a word and a beginning" },
  { kind: "create", what: "create" },
];

export const registryGrowth: Measure = {
  name: "registry-growth",
  about: `the registry with many domains (--domains), beside one with ${FEW_DOMAINS}`,
  async take(bench) {
    const { runtime, bundles, options, makeFolder, say } = bench;
    const many = await filledRegistry(runtime, options.domains, say);
    const small = await startRuntime(bundles, makeFolder());
    try {
      const few = await filledRegistry(small, FEW_DOMAINS, say);
      const rows: Row[] = [];
      for (const { kind, what } of kinds) {
        rows.push(...(await compared(options, { what, kind, beside: `${FEW_DOMAINS} domains` }, { many, few })));
      }
      return rows;
    } finally {
      await small.kill();
    }
  },
};

interface Growth {
  readonly what: string;
  readonly kind: Kind;
  /** The name of the small registry. */
  readonly beside: string;
  readonly aim?: Aim;
}

export async function compared(
  { rounds, seconds }: BenchOptions,
  { what, kind, beside, ...aim }: Growth,
  registries: Readonly<Record<"many" | "few", FilledRegistry>>,
): Promise<readonly Row[]> {
  const rate = (registry: FilledRegistry) => {
    const { next } = requestKinds(registry)[kind];
    const load = { base: registry.runtime.oracle, connections: CONNECTIONS, seconds, next };
    return () => effortOf(registry.runtime, load);
  };
  const { many, few } = await inTurns(rounds, { many: rate(registries.many), few: rate(registries.few) });
  return effortRows({ what, samples: many, beside: { name: beside, samples: few }, ...aim });
}
