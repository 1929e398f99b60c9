import type { SyncOptions } from '@ranger-relay/contracts';
import type { Site } from '@ranger-relay/site';
import type { Label } from '../bundle/labels/label.ts';
import type { Bundle } from '../bundle/model.ts';
import { prepare, type Prepared } from '../plan/plan.ts';
import type { OnRead } from '../resources/resource.ts';
import { readKnownRecords } from '../run/known-records.ts';
import type { SyncShell } from '../run/machine.ts';
import { version } from './flags.ts';

/** What a command plans from: the bundle is read and the site is open. */
export interface PlanInput {
  readonly shell: SyncShell;
  readonly site: Site;
  readonly bundle: Bundle;
  readonly options: SyncOptions;
  /** Folder of the run records. */
  readonly folder: string;
  /** Whether somebody set the word. */
  readonly isWordSet: boolean;
  readonly recreateMissing?: boolean | undefined;
}

/** Reads the site and the earlier run records, and plans. Writes nothing. @throws RelayError as {@link prepare} */
export const readAndPlan = async (
  { shell, site, bundle, options, folder, isWordSet, recreateMissing }: PlanInput,
  label: Label,
  onRead?: OnRead,
): Promise<Prepared> => {
  const { area, sha256 } = bundle.manifest;
  const known = await readKnownRecords(shell.machine.disk, folder, site.identity, area.uuid);
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
  const { unfinished } = known;
  // A run of the same bundle finishes it, and an undo takes back both.
  if (!unfinished || unfinished.bundle === sha256 || planned.plan.changes.length === 0) return prepared;
  const warnings = [
    ...planned.warnings,
    `the run recorded in ${unfinished.path} did not finish, and was of another bundle; undoing the new run leaves what it wrote: undo both records`,
  ];
  return { ...prepared, planned: { ...planned, warnings } };
};
