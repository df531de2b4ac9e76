/** The models that this oracle answers with; the chosen one stands in the address. */
import { useModels } from "@twinedge/sdk";
import { useLocation } from "wouter";
import { Badge } from "../kit/badge.tsx";
import { Skeleton } from "../kit/skeleton.tsx";
import { chatTexts } from "../texts/chat.ts";
import { chatHref } from "./chat-address.ts";
import { ownOracle, useChatParts } from "./chat-context.ts";
import { failureFacts } from "./failure-facts.ts";
import { FailureNotice } from "./failure-notice.tsx";
import type { PanelProps } from "./panel-props.ts";
import { kitTexts } from "../texts/kit.ts";

export function ModelsPanel({ place }: PanelProps) {
  const words = chatTexts.models;
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
