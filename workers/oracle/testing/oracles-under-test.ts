/**
 * The oracles of the running tests, by the objects that belong to them. A test and the objects that it calls share an
 * isolate but not always a module: the Worker's entry and the test may load this file separately. Therefore the list is
 * in the isolate's global scope.
 */
import { ORACLE_STORE } from "../../../platform/object-names.ts";
import type { ChannelSettings, OracleSettings } from "../../../oracle/settings.ts";

export interface OracleUnderTest {
  /** The environment of its Worker and its objects. */
  readonly env: Env;
  sessionSettings(env: Env): Promise<OracleSettings>;
  channelSettings(env: Env): ChannelSettings;
}

/** The oracles by the ids of their objects. */
type Oracles = Map<string, OracleUnderTest>;

const LIST = Symbol.for("twinedge.oracles-under-test");

function oracles(): Oracles {
  const scope = globalThis as { [LIST]?: Oracles };
  scope[LIST] ??= new Map();
  return scope[LIST];
}

/** The namespace of chat sessions for this oracle: objects that it requests belong to it from then on. */
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

/** The namespace of user vaults for one oracle: each oracle has separate oracle-wide data of plugins. */
export function storesOf(namespace: Env["USER_VAULT"], oracle: string): object {
  const own = (name: string): string => (name === ORACLE_STORE ? `${name}:${oracle}` : name);
  return {
    idFromName: (name: string) => namespace.idFromName(own(name)),
    idFromString: (id: string) => namespace.idFromString(id),
    get: (id: DurableObjectId) => namespace.get(id),
    getByName: (name: string) => namespace.getByName(own(name)),
  };
}

/** Undefined for an object that no test of this isolate has created. */
export function oracleOf(id: DurableObjectId): OracleUnderTest | undefined {
  return oracles().get(id.toString());
}
