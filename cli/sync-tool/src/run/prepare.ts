import type { SyncOptions } from '@ranger-relay/contracts';
import type { Site } from '@ranger-relay/site';
import type { Bundle } from '../bundle/model.ts';
import { desiredOf, type Desired } from '../desired/index.ts';
import type { Label } from '../desired/labels.ts';
import { planRun, type PlannedRun } from '../plan/plan.ts';
import type { SiteState } from '../plan/read.ts';
import { readSite, type ReadOptions } from '../plan/read-site.ts';

/** What planning a run needs. */
export interface PrepareParts {
  readonly bundle: Bundle;
  readonly label: Label;
  readonly options: SyncOptions;
  readonly site: Site;
  readonly tool: string;
  /** ISO time. */
  readonly now: string;
  readonly onRead?: NonNullable<ReadOptions['onRead']>;
}

/** A run that is ready to be carried out. */
export interface Prepared {
  readonly desired: Desired;
  readonly state: SiteState;
  readonly planned: PlannedRun;
}

/** Reads the site and plans. Nothing is written. @throws RelayError `site_unauthorized`, `site_unavailable`, … */
export const prepare = async (parts: PrepareParts): Promise<Prepared> => {
  const { bundle, label, options, site, tool, now, onRead } = parts;
  const desired = desiredOf(bundle, label, options.subject_name_suffix);
  const state = await readSite(site, {
    choiceFields: [...desired.choices.keys()],
    rosterGroup: options.roster_group ?? undefined,
    ...(onRead ? { onRead } : {}),
  });
  return { desired, state, planned: planRun({ bundle, desired, state, options, site: site.identity, tool, now }) };
};
