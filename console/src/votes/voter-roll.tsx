/** The voter roll: the voters of future proposals with their power; admins add, change and remove them. */
import { keepPreviousData, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, apiHooks } from "../api/api.ts";
import { Age } from "../kit/age.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { Badge } from "../kit/badge.tsx";
import { CursorPages } from "../kit/cursor-pages.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { DataAge, EmptyState, Loaded } from "../kit/loaded.tsx";
import { DidText, LABELS } from "../kit/person.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { useUrlState } from "../kit/use-url-state.ts";
import { useRights } from "../session/use-caller.ts";
import { grouped, plural } from "../texts/number.ts";
import { ballotTexts, rollTexts, votesTexts } from "../texts/votes.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { AddMyself } from "./no-voters.tsx";
import type { Voter } from "./proposal.ts";
import { RulesFacts } from "./rules-facts.tsx";
import { SectionTabs } from "./section-tabs.tsx";
import { shareText } from "./tally-bars.tsx";
import { VoterDialog } from "./voter-dialog.tsx";

const namedText = (verb: string, who: string) => `${verb} ${who}`;

/** Voters per page. */
const ROWS = 50;

type Asking =
  | { readonly what: "add" | "myself" | "invite" }
  | { readonly what: "edit" | "remove"; readonly voter: Voter };

export function VoterRoll() {
  const rights = useRights();
  const queries = useQueryClient();
  const [{ cursor }, change] = useUrlState({ cursor: "" });
  const [asking, setAsking] = useState<Asking>();
  const isAdmin = rights?.isAdmin === true;
  const rules = apiHooks.useQuery("get", "/v1/verification-rules", {});
  const roll = apiHooks.useQuery(
    "get",
    "/v1/voters",
    { params: { query: { limit: ROWS, ...(cursor === "" ? {} : { cursor }) } } },
    { enabled: isAdmin, placeholderData: keepPreviousData },
  );
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["get", "/v1/voters"] }),
      queries.invalidateQueries({ queryKey: ["get", "/v1/verification-rules"] }),
      queries.invalidateQueries({ queryKey: [LABELS] }),
    ]);
  const close = (): void => setAsking(undefined);
  const total = rules.data?.totalPower ?? 0;
  // A voter on another page may already be on the roll.
  const isWhole = roll.data !== undefined && roll.data.page.nextCursor === null && cursor === "";
  const isListed = !isWhole || roll.data.data.some(({ did }) => did === rights?.did);
  const isAlone = rules.data?.voterCount === 1;
  return (
    <>
      <ScreenHeader
        title={votesTexts.tabs.roll}
        lead="The voters of new proposals and the power of each vote. Open votes keep their voters."
        actions={
          isAdmin && (
            <>
              {!isListed && (
                <button type="button" onClick={() => setAsking({ what: "myself" })}>
                  Add yourself
                </button>
              )}
              <button type="button" onClick={() => setAsking({ what: "add" })}>
                {rollTexts.addVoter}
              </button>
              <button type="button" className="primary" onClick={() => setAsking({ what: "invite" })}>
                Invite a voter
              </button>
            </>
          )
        }
      />
      <div className="stack loose">
        <SectionTabs current="roll" />
        <Loaded query={rules} showsAge={false}>
          {({ voterCount, totalPower, rules: inForce }) => (
            <>
              <p>
                <strong>{plural(voterCount, "voter", "voters")}</strong>, {`${grouped(totalPower)} power in all`}
              </p>
              {!isAdmin && (
                <p className="notice">
                  Only admins of the registry may see and change the roll. You see its size and the rules.
                </p>
              )}
              <details>
                <summary>Rules in force</summary>
                <RulesFacts rules={inForce} totalPower={totalPower} />
              </details>
            </>
          )}
        </Loaded>
        {isAdmin && (
          <Loaded query={roll} showsAge={false}>
            {({ data, page }) =>
              data.length === 0 ? (
                <EmptyState title="The voter roll is empty">
                  <p>No proposal can be opened without voters.</p>
                </EmptyState>
              ) : (
                <div className="stack">
                  <VoterTable
                    voters={data}
                    totalPower={total}
                    ownDid={rights?.did}
                    onEdit={(voter) => setAsking({ what: "edit", voter })}
                    onRemove={(voter) => setAsking({ what: "remove", voter })}
                  />
                  <CursorPages
                    cursor={cursor}
                    next={page.nextCursor}
                    isOld={roll.isPlaceholderData}
                    onChange={(next) => change({ cursor: next })}
                  />
                  <DataAge at={roll.dataUpdatedAt} />
                </div>
              )
            }
          </Loaded>
        )}
      </div>
      {asking?.what === "invite" && <InviteDialog totalPower={total} onInvited={refresh} onClose={close} />}
      {asking?.what === "add" && <VoterDialog voter={undefined} totalPower={total} onSaved={refresh} onClose={close} />}
      {asking?.what === "edit" && (
        <VoterDialog voter={asking.voter} totalPower={total} onSaved={refresh} onClose={close} />
      )}
      {asking?.what === "remove" && (
        <RemoveVoter voter={asking.voter} totalPower={total} isLast={isAlone} onRemoved={refresh} onClose={close} />
      )}
      {asking?.what === "myself" && rights !== undefined && (
        <AddMyself did={rights.did} label={rights.label} onAdded={refresh} onClose={close} />
      )}
    </>
  );
}

interface RemoveVoterProps {
  readonly voter: Voter;
  readonly totalPower: number;
  readonly isLast: boolean;
  readonly onRemoved: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Removes a voter, after a dialog that states the effect and its limits. */
function RemoveVoter({ voter, totalPower, isLast, onRemoved, onClose }: RemoveVoterProps) {
  const announce = useAnnounce();
  const { did, label, weight } = voter;
  const remove = async (): Promise<void> => {
    await api.DELETE("/v1/voters/{did}", { params: { path: { did } } });
    await onRemoved();
    announce("The voter is removed.");
  };
  return (
    <ConfirmDialog
      title="Remove this voter?"
      effect={
        <p>
          {`${label ?? did} has no vote in proposals that are opened from now on. The total power of the roll goes from ${grouped(totalPower)} to ${grouped(totalPower - weight)}. Open votes keep their voters and power.`}{" "}
          {isLast && "The roll will be empty, and no proposal can be opened until a voter is added."}
        </p>
      }
      action="Remove the voter"
      onConfirm={remove}
      onClose={onClose}
    />
  );
}

interface VoterTableProps {
  readonly voters: readonly Voter[];
  /** The whole roll's power. */
  readonly totalPower: number;
  readonly ownDid: string | undefined;
  readonly onEdit: (voter: Voter) => void;
  readonly onRemove: (voter: Voter) => void;
}

/** Voters with their power and a bar of its share. */
function VoterTable({ voters, totalPower, ownDid, onEdit, onRemove }: VoterTableProps) {
  return (
    <ul className="voters">
      {voters.map((voter) => {
        const { did, label, weight, addedAt, warning } = voter;
        const named = label ?? did;
        return (
          <li key={did} className="voter">
            <div className="stack tight">
              <p className="row wrap">
                {label !== null && <strong>{label}</strong>}
                <DidText id={did} canCopy />
                {did === ownDid && <Badge>{ballotTexts.you}</Badge>}
                {warning !== null && <Badge tone="warn">No key</Badge>}
              </p>
              <p className="muted small">
                Added <Age at={addedAt} />
              </p>
              {warning !== null && (
                <p className="small">
                  No API key with the scope verification:vote acts for this voter, so this power cannot be cast.
                </p>
              )}
            </div>
            <div>
              <p className="row spread">
                <strong className="number">{grouped(weight)}</strong>
                <span className="muted number">{shareText(weight, totalPower)}</span>
              </p>
              <div className="tally-track" aria-hidden="true">
                <span
                  className="tally-part yes"
                  style={{ inlineSize: `${totalPower === 0 ? 0 : (100 * weight) / totalPower}%` }}
                />
              </div>
            </div>
            <p className="row">
              <button
                type="button"
                className="small"
                aria-label={namedText("Change", named)}
                onClick={() => onEdit(voter)}
              >
                Change
              </button>
              <button
                type="button"
                className="small"
                aria-label={namedText("Remove", named)}
                onClick={() => onRemove(voter)}
              >
                Remove
              </button>
            </p>
          </li>
        );
      })}
    </ul>
  );
}
