import type { SyncOptions } from '@ranger-relay/contracts';
import type { Site } from '@ranger-relay/site';
import type { Label } from '../bundle/labels/label.ts';
import type { Bundle } from '../bundle/model.ts';
import { prepare, type Prepared } from '../plan/plan.ts';
import type { OnRead } from '../resources/resource.ts';
import { folderOf } from '../run/files.ts';
import { readKnownRecords } from '../run/known-records.ts';
import type { SyncShell } from '../run/machine.ts';
import { version } from './flags.ts';

/** What a command plans from: the bundle is read and the site is open. */
export interface PlanInput {
  readonly shell: SyncShell;
  readonly site: Site;
  readonly bundle: Bundle;
  readonly options: SyncOptions;
  /** Path of the checklist; the run records of earlier runs lie in its folder. */
  readonly checklist: string;
  /** Whether somebody set the word. */
  readonly isWordSet: boolean;
  readonly recreateMissing?: boolean | undefined;
  /** Set when the run goes on with an unfinished one. */
  readonly earlier?: unknown;
}

/** Reads the site and the earlier run records, and plans. Writes nothing. @throws RelayError as {@link prepare} */
export const readAndPlan = async (
  { shell, site, bundle, options, checklist, isWordSet, recreateMissing, earlier }: PlanInput,
  label: Label,
  onRead?: OnRead,
): Promise<Prepared> => {
  const { uuid } = bundle.manifest.area;
  const known = await readKnownRecords(shell.machine.disk, folderOf(checklist), site.identity, uuid);
  const prepared = await prepare({
    bundle,
    label,
    options,
    site,
    tool: `sync-tool ${version}`,
    now: new Date(shell.clock.now()).toISOString(),
    known,
    isWordSet,
    recreateMissing,
    ...(onRead ? { onRead } : {}),
  });
  const { planned } = prepared;
  if (known.unfinished === undefined || earlier !== undefined || planned.plan.changes.length === 0) return prepared;
  const warnings = [
    ...planned.warnings,
    `the run recorded in ${known.unfinished} did not finish; a new run writes what is left of it, and undoing that leaves what the first one wrote: undo both records`,
  ];
  return { ...prepared, planned: { ...planned, warnings } };
};
