/** The state of a proposal in a word. */
import { useEffect, useState } from "react";
import { Age, exactTime } from "../kit/age.tsx";
import { Badge, type Tone } from "../kit/badge.tsx";
import { votesTexts } from "../texts/votes.ts";
import { timeLeftIn } from "./durations.ts";
import type { ProposalState, Vote } from "./proposal.ts";

const tones: Readonly<Record<ProposalState, Tone>> = {
  open: "info",
  passed: "ok",
  rejected: "danger",
  expired: "warn",
  withdrawn: "neutral",
  superseded: "neutral",
};

export function StateBadge({ state }: { readonly state: ProposalState }) {
  return <Badge tone={tones[state]}>{votesTexts.states[state]}</Badge>;
}

/** Milliseconds. */
const SECOND = 1_000;
const HALF_MINUTE = 30_000;
const HOUR = 3_600_000;

/** @param until ISO 8601. */
export function TimeLeft({ until }: { readonly until: string }) {
  const end = Date.parse(until);
  const [now, setNow] = useState(Date.now);
  const isNear = end - now < HOUR;
  const isOver = end <= now;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), isNear ? SECOND : HALF_MINUTE);
    return () => clearInterval(timer);
  }, [isNear, isOver]);
  return (
    <time className="nowrap" dateTime={until} title={exactTime(until)}>
      {isOver ? "Voting has ended, counting" : `${timeLeftIn(end - now)} left`}
    </time>
  );
}

/** The caller's vote: "You voted yes, 2 min ago". */
export function YouVoted({ vote }: { readonly vote: Vote }) {
  return (
    <span>
      {`You voted ${votesTexts.options[vote.option]},`} <Age at={vote.castAt} />
    </span>
  );
}
