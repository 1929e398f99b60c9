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
}

/** Reads the site and the earlier run records, and plans. Writes nothing. @throws RelayError as {@link prepare} */
export const readAndPlan = async (
  { shell, site, bundle, options, checklist, isWordSet, recreateMissing }: PlanInput,
  label: Label,
  onRead?: OnRead,
): Promise<Prepared> =>
  prepare({
    bundle,
    label,
    options,
    site,
    tool: `sync-tool ${version}`,
    now: new Date(shell.clock.now()).toISOString(),
    known: await readKnownRecords(shell.machine.disk, folderOf(checklist), site.identity, bundle.manifest.area.uuid),
    isWordSet,
    recreateMissing,
    ...(onRead ? { onRead } : {}),
  });
