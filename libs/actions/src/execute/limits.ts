/** How many runs there may be at a time in one process. */
export interface RunLimits {
  readonly total: number;
  readonly perIntegration: number;
}

/** Places for runs. */
export interface Limits {
  /** Takes a place; the answer gives it back, once. Undefined when there is none. */
  take(integrationId: string): (() => void) | undefined;
  running(): number;
}

/** Makes the places. */
export const createLimits = ({ total, perIntegration }: RunLimits): Limits => {
  const byIntegration = new Map<string, number>();
  let running = 0;

  const giveBack = (integrationId: string): void => {
    const left = (byIntegration.get(integrationId) ?? 1) - 1;
    running -= 1;
    if (left > 0) byIntegration.set(integrationId, left);
    else byIntegration.delete(integrationId);
  };

  return {
    running: () => running,
    take(integrationId) {
      const same = byIntegration.get(integrationId) ?? 0;
      if (running >= total || same >= perIntegration) return undefined;
      running += 1;
      byIntegration.set(integrationId, same + 1);
      let taken = true;
      return () => {
        if (taken) giveBack(integrationId);
        taken = false;
      };
    },
  };
};
