/** The screen below /console/phone: handsets, and the operator's view of the gateway. */
import { Route, Switch } from "wouter";
import { lazyPart } from "../kit/lazy-part.tsx";
import { HandsetsScreen } from "./handsets-screen.tsx";

const OperatorScreen = lazyPart(() => import("./operator/operator-screen.tsx"));

export default function PhoneScreen() {
  return (
    <Switch>
      <Route path="/phone/operator/*?">
        <OperatorScreen />
      </Route>
      <Route>
        <HandsetsScreen />
      </Route>
    </Switch>
  );
}
