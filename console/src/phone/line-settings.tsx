/** Whose phone it is, what it dials, and how its telecom gateway speaks. */
import { Field } from "../kit/field.tsx";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { phoneTexts } from "../texts/phone.ts";
import { freshPhoneNumber, isPhoneNumber, isServiceCode } from "./dialled.ts";
import { formatOf, gatewayFormats, isFormatName } from "../../../shared/gateway-formats.ts";
import type { Line } from "./handset-state.ts";

export interface LineSettingsProps {
  readonly line: Line;
  readonly onChange: (changed: Partial<Line>) => void;
}

export function LineSettings({ line, onChange }: LineSettingsProps) {
  const { environment } = usePageSettings();
  const { phoneNumber, serviceCode, format, mode } = line;
  const isFixed = formatOf(format).mode !== undefined;
  const hint = environment === "development" ? phoneTexts.phoneNumberDevelopment : phoneTexts.phoneNumberReal;
  return (
    <details className="card" open>
      <summary>
        <h2>{phoneTexts.settings}</h2>
      </summary>
      <div className="phone-fields">
        <Field
          label={phoneTexts.phoneNumber}
          hint={hint}
          error={isPhoneNumber(phoneNumber) ? undefined : phoneTexts.phoneNumberWrong}
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
                {phoneTexts.newNumber}
              </button>
            </div>
          )}
        </Field>
        <Field
          label={phoneTexts.serviceCode}
          hint={phoneTexts.serviceCodeHint}
          error={isServiceCode(serviceCode) ? undefined : phoneTexts.serviceCodeWrong}
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
        <Field label={phoneTexts.format} hint={format === "airtel" ? phoneTexts.airtelHint : undefined}>
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
                    {phoneTexts.formats[name]}
                  </option>
                ))}
            </select>
          )}
        </Field>
        <Field label={phoneTexts.mode} hint={isFixed ? phoneTexts.modeFixed : undefined}>
          {(ids) => (
            <select
              value={mode}
              disabled={isFixed}
              onChange={(event) => onChange({ mode: event.target.value === "latest" ? "latest" : "cumulative" })}
              {...ids}
            >
              <option value="cumulative">{phoneTexts.modes.cumulative}</option>
              <option value="latest">{phoneTexts.modes.latest}</option>
            </select>
          )}
        </Field>
      </div>
    </details>
  );
}
