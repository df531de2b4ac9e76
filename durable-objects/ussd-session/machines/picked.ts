/** Which item of a numbered list was typed; numbers run on over its pages (contract/ussd.md section 6). */
export function pickedFrom<Item>(items: readonly Item[], typed: string): Item | undefined {
  return /^[1-9]\d?$/.test(typed) ? items[Number(typed) - 1] : undefined;
}
