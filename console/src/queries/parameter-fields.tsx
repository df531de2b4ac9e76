/** The parameters of a path as form fields, each with its type's input; those for paging are grouped. */
import { Field } from "../kit/field.tsx";
import { queriesTexts as texts } from "../texts/queries.ts";
import type { Parameter } from "./gateway-catalogue.ts";
import { OpeningDetails } from "./opening-details.tsx";
import type { Values } from "./path-template.ts";
import type { FieldProblemKind } from "./query-form.ts";

const pageHints = {
  "pagination.key": "The next_key of the previous answer. Do not combine it with an offset.",
  "pagination.offset": "Number of entries to skip. Do not combine it with a key.",
  "pagination.limit": "Number of entries per page. If empty, the node chooses.",
  "pagination.count_total": "true: the first page includes the total number of entries.",
  "pagination.reverse": "true: the entries are in reverse order.",
} as Readonly<Record<string, string>>;

const kinds = {
  text: "",
  integer: "A whole number",
  boolean: "",
  choice: "",
  bytes: "Bytes in base64",
  list: "One value per line",
  map: "One key=value per line",
};

export interface ParameterFieldsProps {
  readonly parameters: readonly Parameter[];
  readonly values: Values;
  readonly problems: Readonly<Record<string, FieldProblemKind>>;
  readonly onChange: (name: string, values: readonly string[]) => void;
}

/** The prefix of `cosmos.base.query.v1beta1.PageRequest`. */
const PAGE = "pagination.";

export function ParameterFields(props: ParameterFieldsProps) {
  const { parameters, values, problems } = props;
  const own = parameters.filter(({ name }) => !name.startsWith(PAGE));
  const page = parameters.filter(({ name }) => name.startsWith(PAGE));
  const isPaged = page.some(({ name }) => name in problems || values[name]?.some((value) => value !== "") === true);
  return (
    <>
      {parameters.length === 0 && <p className="muted small">This path takes no parameters.</p>}
      {own.length > 0 && (
        <fieldset>
          <legend>Parameters</legend>
          <FieldGrid {...props} parameters={own} />
        </fieldset>
      )}
      {page.length > 0 && (
        <OpeningDetails summary="Page" isUsed={isPaged}>
          <FieldGrid {...props} parameters={page} />
        </OpeningDetails>
      )}
    </>
  );
}

function FieldGrid({ parameters, values, problems, onChange }: ParameterFieldsProps) {
  return (
    <div className="parameter-grid">
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          values={values[parameter.name] ?? []}
          problem={problems[parameter.name]}
          onChange={(next) => onChange(parameter.name, next)}
        />
      ))}
    </div>
  );
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly values: readonly string[];
  readonly problem: FieldProblemKind | undefined;
  readonly onChange: (values: readonly string[]) => void;
}

function ParameterField({ parameter, values, problem, onChange }: ParameterFieldProps) {
  const { name, place, kind, choices, description } = parameter;
  const hint = [pageHints[name] ?? description, kinds[kind]]
    .filter((part) => part !== undefined && part !== "")
    .join(" · ");
  const [first = ""] = values;
  return (
    <Field
      label={name}
      isOptional={place === "query"}
      error={problem === undefined ? undefined : texts.problems[problem]}
      hint={hint === "" ? undefined : hint}
    >
      {(ids) => {
        if (kind === "choice" || kind === "boolean")
          return (
            <select {...ids} value={first} onChange={(event) => onChange([event.target.value])}>
              <option value="">Not set</option>
              {(kind === "boolean" ? ["true", "false"] : choices).map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          );
        if (kind === "list" || kind === "map")
          return (
            <textarea
              {...ids}
              className="code"
              rows={2}
              spellCheck={false}
              value={values.join("\n")}
              onChange={(event) => onChange(event.target.value.split("\n"))}
            />
          );
        return (
          <input
            {...ids}
            type="text"
            inputMode={kind === "integer" ? "numeric" : "text"}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={first}
            onChange={(event) => onChange([event.target.value])}
          />
        );
      }}
    </Field>
  );
}
