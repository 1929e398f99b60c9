import type { SyncOptions } from '@ranger-relay/contracts';
import type { Site } from '@ranger-relay/site';
import type { Bundle } from '../bundle/model.ts';
import { type Desired, desiredOf } from '../desired/index.ts';
import type { Label } from '../bundle/labels/label.ts';
import { besideOthers, type SubjectsBeside } from '../plan/beside.ts';
import { type PlannedRun, planRun } from '../plan/plan.ts';
import { type ReadOptions, readSite, type SiteState } from '../plan/read-site.ts';
import type { KnownRecords } from './known-records.ts';

/** What planning a run needs. */
export interface PrepareOptions {
  readonly bundle: Bundle;
  readonly label: Label;
  readonly options: SyncOptions;
  readonly site: Site;
  readonly tool: string;
  /** ISO time. */
  readonly now: string;
  /** Records that lie where those of this run lie. */
  readonly known: KnownRecords;
  /** Subjects that records know and the site does not show are made again. */
  readonly recreateMissing?: boolean | undefined;
  readonly onRead?: NonNullable<ReadOptions['onRead']>;
}

/** A run that is ready to be carried out. */
export interface Prepared {
  readonly desired: Desired;
  readonly state: SiteState;
  readonly beside: SubjectsBeside;
  /** What was left as it is since other areas count on it, in words. */
  readonly kept: readonly string[];
  readonly planned: PlannedRun;
}

/** Reads the site and plans. Nothing is written. @throws RelayError `site_unauthorized`, `site_unavailable`, … */
export const prepare = async (parts: PrepareOptions): Promise<Prepared> => {
  const { bundle, label, options, site, tool, now, known, recreateMissing = false, onRead } = parts;
  const asked = desiredOf(bundle, label, options.subject_name_suffix);
  const state = await readSite(site, {
    choiceFields: [...asked.choices.keys()],
    rosterGroup: options.roster_group ?? undefined,
    ...(onRead ? { onRead } : {}),
  });
  const { desired, kept } = besideOthers(asked, state, known.others, options.replace_segment_schema);
  const mayRecreate = state.user.isSuperuser || recreateMissing;
  const beside = { ...known, exportedAt: bundle.manifest.exportedAt, mayRecreate };
  const planned = planRun({ bundle, desired, state, options, beside, site: site.identity, tool, now });
  return { desired, state, beside, kept, planned: { ...planned, warnings: [...planned.warnings, ...kept] } };
};
