/** Whether a condition has been true since the component was mounted. */
import { useState } from "react";

export function useOnce(isSo: boolean): boolean {
  const [hasBeen, setHasBeen] = useState(isSo);
  if (isSo && !hasBeen) setHasBeen(true);
  return hasBeen || isSo;
}
