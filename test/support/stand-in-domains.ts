/** A domain registry in memory for the phone gateway's tests: a test fills it, slows it and takes it down. */
import { fault } from "../../workers/platform/errors.ts";
import type { DomainDirectory, DomainSummary } from "../../workers/platform/ports.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";

export interface StandInDomains {
  readonly directory: DomainDirectory;
  readonly all: DomainSummary[];
  /** Lookups that were made. */
  readonly calls: readonly string[];
  isDown: boolean;
  /** Holds every answer back until it is called off. */
  hold(): () => void;
}

export function createStandInDomains(): StandInDomains {
  const all: DomainSummary[] = [];
  const calls: string[] = [];
  let held: Promise<void> = Promise.resolve();
  const state = {
    isDown: false,
    hold() {
      let release: () => void = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };

  async function answer<Value>(name: string, value: () => Result<Value>): Promise<Result<Value>> {
    calls.push(name);
    await held;
    return state.isDown ? failure(fault("unavailable", "The registry cannot be reached")) : value();
  }

  const refused = async (): Promise<never> => {
    throw new Error("the phone gateway does not ask this");
  };
  const directory: DomainDirectory = {
    get: (id) =>
      answer("get", () => {
        const found = all.find((domain) => domain.id === id);
        return found === undefined ? failure(fault("not_found", "There is no such domain")) : success(found);
      }),
    listByControllers: (controllers, limit) =>
      answer("listByControllers", () =>
        success(all.filter((domain) => domain.controllers.some((did) => controllers.includes(did))).slice(0, limit)),
      ),
    findBySuffix: (suffix, limit) =>
      answer("findBySuffix", () => success(all.filter(({ id }) => id.endsWith(suffix)).slice(0, limit))),
    search: refused,
    document: refused,
    page: refused,
    count: refused,
    revision: refused,
  };
  return Object.assign(state, { directory, all, calls });
}

/** A domain whose id ends in the six digits. */
export function domainEnding(digits: string, controllers: readonly string[] = []): DomainSummary {
  return {
    id: `did:ixo:entity:${digits.padStart(32, "0")}`,
    type: "project",
    class: "did:ixo:entity:class",
    status: "active",
    verification: "Verified",
    name: `Stove ${digits}`,
    validUntil: "2027-01-01T00:00:00Z",
    controllers,
  };
}
