/** Offers a page's browser tools and registered actions to the oracle of one chat. */
"use client";
import { useEffect, useState } from "react";
import type { Chat } from "../core/chat.ts";
import type { IBrowserTools } from "./chat-options.ts";
import { useOraclesParts } from "./oracles-context.ts";

/** They may change at any time, also while a reply streams. */
export function useClientTools(chat: Chat | undefined, browserTools: IBrowserTools | undefined): void {
  const { actions } = useOraclesParts();
  const [owner] = useState(() => ({}));

  useEffect(() => {
    chat?.tools.setBrowserTools(owner, Object.values(browserTools ?? {}));
  }, [chat, owner, browserTools]);

  useEffect(() => {
    if (chat === undefined) return undefined;
    let offered: unknown;
    const offer = () => {
      const tools = actions.tools();
      if (tools === offered) return;
      offered = tools;
      chat.tools.setActions(owner, tools);
    };
    offer();
    return actions.subscribe(offer);
  }, [chat, owner, actions]);

  useEffect(() => {
    return () => chat?.tools.remove(owner);
  }, [chat, owner]);
}
