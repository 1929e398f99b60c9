import type { RunningProcess } from '../../status/ask.ts';
import { listedProblems } from '../../status/verdict.ts';
import { failed, ok, warning, type Check, type Finding } from '../finding.ts';

const judged = (name: string, { verdict, dataDir, isHung = false }: RunningProcess): Finding[] => {
  const of = dataDir === undefined ? '' : ` (DATA_DIR ${dataDir})`;
  if (verdict === null && isHung) {
    const remedy = 'It hangs: read its log, end it with `kill -9`, and start it again.';
    return [failed(name, `runs, and its status page does not answer${of}`, remedy)];
  }
  if (verdict === null)
    return [warning(name, `runs, and its status page cannot be reached from here${of}`, 'Run this beside `up`.')];
  if (verdict.level === 'ok') return [ok(name, `${verdict.text}${of}`)];
  return listedProblems(verdict.problems).map(({ level, text, remedy }) =>
    (level === 'critical' ? failed : warning)(name, text, remedy),
  );
};

/**
 * Whether `up` runs, and the conditions that it, or the services of a cluster, report.
 * @param find resolves with null when nothing runs on DATA_DIR
 */
export const runningCheck = (isRemote: boolean, find: () => Promise<RunningProcess | null>): Check => {
  const name = isRemote ? 'services' : 'up';
  return {
    name,
    async ask() {
      const running = await find();
      if (running) return judged(name, running);
      return [failed(name, 'nothing runs on DATA_DIR', 'Start it with `ranger-relay up`.')];
    },
  };
};
