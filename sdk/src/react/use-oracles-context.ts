/** `useOraclesContext`: the signed-in user and the page's actions, for applications. */
"use client";
import { useMemo, useRef, useSyncExternalStore, type ReactElement } from "react";
import { createHttp } from "../core/http.ts";
import { createTokens } from "../core/tokens.ts";
import type { ActionRegistry, AgAction } from "./action-registry.ts";
import { useOraclesParts, type ClientPool } from "./oracles-context.ts";
import type { IWalletProps, TransactionFn } from "./wallet.ts";

/** The result of `useOraclesContext`. */
export interface IOraclesContextProps {
  wallet: IWalletProps | null;
  transactSignX: TransactionFn;
  /**
   * Sends a request and returns the JSON of its response. With `oracleDid`, it adds the user's tokens for that oracle.
   * Throws `RequestError` if the server refuses, and `OfflineError` if no server answers.
   */
  authedRequest: <Result>(
    url: string,
    method: RequestMethod,
    options?: RequestInit,
    oracleDid?: string,
  ) => Promise<Result>;
  /** The current delegation for that oracle. If there is none, the user signs one. */
  getDelegation: (oracleDid: string) => Promise<string | null>;
  /** The current invocation for that oracle. If there is none, the user signs one; null without `createInvocation`. */
  getInvocation: (oracleDid: string) => Promise<string | null>;
  /** The registered actions. A component that reads them renders again when they change. */
  agActions: AgAction[];
  /** Registers an action. `useAgAction` does this, and removes the action when its component unmounts. */
  registerAgAction: (
    action: AgAction,
    handler: (args: unknown) => unknown,
    render?: (props: Record<string, unknown>) => ReactElement | null,
  ) => void;
  unregisterAgAction: (name: string) => void;
  /** Parses the arguments and runs the handler. Rejects if there is no such action. */
  executeAgAction: (name: string, args: unknown) => Promise<unknown>;
  getAgActionRender: (name: string) => ((props: Record<string, unknown>) => ReactElement | null) | undefined;
}

/** The owners of actions that are registered by name, one per name. */
const ownersOf = new WeakMap<ActionRegistry, Map<string, object>>();

function ownerOf(registry: ActionRegistry, name: string): object {
  const owners = ownersOf.get(registry) ?? new Map<string, object>();
  ownersOf.set(registry, owners);
  const owner = owners.get(name) ?? {};
  owners.set(name, owner);
  return owner;
}

/**
 * The signed-in user, requests with the user's tokens, and the actions of the page.
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
 * Sends a request and returns the JSON of its response. With `oracleDid`, it adds the user's tokens for that oracle and
 * renews them if they are refused. Without `oracleDid`, it adds no tokens.
 *
 * @throws `RequestError` if the server refuses, `OfflineError` if no server answers
 */
export async function sendAuthed<Result>(
  clients: ClientPool,
  userDid: string,
  target: { readonly url: string; readonly method: RequestMethod; readonly oracleDid: string | undefined },
  { body, headers, signal }: RequestInit = {},
): Promise<Result> {
  const { oracleDid } = target;
  // A path refers to the page's own server.
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
