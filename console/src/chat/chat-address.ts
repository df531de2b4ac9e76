/** The addresses of the chat: which conversation, which panel beside it, and which model answers. */
export const panelNames = ["sessions", "models", "preferences", "memory", "credits", "identity", "inspector"] as const;
export type PanelName = (typeof panelNames)[number];

export interface ChatPlace {
  /** Empty for a new conversation. */
  readonly sessionId: string;
  /** undefined: the conversation alone on a narrow screen, the list of conversations beside it on a wide one. */
  readonly panel?: PanelName | undefined;
  /** Empty for the oracle's own choice. */
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

/** What the registry screen's link asks about: a DID, and nothing else. */
export function aboutOf(text: string): string | undefined {
  return /^did:[a-z0-9]+:[\w.:%-]{1,200}$/i.test(text) ? text : undefined;
}
