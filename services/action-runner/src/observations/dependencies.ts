import type { ActionContext } from '@ranger-relay/actions';
import { canonicalId } from '@ranger-relay/contracts';
import type { SiteReader } from '@ranger-relay/site';
import { z } from 'zod';
import type { SourceDirectory } from '../mapping/source-directory.ts';
import { pullFields } from '../pull/open-pull.ts';
import type { SiteDependencies } from '../tools.ts';

const maxGroups = 1_000;

/** Settings of the action `pull_observations`. */
export const pullObservationsConfig = z.object({
  ...pullFields,
  subject_group_ids: z.array(z.guid().overwrite(canonicalId)).max(maxGroups).default([]).meta({
    title: 'Subject groups',
    description: 'Ids of the groups whose sources are pulled, their subgroups included; empty: all sources.',
  }),
  subwindow_days: z.int().min(1).default(1).meta({
    title: 'Days of one part',
    description: 'A pull is split into parts of this many days; each is finished before the next one begins.',
  }),
  continue_immediately: z.boolean().default(false).meta({
    title: 'Continue immediately',
    description: 'A run that does not finish in time is followed by another at once, not by the schedule.',
  }),
});

type PullObservationsConfig = z.output<typeof pullObservationsConfig>;

/** Context of the action. */
export type PullContext = ActionContext<PullObservationsConfig, unknown, SiteDependencies>;

/** Dependencies of one run. */
export interface PullDependencies {
  readonly context: PullContext;
  readonly integrationId: string;
  readonly site: SiteReader;
  readonly directory: SourceDirectory;
  /** Called when a list of assignments has more than one page; reported once per run. */
  readonly onMore: () => void;
}
