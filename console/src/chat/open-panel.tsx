/** The panels of the chat but the list of conversations: one file, loaded with the first that is opened. */
import type { ComponentType } from "react";
import type { PanelName } from "./chat-address.ts";
import { CreditsPanel } from "./credits-panel.tsx";
import { IdentityPanel } from "./identity-panel.tsx";
import { InspectorPanel } from "./inspector-panel.tsx";
import { MemoryPanel } from "./memory-panel.tsx";
import { ModelsPanel } from "./models-panel.tsx";
import type { PanelProps } from "./panel-props.ts";
import { PreferencesPanel } from "./preferences-panel.tsx";

type LaterPanelName = Exclude<PanelName, "sessions">;

const panels: Readonly<Record<LaterPanelName, ComponentType<PanelProps>>> = {
  models: ModelsPanel,
  preferences: PreferencesPanel,
  memory: MemoryPanel,
  credits: CreditsPanel,
  identity: IdentityPanel,
  inspector: InspectorPanel,
};

export default function OpenPanel({ name, ...props }: PanelProps & { readonly name: LaterPanelName }) {
  const Shown = panels[name];
  return <Shown {...props} />;
}
