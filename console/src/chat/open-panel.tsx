/** The panels of the chat except the list of conversations: one file, loaded when the first of them is opened. */
import { useModels } from "@twinedge/sdk";
import { type ComponentType, useState } from "react";
import { useLocation } from "wouter";
import { useAnnounce } from "../kit/announcer.tsx";
import { Badge } from "../kit/badge.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { Skeleton } from "../kit/loaded.tsx";
import { chatTexts } from "../texts/chat.ts";
import { kitTexts } from "../texts/kit.ts";
import { type PanelName, chatHref } from "./chat-address.ts";
import { ownOracle, useChatParts } from "./chat-context.ts";
import { CreditsPanel } from "./credits-panel.tsx";
import { deleteEverything } from "./delete-everything.ts";
import { failureFacts } from "./failure-facts.ts";
import { FailureNotice } from "./failure-notice.tsx";
import { forgetIdentity } from "./identity.ts";
import { InspectorPanel } from "./inspector-panel.tsx";
import { MemoryPanel } from "./memory-panel.tsx";
import type { PanelProps } from "./panel-props.ts";
import { PreferencesPanel } from "./preferences-panel.tsx";
import { Services } from "./services.tsx";
import { useOracleRequest } from "./use-oracle.ts";

const modelsTexts = {
  lead: "The model that answers your next messages. It is part of this page's address.",
  default: "Default",
  price: (input: number, output: number) => `$${input} in, $${output} out per million tokens`,
  free: "No price",
  vision: "reads images",
};

const words = chatTexts.identity;

/** The user's identity in the chat, the protection of its key, and how to delete it. */
function IdentityPanel() {
  const { identity, onForgotten } = useChatParts();
  const [, navigate] = useLocation();
  const announce = useAnnounce();
  const [isAsking, setIsAsking] = useState(false);
  const [deletesFirst, setDeletesFirst] = useState(true);
  const request = useOracleRequest();
  const forget = async (): Promise<void> => {
    if (deletesFirst) await deleteEverything(request);
    await forgetIdentity(identity);
    navigate(chatHref({ sessionId: "", panel: "identity" }), { replace: true });
    await onForgotten();
    announce(words.forgotten);
  };
  return (
    <div className="stack">
      <p className="muted">{words.lead}</p>
      <dl className="stack">
        <div>
          <dt className="muted">{words.did}</dt>
          <dd>
            <code className="chat-did">{identity.signer.did}</code> <CopyButton text={identity.signer.did} />
          </dd>
        </div>
        <div>
          <dt className="muted">{words.protection}</dt>
          <dd>
            {words[identity.protection]} {words.noMove}
          </dd>
        </div>
      </dl>
      <p>
        <button type="button" onClick={() => setIsAsking(true)}>
          {words.forget}
        </button>
      </p>
      <Services />
      {isAsking && (
        <ConfirmDialog
          title={words.forgetTitle}
          effect={
            <div className="stack">
              <p>{words.forgetEffect}</p>
              <label className="row top">
                <input
                  type="checkbox"
                  checked={deletesFirst}
                  onChange={(event) => setDeletesFirst(event.target.checked)}
                />
                {words.deleteFirst}
              </label>
            </div>
          }
          action={words.forget}
          onConfirm={forget}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}

/** This oracle's models; the selected one is in the address. */
function ModelsPanel({ place }: PanelProps) {
  const words = modelsTexts;
  const { oracleDid } = useChatParts();
  const { models, defaultModelId, isLoading, error, refetch } = useModels(oracleDid, ownOracle);
  const [, navigate] = useLocation();
  const chosen = place.model === undefined || place.model === "" ? defaultModelId : place.model;
  return (
    <fieldset className="stack chat-models">
      <legend className="hidden-visually">{chatTexts.panels.models}</legend>
      <p className="muted">{words.lead}</p>
      {error !== null && (
        <FailureNotice facts={failureFacts(error)} place={place}>
          <button type="button" onClick={refetch}>
            {kitTexts.retry}
          </button>
        </FailureNotice>
      )}
      {isLoading && <Skeleton rows={3} />}
      {models.map(({ id, label, family, blurb, vision, badge, pricing: { inputPerMillion, outputPerMillion } }) => (
        <label key={id} className="card">
          <span className="row wrap">
            <input
              type="radio"
              name="model"
              checked={id === chosen}
              onChange={() => navigate(chatHref({ ...place, model: id === defaultModelId ? "" : id }))}
            />
            <strong className="grow">{label}</strong>
            {id === defaultModelId && <Badge tone="info">{words.default}</Badge>}
            <Badge>{badge}</Badge>
          </span>
          {blurb !== label && <span>{blurb}</span>}
          <span className="muted small">
            {[
              family,
              inputPerMillion + outputPerMillion === 0 ? words.free : words.price(inputPerMillion, outputPerMillion),
              ...(vision ? [words.vision] : []),
            ].join(" · ")}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

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
