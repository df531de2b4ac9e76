/** How often the rooms of this Worker came to life and were rung: memory that Worker and objects share, kept by object id. */

export interface WakeUps {
  /** Constructions: one for each time that the object was not in memory. */
  lives: number;
  alarms: number;
}

const counted = new Map<string, WakeUps>();

export function wakeUpsOf(id: DurableObjectId): WakeUps {
  const known = counted.get(id.toString());
  if (known !== undefined) return known;
  const none = { lives: 0, alarms: 0 };
  counted.set(id.toString(), none);
  return none;
}

/** Of all rooms, so that nobody need be woken to be asked. */
export function allWakeUps(): WakeUps {
  const sum = { lives: 0, alarms: 0 };
  for (const { lives, alarms } of counted.values()) {
    sum.lives += lives;
    sum.alarms += alarms;
  }
  return sum;
}
