/** Offers a page's browser tools and registered actions to the oracle of one chat. */
"use client";
import { useEffect, useState, type Dispatch, type SetStateAction } from "react";
import type { Chat } from "../core/chat.ts";
import { buildVariable } from "../core/chain-network.ts";
import { errorOf } from "../core/errors.ts";
import type { IBrowserTools } from "./chat-options.ts";
import { useOraclesParts } from "./oracles-context.ts";

/** Bundlers replace it (core/chain-network.ts). */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * The tools may change at any time, even while a reply streams. Returns why a tool cannot be offered, such as a name
 * with a blank. If this were thrown in an effect, it would unmount the whole page.
 */
export function useClientTools(chat: Chat | undefined, browserTools: IBrowserTools | undefined): Error | undefined {
  const { actions } = useOraclesParts();
  const [owner] = useState(() => ({}));
  const [toolFault, setToolFault] = useState<Error>();
  const [actionFault, setActionFault] = useState<Error>();

  useEffect(() => {
    note(setToolFault, () => chat?.tools.setBrowserTools(owner, Object.values(browserTools ?? {})));
  }, [chat, owner, browserTools]);

  useEffect(() => {
    if (chat === undefined) return undefined;
    let offered: unknown;
    const offer = () => {
      const tools = actions.tools();
      if (tools === offered) return;
      offered = tools;
      note(setActionFault, () => chat.tools.setActions(owner, tools));
    };
    offer();
    return actions.subscribe(offer);
  }, [chat, owner, actions]);

  useEffect(() => {
    return () => chat?.tools.remove(owner);
  }, [chat, owner]);

  const fault = toolFault ?? actionFault;
  const message = fault?.message;
  useEffect(() => {
    // Shows the error to the application's author.
    if (message !== undefined && buildVariable(() => process.env.NODE_ENV) !== "production") console.error(message);
  }, [message]);
  return fault;
}

/**
 * Registers tools and stores the error if that fails. An equal error changes nothing, because inline tools register at
 * each render.
 */
function note(setFault: Dispatch<SetStateAction<Error | undefined>>, register: () => void): void {
  let fault: Error | undefined;
  try {
    register();
  } catch (thrown) {
    fault = errorOf(thrown);
  }
  setFault((known) => (known?.message === fault?.message ? known : fault));
}
