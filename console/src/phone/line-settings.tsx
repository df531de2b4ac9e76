/** The phone's number, its code, and the format of its telecom gateway. */
import { Field } from "../kit/field.tsx";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { freshPhoneNumber, isPhoneNumber, isServiceCode } from "./dialled.ts";
import { formatOf, gatewayFormats, isFormatName } from "../../../shared/gateway-formats.ts";
import type { Line } from "./handset-state.ts";

const formats = {
  json: "Session endpoint, JSON",
  form: "Session endpoint, form",
  "africas-talking": "Africa's Talking",
  airtel: "Airtel",
  hubtel: "Hubtel",
  infobip: "Infobip",
};

const modes = { cumulative: "All inputs so far", latest: "The latest input only" };

export interface LineSettingsProps {
  readonly line: Line;
  readonly onChange: (changed: Partial<Line>) => void;
}

export function LineSettings({ line, onChange }: LineSettingsProps) {
  const { environment } = usePageSettings();
  const { phoneNumber, serviceCode, format, mode } = line;
  const isFixed = formatOf(format).mode !== undefined;
  const hint =
    environment === "development"
      ? "Any number will do. Text messages are sent only with an SMS account."
      : "With country code. The server treats it as a real caller.";
  return (
    <details className="card" open>
      <summary>
        <h2>Phone and gateway</h2>
      </summary>
      <div className="phone-fields">
        <Field
          label="Phone number"
          hint={hint}
          error={isPhoneNumber(phoneNumber) ? undefined : "Enter a number such as +260971230001."}
        >
          {(ids) => (
            <div className="row wrap phone-number">
              <input
                type="tel"
                autoComplete="off"
                value={phoneNumber}
                onChange={(event) => onChange({ phoneNumber: event.target.value.trim() })}
                {...ids}
              />
              <button
                type="button"
                className="nowrap small"
                onClick={() => onChange({ phoneNumber: freshPhoneNumber() })}
              >
                New number
              </button>
            </div>
          )}
        </Field>
        <Field
          label="Service code"
          hint="The code that callers dial. On the keypad, you can add inputs to it, such as *2233*1#."
          error={isServiceCode(serviceCode) ? undefined : "Enter a code such as *2233#."}
        >
          {(ids) => (
            <input
              autoComplete="off"
              value={serviceCode}
              onChange={(event) => onChange({ serviceCode: event.target.value.trim() })}
              {...ids}
            />
          )}
        </Field>
        <Field
          label="Gateway format"
          hint={
            format === "airtel"
              ? "Airtel's format puts everything that is typed, including PINs, into the URL of its requests."
              : undefined
          }
        >
          {(ids) => (
            <select
              value={format}
              onChange={(event) => isFormatName(event.target.value) && onChange({ format: event.target.value })}
              {...ids}
            >
              {Object.keys(gatewayFormats)
                .filter(isFormatName)
                .map((name) => (
                  <option key={name} value={name}>
                    {formats[name]}
                  </option>
                ))}
            </select>
          )}
        </Field>
        <Field label="What the gateway sends" hint={isFixed ? "The format decides this." : undefined}>
          {(ids) => (
            <select
              value={mode}
              disabled={isFixed}
              onChange={(event) => onChange({ mode: event.target.value === "latest" ? "latest" : "cumulative" })}
              {...ids}
            >
              <option value="cumulative">{modes.cumulative}</option>
              <option value="latest">{modes.latest}</option>
            </select>
          )}
        </Field>
      </div>
    </details>
  );
}
