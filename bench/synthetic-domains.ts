/** Deterministic domains for trials: filters, names and sizes are distributed as in a real registry. */

const types = ["Project", "Asset", "asset/device", "Organisation", "Protocol", "Oracle", "investment", "dao"] as const;
const places = ["Nairobi", "Lusaka", "Kigali", "São Paulo", "Pune", "Cape Town", "Zürich", "Hà Nội"] as const;
const things = ["Stove", "Well", "Forest", "School", "Clinic", "Solar Roof", "Mangrove", "Biogas Plant"] as const;

const protocols = ["clean-cooking", "water", "forestry", "education"] as const;

/** Multiplicative hashing; each member has its own odd factor, so that no two correlate. */
const pick = <Item>(list: readonly Item[], number: number, factor: number): Item | undefined =>
  list[(Math.imul(number, factor) >>> 16) % list.length];

/** The input of `POST /v1/domains` and of an import line. `number` from 1. */
function syntheticDomain(number: number): object {
  const [place, thing] = [pick(places, number, 0x9e3779b1), pick(things, number, 0x85ebca6b)];
  const day = new Date(Date.UTC(2024, 0, 1 + (number % 1_000))).toISOString().slice(0, 10);
  return {
    type: pick(types, number, 0xc2b2ae35),
    class: `did:ixo:protocol/${pick(protocols, number, 0x27d4eb2f)}`,
    metadata: {
      name: `${place} ${thing} ${number}`,
      description: `The ${number}th domain of a trial: a ${thing?.toLowerCase()} near ${place}.`,
      tags: [place, thing, `batch-${number % 100}`],
      location: { latitude: (number % 170) - 85, longitude: (number % 350) - 175 },
    },
    controllers: [`did:web:controller-${number % 500}.example`],
    externalId: `SN-${String(number).padStart(9, "0")}`,
    validFrom: day,
    ...(number % 5 === 0 ? { relayerNode: `did:web:relayer-${number % 50}.example` } : {}),
  };
}

/** One line per domain, at most `count`. */
export function* syntheticLines(count: number): Generator<string> {
  for (let number = 1; number <= count; number += 1) yield `${JSON.stringify(syntheticDomain(number))}\n`;
}
