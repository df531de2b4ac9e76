/** `useOraclesContext`: the signed-in user and the page's actions, for applications. */
"use client";
import { useMemo, useRef, useSyncExternalStore, type ReactElement } from "react";
import type { ActionRegistry } from "./action-registry.ts";
import type { AgAction } from "./ag-action.ts";
import { sendAuthed, type RequestMethod } from "./authed-request.ts";
import { useOraclesParts } from "./oracles-context.ts";
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
