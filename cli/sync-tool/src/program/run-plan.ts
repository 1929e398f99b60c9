import { basename } from 'node:path';
import type { SyncPlan, SyncStep } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { tryToNote, unfinishedText } from '../checklist/write.ts';
import type { Matches } from '../plan/match.ts';
import type { SubjectsBeside } from '../plan/subjects.ts';
import type { SyncShell } from '../run/machine.ts';
import type { RunSources } from '../run/record.ts';
import { applyPlan, nothingRan, type RunResult } from '../run/run.ts';
import { plannedTally, untriedTally } from '../run/tally.ts';
import type { Note } from '../summary/write.ts';
import { interruption } from './action.ts';
import { showProgress } from './summary.ts';

/** Why a run must not write anything, and the step that would. */
export interface Refusal {
  readonly step: SyncStep;
  readonly error: RelayError;
}

/** The input of running a plan, while the lock of its site is held. */
export interface PlanRun {
  readonly shell: SyncShell;
  readonly site: Site;
  readonly plan: SyncPlan;
  readonly matches: Matches;
  readonly beside: SubjectsBeside;
  /** Folder of the run records. */
  readonly folder: string;
  readonly sources: RunSources;
  readonly refusal?: Refusal | undefined;
  readonly dryRun: boolean;
  readonly note: Note;
}

/** Applies a plan and shows the progress; a dry run and a refused run write nothing. */
export const runPlan = async (parts: PlanRun): Promise<RunResult> => {
  const { shell, site, plan, sources, refusal, dryRun, note } = parts;
  const refused = refusal && new Map([[refusal.step, refusal.error]]);
  if (dryRun) return nothingRan(plannedTally(plan), refused);
  if (refused) return nothingRan(untriedTally(plan), refused);
  const signal = shell.interrupted();
  if (signal.aborted) throw interruption();
  const listener = {
    ...showProgress(shell),
    async onRecord(path: string) {
      note({ record: basename(path) });
      // What is killed cannot say so any more.
      const { checklist } = sources;
      const section = { area: plan.conservation_area, site, begins: true };
      await tryToNote(shell, checklist, section, unfinishedText(checklist, path));
    },
  };
  return applyPlan({ ...parts, disk: shell.machine.disk, clock: shell.clock, listener, signal });
};
