/** The two services of a domain, and switching them, which is confirmed by its effect. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, apiHooks } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { Badge } from "../../kit/badge.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { mayChange, useRights } from "../../session/use-caller.ts";
import { type Domain, nameOf } from "../domain-record.ts";

const services = { reporting: "Reporting", issuance: "Issuance" };

const serviceLeads = {
  reporting: "Reports about this domain are accepted.",
  issuance: "Credentials and credits may be issued for this domain.",
};

const disabledReasons = {
  verification_lost: "because the verification ended",
  suspended: "because the domain was suspended",
  deactivated: "because the domain was deactivated",
  validity_ended: "because its validity ended",
} as Readonly<Record<string, string>>;

type ServiceName = keyof Domain["services"];
const names: readonly ServiceName[] = ["reporting", "issuance"];

export function ServicesTab({ domain }: { readonly domain: Domain }) {
  const { data: eligibility } = apiHooks.useQuery("get", "/v1/domains/{id}/eligibility", {
    params: { path: { id: domain.id } },
  });
  const [asked, setAsked] = useState<ServiceName>();
  return (
    <div className="stack">
      <div className="grid">
        {names.map((name) => (
          <Service
            key={name}
            name={name}
            domain={domain}
            reasons={eligibility?.reasons.map(({ message }) => message) ?? []}
            onSwitch={() => setAsked(name)}
          />
        ))}
      </div>
      {asked !== undefined && <SwitchDialog domain={domain} name={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

interface ServiceProps {
  readonly name: ServiceName;
  readonly domain: Domain;
  /** Why it cannot be switched on now. */
  readonly reasons: readonly string[];
  readonly onSwitch: () => void;
}

function Service({ name, domain, reasons, onSwitch }: ServiceProps) {
  const rights = useRights();
  const { enabled, enabledAt, disabledAt, disabledReason } = domain.services[name];
  const since = enabled ? enabledAt : disabledAt;
  const canSwitch = enabled || reasons.length === 0;
  return (
    <section className="card">
      <div className="row spread">
        <h2>{services[name]}</h2>
        <Badge tone={enabled ? "ok" : "neutral"}>{enabled ? "On" : "Off"}</Badge>
      </div>
      <p className="muted">{serviceLeads[name]}</p>
      <p>
        {since === null ? (
          "It has never been on."
        ) : (
          <>
            {enabled ? "On since" : "Off since"} <Age at={since} />
            {disabledReason !== null && ` ${disabledReasons[disabledReason] ?? disabledReason}`}
          </>
        )}
      </p>
      {!canSwitch && (
        <div className="small">
          <p>It cannot be switched on now:</p>
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      )}
      {mayChange(rights, domain) && (
        <p>
          <button type="button" disabled={!canSwitch} onClick={onSwitch}>
            {enabled ? "Switch off" : "Switch on"}
          </button>
        </p>
      )}
    </section>
  );
}

interface SwitchDialogProps {
  readonly domain: Domain;
  readonly name: ServiceName;
  readonly onClose: () => void;
}

function SwitchDialog({ domain, name, onClose }: SwitchDialogProps) {
  const queries = useQueryClient();
  const announce = useAnnounce();
  // As it was when the button was pressed, even if the domain changes meanwhile.
  const [enabled] = useState(!domain.services[name].enabled);
  const title = services[name];
  const confirm = async (): Promise<void> => {
    const path = { id: domain.id, name };
    await api.PUT("/v1/domains/{id}/services/{name}", { params: { path }, body: { enabled } });
    await queries.invalidateQueries({ queryKey: ["get"] });
    announce(enabled ? `${title} is on.` : `${title} is off.`);
  };
  return (
    <ConfirmDialog
      title={enabled ? `Switch ${title} on?` : `Switch ${title} off?`}
      effect={
        <p>
          {enabled
            ? `${title} will be on for “${nameOf(domain)}” until someone switches it off or the verification ends.`
            : `${title} will be off for “${nameOf(domain)}”. It can be switched on again while the domain is verified and active.`}
        </p>
      }
      action={enabled ? "Switch on" : "Switch off"}
      isDangerous={!enabled}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
