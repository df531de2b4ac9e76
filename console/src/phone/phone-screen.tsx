/** The screen below /console/phone: handsets, and the operator's view of the gateway. */
import { useState } from "react";
import { Route, Switch } from "wouter";
import { lazyPart } from "../kit/lazy-part.tsx";
import { LeaveGuard } from "../kit/leave-guard.tsx";
import { HandsetsScreen } from "./handsets-screen.tsx";
import type { TemporaryPin } from "./operator/customer-acts.ts";

const OperatorScreen = lazyPart(() => import("./operator/operator-screen.tsx"));

export default function PhoneScreen() {
  // Here, so that they survive a visit to another part of this screen.
  const [pins, setPins] = useState<readonly TemporaryPin[]>([]);
  return (
    <>
      <LeaveGuard
        isDirty={pins.length > 0}
        loss="You have not noted a temporary PIN yet. It cannot be shown again, and without it the customer needs another reset."
        within="/phone"
      />
      <Switch>
        <Route path="/phone/operator/*?">
          <OperatorScreen pins={pins} onPins={setPins} />
        </Route>
        <Route>
          <HandsetsScreen />
        </Route>
      </Switch>
    </>
  );
}
