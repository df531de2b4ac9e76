/**
 * Measures the sides of a comparison in turns, A B A B, so that other load on the machine affects all of them. Each side runs once
 * before the measurement, so that connections, code and storage are warm.
 */

/** Every side's samples, one per round. */
export async function inTurns<Name extends string, Sample>(
  rounds: number,
  sides: Readonly<Record<Name, () => Promise<Sample>>>,
): Promise<Readonly<Record<Name, readonly Sample[]>>> {
  const names = Object.keys(sides) as Name[];
  for (const name of names) await sides[name]();
  const samples = Object.fromEntries(names.map((name): [string, Sample[]] => [name, []])) as Record<Name, Sample[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) samples[name].push(await sides[name]());
  }
  return samples;
}
