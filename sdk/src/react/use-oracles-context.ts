/** `useOraclesContext`: the signed-in user and the page's actions, for applications. */
"use client";
import { useMemo, useRef, useSyncExternalStore, type ReactElement } from "react";
import { createHttp } from "../core/http.ts";
import { createTokens } from "../core/tokens.ts";
import type { ActionRegistry, AgAction } from "./action-registry.ts";
import { useOraclesParts, type ClientPool } from "./oracles-context.ts";
import type { IWalletProps, TransactionFn } from "./wallet.ts";

/** What `useOraclesContext` returns. */
export interface IOraclesContextProps {
  wallet: IWalletProps | null;
  transactSignX: TransactionFn;
  /**
   * Sends a request and returns the JSON of its answer, with the user's tokens for `oracleDid` when it is given. Throws
   * `RequestError` for a refusal and `OfflineError` when nobody answered.
   */
  authedRequest: <Result>(
    url: string,
    method: RequestMethod,
    options?: RequestInit,
    oracleDid?: string,
  ) => Promise<Result>;
  /** The delegation in use for that oracle, signed when there is none. */
  getDelegation: (oracleDid: string) => Promise<string | null>;
  /** The invocation in use for that oracle, signed when there is none; null without `createInvocation`. */
  getInvocation: (oracleDid: string) => Promise<string | null>;
  /** The registered actions. A component that reads them is drawn again when they change; others are not. */
  agActions: AgAction[];
  /** `useAgAction` does this, and takes the action away with its component. */
  registerAgAction: (
    action: AgAction,
    handler: (args: unknown) => unknown,
    render?: (props: Record<string, unknown>) => ReactElement | null,
  ) => void;
  unregisterAgAction: (name: string) => void;
  /** Parses the arguments and runs the handler; rejects when there is no such action. */
  executeAgAction: (name: string, args: unknown) => Promise<unknown>;
  getAgActionRender: (name: string) => ((props: Record<string, unknown>) => ReactElement | null) | undefined;
}

/** The owners of actions that are registered by name, one for each name. */
const ownersOf = new WeakMap<ActionRegistry, Map<string, object>>();

function ownerOf(registry: ActionRegistry, name: string): object {
  const owners = ownersOf.get(registry) ?? new Map<string, object>();
  ownersOf.set(registry, owners);
  const owner = owners.get(name) ?? {};
  owners.set(name, owner);
  return owner;
}

/**
 * The signed-in user, requests in their name, and the actions of the page.
 *
 * @throws `useOraclesContext must be used within a OraclesProvider`
 */
export function useOraclesContext(): IOraclesContextProps {
  const { wallet, transactSignX, clients, actions } = useOraclesParts();
  const isRead = useRef(false);
  const atFirst = useRef(actions.list());
  const list = (): AgAction[] => (isRead.current ? actions.list() : atFirst.current);
  useSyncExternalStore(actions.subscribe, list, list);
  return useMemo(
    () => ({
      wallet,
      transactSignX,
      authedRequest: (url, method, options, oracleDid) =>
        sendAuthed(clients, wallet.did, { url, method, oracleDid }, options),
      getDelegation: (oracleDid) => clients.actingTokens(wallet.did, oracleDid).getDelegation(),
      getInvocation: (oracleDid) => clients.actingTokens(wallet.did, oracleDid).getInvocation(),
      get agActions() {
        isRead.current = true;
        return actions.list();
      },
      registerAgAction: (action, handler, render) =>
        actions.set(ownerOf(actions, action.name), [{ ...action, handler, render }]),
      unregisterAgAction: (name) => actions.remove(ownerOf(actions, name)),
      executeAgAction: actions.execute,
      getAgActionRender: (name) => actions.find(name)?.render,
    }),
    [wallet, transactSignX, clients, actions],
  );
}

export type RequestMethod = "GET" | "POST" | "PUT" | "DELETE" | "PATCH";

/**
 * Sends a request and returns the JSON of its answer. With `oracleDid` it carries the user's tokens for that oracle, which are
 * renewed when they are refused; without it it carries none.
 *
 * @throws `RequestError` for a refusal, `OfflineError` when nobody answered
 */
export async function sendAuthed<Result>(
  clients: ClientPool,
  userDid: string,
  target: { readonly url: string; readonly method: RequestMethod; readonly oracleDid: string | undefined },
  { body, headers, signal }: RequestInit = {},
): Promise<Result> {
  const { oracleDid } = target;
  // A path is one of the page's own server.
  const here = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const { origin, pathname, search } = new URL(target.url, here);
  const tokens =
    oracleDid === undefined
      ? createTokens({ userDid, oracleDid: "", creators: () => ({}), store: null })
      : clients.actingTokens(userDid, oracleDid);
  const given = Object.fromEntries(new Headers(headers));
  const isText = typeof body === "string";
  return await createHttp({ endpoints: { apiUrl: origin }, tokens }).json<Result>(pathname + search, {
    method: target.method,
    headers: { ...(isText && { "content-type": "application/json" }), ...given },
    signed: oracleDid !== undefined,
    ...(body !== undefined && body !== null && { raw: body }),
    ...(signal !== undefined && signal !== null && { signal }),
  });
}
