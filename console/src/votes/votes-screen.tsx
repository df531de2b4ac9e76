/** The screen below /console/votes: the list of proposals, one proposal, a new one, the voter roll and the audit trail. */
import { Route, Switch } from "wouter";
import { NotFound } from "../shell/not-found.tsx";
import { AuditTrail } from "./audit-trail.tsx";
import { NewProposal } from "./new-proposal.tsx";
import { ProposalList } from "./proposal-list.tsx";
import { ProposalPage } from "./proposal-page.tsx";
import { VoterRoll } from "./voter-roll.tsx";

export default function VotesScreen() {
  return (
    <Switch>
      <Route path="/votes">
        <ProposalList />
      </Route>
      <Route path="/votes/new">
        <NewProposal />
      </Route>
      <Route path="/votes/roll">
        <VoterRoll />
      </Route>
      <Route path="/votes/audit">
        <AuditTrail />
      </Route>
      <Route path="/votes/:pid">{({ pid }) => <ProposalPage key={pid} pid={pid} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
