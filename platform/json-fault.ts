/**
 * Where a text stops being JSON, for whoever sent it (RFC 8259). The runtime's own message often has no position and quotes
 * the text, which may hold a secret. Runs only on texts that failed to parse, and does not recurse.
 */

/**
 * Such as `line 2, column 7: expected , or }`; undefined for what is JSON. Lines and columns are counted from one. With
 * `uniqueNames` a name that an object has already is a fault too.
 */
export function jsonFault(text: string, { uniqueNames = false } = {}): string | undefined {
  const fault = findFault(text, uniqueNames);
  if (fault === undefined) return undefined;
  const before = text.slice(0, fault.at);
  const line = before.split("\n").length;
  const column = fault.at - before.lastIndexOf("\n");
  return `line ${line}, column ${column}: ${fault.expected}`;
}

interface Fault {
  readonly at: number;
  readonly expected: string;
}

/** What may come next. */
type State = "value" | "item or ]" | "name" | "name or }" | "colon" | "comma" | "end";

const expectations: Readonly<Record<State, string>> = {
  value: "expected a value",
  "item or ]": "expected a value or ]",
  name: "expected a name in double quotes",
  "name or }": "expected a name in double quotes or }",
  colon: "expected :",
  comma: "expected ,",
  end: "expected nothing more",
};

const REPEATED = "expected a name that this object does not have yet";

const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;

function findFault(text: string, uniqueNames: boolean): Fault | undefined {
  const open: ("{" | "[")[] = [];
  /** The names so far of each object that is open. */
  const names: Set<unknown>[] = [];
  let state: State = "value";
  let at = 0;
  const after = (): State => (open.length === 0 ? "end" : "comma");
  const here = (): Fault => {
    const closing = open.at(-1) === "{" ? " or }" : " or ]";
    return { at, expected: `${expectations[state]}${state === "comma" ? closing : ""}` };
  };

  for (;;) {
    at = endOf(BLANK, text, at) ?? at;
    if (at >= text.length) return state === "end" ? undefined : here();
    const character = text.charAt(at);
    if (state === "end") return here();
    if (state === "colon") {
      if (character !== ":") return here();
      state = "value";
      at += 1;
    } else if (state === "comma") {
      const inObject = open.at(-1) === "{";
      if (character === ",") state = inObject ? "name" : "value";
      else if (character === (inObject ? "}" : "]")) {
        if (open.pop() === "{") names.pop();
        state = after();
      } else return here();
      at += 1;
    } else if (state === "name" || state === "name or }") {
      if (character === "}" && state === "name or }") {
        open.pop();
        names.pop();
        state = after();
        at += 1;
      } else if (character === '"') {
        const end = endOfString(text, at);
        if (typeof end !== "number") return end;
        if (uniqueNames) {
          const name: unknown = JSON.parse(text.slice(at, end));
          if (names.at(-1)?.has(name) === true) return { at, expected: REPEATED };
          names.at(-1)?.add(name);
        }
        at = end;
        state = "colon";
      } else return here();
    } else if (character === "]" && state === "item or ]") {
      open.pop();
      state = after();
      at += 1;
    } else if (character === "{" || character === "[") {
      open.push(character);
      if (character === "{") names.push(new Set());
      state = character === "{" ? "name or }" : "item or ]";
      at += 1;
    } else {
      const end = character === '"' ? endOfString(text, at) : (endOf(LITERAL, text, at) ?? endOf(NUMBER, text, at));
      if (end === undefined) return here();
      if (typeof end !== "number") return end;
      at = end;
      state = after();
    }
  }
}

/** Where the pattern ends that begins here; undefined when it does not. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOfString(text: string, start: number): number | Fault {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character < " ") return { at, expected: "expected \\ escapes instead of control characters in a string" };
    if (character !== "\\") continue;
    const next = text.charAt(at + 1);
    const isEscape = next === "u" ? /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) : /^["\\/bfnrt]$/.test(next);
    if (!isEscape) return { at, expected: "expected an escape such as \\n or \\u00e9" };
    at += 1;
  }
  return { at: text.length, expected: 'expected the closing "' };
}
