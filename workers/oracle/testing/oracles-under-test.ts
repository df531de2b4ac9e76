/**
 * The oracles of the running tests, and which of them an object belongs to. A test and the objects that it calls share an
 * isolate but not always a module: the Worker's entry and the test may load this file apart from each other. Therefore the
 * list stands in the isolate's global scope.
 */
import { ORACLE_STORE } from "../../../platform/object-names.ts";
import type { ChannelSettings, OracleSettings } from "../../../oracle/settings.ts";

export interface OracleUnderTest {
  /** What its Worker and its objects are given. */
  readonly env: Env;
  sessionSettings(env: Env): Promise<OracleSettings>;
  channelSettings(env: Env): ChannelSettings;
}

/** By the id of the object. */
type Oracles = Map<string, OracleUnderTest>;

const LIST = Symbol.for("twinedge.oracles-under-test");

function oracles(): Oracles {
  const scope = globalThis as { [LIST]?: Oracles };
  scope[LIST] ??= new Map();
  return scope[LIST];
}

/** The namespace of chat sessions as this oracle sees it: what it asks for belongs to it from then on. */
export function sessionsOf(namespace: Env["CHAT_SESSION"], oracle: () => OracleUnderTest): object {
  function get(id: DurableObjectId) {
    oracles().set(id.toString(), oracle());
    return namespace.get(id);
  }
  return {
    idFromName: (name: string) => namespace.idFromName(name),
    idFromString: (id: string) => namespace.idFromString(id),
    get,
    getByName: (name: string) => get(namespace.idFromName(name)),
  };
}

/** The namespace of user vaults as one oracle sees it: what plugins keep for the oracle as a whole is its own. */
export function storesOf(namespace: Env["USER_VAULT"], oracle: string): object {
  const own = (name: string): string => (name === ORACLE_STORE ? `${name}:${oracle}` : name);
  return {
    idFromName: (name: string) => namespace.idFromName(own(name)),
    idFromString: (id: string) => namespace.idFromString(id),
    get: (id: DurableObjectId) => namespace.get(id),
    getByName: (name: string) => namespace.getByName(own(name)),
  };
}

/** Undefined for an object that no test of this isolate has made. */
export function oracleOf(id: DurableObjectId): OracleUnderTest | undefined {
  return oracles().get(id.toString());
}
