/**
 * One phone, or two side by side. The address contains their codes, their gateway's format and a shared session, but not their
 * numbers.
 */
import { useEffect, useMemo } from "react";
import { Link } from "wouter";
import { Icon } from "../kit/icon.tsx";
import { EmptyState } from "../kit/loaded.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { useUrlState } from "../kit/use-url-state.ts";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { usePaletteCommands } from "../shell/palette.tsx";
import { shellTexts } from "../texts/shell.ts";
import { formatOf, isFormatName } from "../../../shared/gateway-formats.ts";
import { guideTo } from "./guide.ts";
import type { Line } from "./handset-state.ts";
import { type Handset, createHandset } from "./handset.ts";
import { usePrivateText } from "./private-text.ts";
import { browserServer } from "./server.ts";
import { readSharedSteps, sharedSteps } from "./shared-session.ts";
import { Station } from "./station.tsx";

/** The phones of `npm run ussd`. */
const NUMBERS = ["+260971230001", "+260971230002"] as const;
/** The code of `npm run ussd`. */
const defaults = {
  phones: "1",
  code: "*2233#",
  code2: "*2233#",
  format: "json",
  mode: "cumulative",
  play: [],
  about: "",
} as const;

export function HandsetsScreen() {
  const { environment, surfaces } = usePageSettings();
  const [state, change] = useUrlState(defaults);
  const { code, code2, format, mode, play } = state;
  const [phone, setPhone] = usePrivateText("phone", NUMBERS[0]);
  const [phone2, setPhone2] = usePrivateText("phone2", NUMBERS[1]);
  const guide = useMemo(() => guideTo(state.about), [state.about]);
  const hasTwo = state.phones === "2";
  // A PIN in the address is removed at once.
  const shared = useMemo(() => sharedSteps(readSharedSteps(play)), [play]);
  useEffect(() => {
    if (shared.join("\n") !== play.join("\n")) change({ play: shared }, { replace: true });
  }, [shared, play, change]);
  const gateway = useMemo(() => {
    const name = isFormatName(format) ? format : "json";
    return { format: name, mode: formatOf(name).mode ?? (mode === "latest" ? mode : "cumulative") };
  }, [format, mode]);
  const commands = useMemo(
    () => [
      {
        id: "phones",
        title: hasTwo ? "One phone" : "Two phones",
        run: () => change({ phones: hasTwo ? "1" : "2" }),
      },
    ],
    [hasTwo, change],
  );
  usePaletteCommands(commands);
  const isServed = surfaces.includes("ussd");
  const header = (
    <ScreenHeader
      title={shellTexts.screens.phone}
      lead="A simulated phone that calls this server as a telecom gateway would. Try the menus and inspect each request."
      actions={
        <>
          <button type="button" onClick={() => change({ phones: hasTwo ? "1" : "2" })}>
            {hasTwo ? "One phone" : "Two phones"}
          </button>
          <Link className="button" href="/phone/operator">
            Operator's view
          </Link>
        </>
      }
    />
  );
  if (!isServed) {
    return (
      <>
        {header}
        <EmptyState title="This host does not serve the phone gateway." />
      </>
    );
  }
  /** Typing into a field replaces the history entry; a selection adds one. */
  const changeLine =
    (setNumber: (text: string) => void, code: "code" | "code2") =>
    ({ phoneNumber, serviceCode, ...gateway }: Partial<Line>): void => {
      if (phoneNumber !== undefined) setNumber(phoneNumber);
      const changed: Record<string, string> = gateway;
      if (serviceCode !== undefined) changed[code] = serviceCode;
      if (Object.keys(changed).length > 0)
        change(changed, { replace: gateway.format === undefined && gateway.mode === undefined });
    };
  return (
    <>
      {header}
      {environment !== "development" && (
        <div className="notice warn phone-notice">
          <Icon name="warning" />
          <p>
            This is not a development server: accounts, questions and text messages are real. Use your own phone
            numbers.
          </p>
        </div>
      )}
      <div className={hasTwo ? "stations two" : "stations"}>
        <Station
          number={1}
          handset={handsets[0]}
          line={{ phoneNumber: phone, serviceCode: code, ...gateway }}
          shared={shared}
          onLine={changeLine(setPhone, "code")}
          onDismissShared={() => change({ play: [] })}
          guide={guide}
          onCloseGuide={() => change({ about: "" })}
        />
        {hasTwo && (
          <Station
            number={2}
            handset={handsets[1]}
            line={{ phoneNumber: phone2, serviceCode: code2, ...gateway }}
            shared={[]}
            onLine={changeLine(setPhone2, "code2")}
          />
        )}
      </div>
    </>
  );
}

/** The two handsets of this tab, in memory, so that a call continues while another screen is open. */
const handsets: readonly [Handset, Handset] = [createHandset(browserServer), createHandset(browserServer)];
