import type { SyncOptions } from '@ranger-relay/contracts';
import type { Site } from '@ranger-relay/site';
import type { Bundle } from '../bundle/model.ts';
import { type Desired, desiredOf } from '../desired/index.ts';
import type { Label } from '../bundle/labels/label.ts';
import { besideOthers, type SubjectsBeside } from '../plan/beside.ts';
import { type PlannedRun, planRun } from '../plan/plan.ts';
import { type ReadOptions, readSite, type SiteState } from '../plan/read-site.ts';
import type { KnownRecords } from './known-records.ts';

/** The input of planning a run. */
export interface PrepareOptions {
  readonly bundle: Bundle;
  readonly label: Label;
  readonly options: SyncOptions;
  readonly site: Site;
  readonly tool: string;
  /** ISO time. */
  readonly now: string;
  /** The records stored in the same folders as those of this run. */
  readonly known: KnownRecords;
  /** Whether the run creates again the subjects that records list and the site does not show. */
  readonly recreateMissing?: boolean | undefined;
  readonly onRead?: NonNullable<ReadOptions['onRead']>;
}

/** A planned run, ready to be carried out. */
export interface Prepared {
  readonly desired: Desired;
  readonly state: SiteState;
  readonly beside: SubjectsBeside;
  /** Descriptions of what stays unchanged because other areas rely on it. */
  readonly kept: readonly string[];
  readonly planned: PlannedRun;
}

/** Reads the site and plans the run. Writes nothing. @throws RelayError `site_unauthorized`, `site_unavailable`, … */
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
