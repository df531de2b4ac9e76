/** The twelve keys, with the letters that phones print on them. */
import { phoneTexts } from "../texts/phone.ts";

const keys: readonly (readonly [key: string, letters: string])[] = [
  ["1", ""],
  ["2", "abc"],
  ["3", "def"],
  ["4", "ghi"],
  ["5", "jkl"],
  ["6", "mno"],
  ["7", "pqrs"],
  ["8", "tuv"],
  ["9", "wxyz"],
  ["*", ""],
  ["0", "+"],
  ["#", ""],
];

const names: Readonly<Record<string, string>> = { "*": phoneTexts.starKey, "#": phoneTexts.hashKey };

export function Keypad({ onPress }: { readonly onPress: (key: string) => void }) {
  return (
    <div className="keypad" role="group" aria-label={phoneTexts.keypad}>
      {keys.map(([key, letters]) => (
        <button
          key={key}
          type="button"
          aria-label={names[key]}
          // The input line keeps the focus, so that Enter sends after a click on a key.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPress(key)}
        >
          <span>{key}</span> {letters !== "" && <small>{letters}</small>}
        </button>
      ))}
    </div>
  );
}
