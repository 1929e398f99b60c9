import type { ActionContext } from '@ranger-relay/actions';
import type { SiteReader } from '@ranger-relay/site';
import type { SourceDirectory } from '../mapping/source-directory.ts';
import type { SiteTools } from '../tools.ts';
import type { PullObservationsConfig } from './config.ts';

/** What the action gets. */
export type PullContext = ActionContext<PullObservationsConfig, unknown, SiteTools>;

/** What one run works with. */
export interface PullParts {
  readonly context: PullContext;
  readonly integrationId: string;
  readonly reader: SiteReader;
  readonly directory: SourceDirectory;
  /** A list of assignments had more than one page; told once a run. */
  readonly onMore: () => void;
}
