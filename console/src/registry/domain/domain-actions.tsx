/** A domain's actions: edit, and suspend, reactivate or deactivate, confirmed by the effect. */
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link } from "wouter";
import { hasStatus } from "../../api/api-failure.ts";
import { api } from "../../api/api.ts";
import { domainHref } from "../../kit/addresses.ts";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { Icon } from "../../kit/icon.tsx";
import { mayChange, useRights } from "../../session/use-caller.ts";
import { ConflictNotice } from "../conflict-notice.tsx";
import { type Domain, nameOf } from "../domain-record.ts";

const change = { active: "Suspend or deactivate", suspended: "Reactivate or deactivate" };

const done = {
  suspended: "The domain is suspended.",
  active: "The domain is active again.",
  deactivated: "The domain is deactivated.",
};

type Action = "suspend" | "reactivate" | "deactivate";

const actions = {
  suspend: {
    verb: "Suspend",
    title: (name: string) => `Suspend “${name}”?`,
    effect:
      "It cannot take part in activities until it is reactivated. Both services are switched off until someone switches them on again. The verification is kept.",
    result: "suspended",
  },
  reactivate: {
    verb: "Reactivate",
    title: (name: string) => `Reactivate “${name}”?`,
    effect: "It becomes active again. Its services stay off until someone switches them on.",
    result: "active",
  },
  deactivate: {
    verb: "Deactivate permanently",
    title: (name: string) => `Deactivate “${name}” permanently?`,
    effect:
      "This cannot be undone. The record, the history and the DID stay readable, but the domain can never be changed or verified again. Its services are switched off, its verification ends, and an open vote to verify it is superseded.",
    result: "deactivated",
  },
} as const;

export function DomainActions({ domain }: { readonly domain: Domain }) {
  const rights = useRights();
  const [asked, setAsked] = useState<{ readonly action: Action; readonly domain: Domain }>();
  const menu = useId();
  if (rights === undefined || domain.status === "deactivated") return null;
  if (!mayChange(rights, domain))
    return <p className="muted small">You can read this domain. Only its controllers and admins can change it.</p>;
  const isHeld = domain.status === "suspended" && domain.suspendedBy === "admin" && !rights.isAdmin;
  const offered: readonly Action[] =
    domain.status === "active" ? ["suspend", "deactivate"] : isHeld ? ["deactivate"] : ["reactivate", "deactivate"];
  return (
    <>
      <button type="button" popoverTarget={menu}>
        {isHeld ? actions.deactivate.verb : change[domain.status]}
      </button>
      <div id={menu} popover="auto" className="menu status-menu">
        {isHeld && <p className="muted small">An admin suspended it; only an admin can reactivate it.</p>}
        {offered.map((action) => (
          <button
            key={action}
            type="button"
            popoverTarget={menu}
            popoverTargetAction="hide"
            onClick={() => setAsked({ action, domain })}
          >
            {actions[action].verb}
          </button>
        ))}
      </div>
      <Link href={`${domainHref(domain.id)}/edit`} className="button primary">
        <Icon name="edit" />
        Edit
      </Link>
      {asked !== undefined && <StatusDialog {...asked} isAdmin={rights.isAdmin} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface StatusDialogProps {
  readonly action: Action;
  /** As it was when the dialog was opened. */
  readonly domain: Domain;
  readonly isAdmin: boolean;
  readonly onClose: () => void;
}

function StatusDialog({ action, domain, isAdmin, onClose }: StatusDialogProps) {
  const queries = useQueryClient();
  const announce = useAnnounce();
  // The newest version after a conflict: the next attempt changes this one.
  const [newest, setNewest] = useState<Domain>();
  const { verb, title, effect, result } = actions[action];
  const confirm = async (): Promise<void> => {
    const params = {
      path: { id: domain.id },
      header: { "If-Match": `"v${(newest ?? domain).version}"` },
    };
    try {
      if (action === "deactivate") await api.DELETE("/v1/domains/{id}", { params });
      else
        await api.PATCH("/v1/domains/{id}", {
          params,
          body: { status: action === "suspend" ? "suspended" : "active" },
        });
    } catch (error) {
      if (hasStatus(error, 412)) {
        const { data } = await api.GET("/v1/domains/{id}", { params: { path: { id: domain.id } } });
        setNewest(data);
      }
      throw error;
    }
    await queries.invalidateQueries({ queryKey: ["get"] });
    announce(done[result]);
  };
  const name = nameOf(domain);
  return (
    <ConfirmDialog
      title={title(name)}
      effect={
        <div className="stack">
          {newest !== undefined && <ConflictNotice seen={domain} newest={newest} />}
          <p>{effect}</p>
          {action === "suspend" && isAdmin && <p>You act as an admin, so only an admin can reactivate it.</p>}
        </div>
      }
      action={verb}
      isDangerous={action !== "reactivate"}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
