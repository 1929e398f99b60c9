/** One thing a process must have to be ready, or to be alive. */
export interface Check {
  readonly name: string;
  /** True while it holds. Must answer at once. */
  readonly ok: () => boolean;
}

/** Readiness and liveness of one process: different questions with different answers. */
export interface Health {
  /** The process takes work: bus joined, not draining. */
  addReadiness(check: Check): void;
  /** The process can still do its work: consumers run. */
  addLiveness(check: Check): void;
  /** From now on not ready: the process is going. */
  drain(): void;
  draining(): boolean;
  ready(): { ok: boolean; failing: string[] };
  live(): { ok: boolean; failing: string[] };
}

/** Makes the health of one process. */
export const createHealth = (): Health => {
  const readiness: Check[] = [];
  const liveness: Check[] = [];
  let draining = false;
  const answer = (checks: Check[]): { ok: boolean; failing: string[] } => {
    const failing = checks.filter((check) => !check.ok()).map((check) => check.name);
    return { ok: failing.length === 0, failing };
  };
  return {
    addReadiness: (check) => void readiness.push(check),
    addLiveness: (check) => void liveness.push(check),
    drain: () => {
      draining = true;
    },
    draining: () => draining,
    ready: () => answer(draining ? [...readiness, { name: 'draining', ok: () => false }] : readiness),
    live: () => answer(liveness),
  };
};
