/** Whether something has been so since the component is shown. */
import { useState } from "react";

export function useOnce(isSo: boolean): boolean {
  const [hasBeen, setHasBeen] = useState(isSo);
  if (isSo && !hasBeen) setHasBeen(true);
  return hasBeen || isSo;
}
