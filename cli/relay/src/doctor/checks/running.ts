import type { RunningProcess } from '../../status/ask.ts';
import { listedProblems } from '../../status/verdict.ts';
import { failed, ok, warning, type Check, type Finding } from '../finding.ts';

const judged = (name: string, { verdict, dataDir }: RunningProcess): Finding[] => {
  const of = dataDir === undefined ? '' : ` (DATA_DIR ${dataDir})`;
  if (verdict === null)
    return [
      failed(
        name,
        `holds its data directory, and its status page does not answer${of}`,
        'Run this beside `up`. If it is, `up` hangs: read its log, end it with `kill -9`, and start it again.',
      ),
    ];
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
