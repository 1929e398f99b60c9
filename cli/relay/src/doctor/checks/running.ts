import type { Verdict } from '../../status/model.ts';
import { failed, ok, skipped, warning, type Check, type Finding } from '../finding.ts';

/** Facts about the process that uses DATA_DIR. */
export interface RunningProcess {
  /** As its status page reports it; null when the page is unreachable. */
  readonly verdict: Verdict | null;
}

const name = 'up';

const judged = ({ verdict }: RunningProcess): Finding[] => {
  if (verdict === null) return [ok(name, 'runs; its status page is unreachable from here')];
  if (verdict.level === 'ok') return [ok(name, verdict.text)];
  const remedy = 'Run `ranger-relay status`.';
  return verdict.problems.map(({ level, text }) => (level === 'critical' ? failed : warning)(name, text, remedy));
};

/**
 * Whether `up` runs, and its reported state.
 * @param find resolves with null when nothing runs on DATA_DIR
 */
export const runningCheck = (isRemote: boolean, find: () => Promise<RunningProcess | null>): Check => ({
  name,
  async ask() {
    if (isRemote) return [skipped(name, 'services of a cluster report their state at /readyz')];
    const running = await find();
    return running ? judged(running) : [failed(name, 'nothing runs on DATA_DIR', 'Start it with `ranger-relay up`.')];
  },
});
