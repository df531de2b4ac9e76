/** The addresses of the chat: the conversation, the panel next to it, and the model. */
export const panelNames = ["sessions", "models", "preferences", "memory", "credits", "identity", "inspector"] as const;
export type PanelName = (typeof panelNames)[number];

export interface ChatPlace {
  /** Empty for a new conversation. */
  readonly sessionId: string;
  /** Undefined: only the conversation on a narrow screen, with the list of conversations on a wide one. */
  readonly panel?: PanelName | undefined;
  /** Empty for the oracle's default. */
  readonly model?: string;
}

/** Below /console. */
export function chatHref({ sessionId, panel, model = "" }: ChatPlace): string {
  const query = new URLSearchParams();
  if (panel !== undefined) query.set("panel", panel);
  if (model !== "") query.set("model", model);
  const path = sessionId === "" ? "/chat" : `/chat/${encodeURIComponent(sessionId)}`;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

export function panelOf(text: string): PanelName | undefined {
  return panelNames.find((name) => name === text);
}

/** The subject of the registry screen's link: a DID only. */
export function aboutOf(text: string): string | undefined {
  return /^did:[a-z0-9]+:[\w.:%-]{1,200}$/i.test(text) ? text : undefined;
}
