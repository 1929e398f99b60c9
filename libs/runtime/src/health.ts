/** One condition of readiness or liveness. */
export interface Check {
  readonly name: string;
  /** Returns true while the condition holds. Must return immediately. */
  readonly ok: () => boolean;
}

/** Readiness and liveness of one process. */
export interface Health {
  /** The process accepts work: it has joined the bus and is not draining. */
  addReadiness(check: Check): void;
  /** The process can work: its consumers run. */
  addLiveness(check: Check): void;
  /** Makes the process not ready, because it is shutting down. */
  drain(): void;
  draining(): boolean;
  ready(): { ok: boolean; failing: string[] };
  live(): { ok: boolean; failing: string[] };
}

/** Creates the health of one process. */
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
