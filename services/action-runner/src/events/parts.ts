import type { ActionContext } from '@ranger-relay/actions';
import type { Events } from '@ranger-relay/platform';
import type { SiteReader } from '@ranger-relay/site';
import type { PullEventsConfig } from './config.ts';
import type { Burial } from './dead-letter.ts';
import type { FailingEvents } from './failing.ts';
import type { EventTypes } from './event-types.ts';
import type { Tally } from './tally.ts';

/** What a pull of events works with, apart from what it is about. */
export interface PullParts extends Pick<ActionContext, 'state' | 'feed' | 'log' | 'clock' | 'signal' | 'timeUsed'> {
  readonly integrationId: string;
  readonly config: PullEventsConfig;
  readonly site: Pick<SiteReader, 'root' | 'page' | 'pages' | 'fetchBytes'>;
  /** How far a listing reaches back behind what was seen, and behind the date of what is written down late, ms. */
  readonly overlapMs: number;
  readonly lateMs: number;
  readonly events: Events;
  /** Puts what the platform refuses into the dead letters. @throws RelayError of the bus */
  bury(burial: Burial): Promise<void>;
}

/** A pull that knows the site's types. */
export interface TakingParts extends PullParts {
  readonly displays: EventTypes['displays'];
  readonly tally: Tally;
  /** What the platform fails on. */
  readonly failing: FailingEvents;
  /** Events and changes that the platform did not take in this run. */
  readonly refusals: { count: number };
}

/** At this share of the execution time a run stops, so that what is under way can end well. */
const enough = 0.8;

/** Whether the run has to stop here. */
export const isTimeUp = ({ timeUsed }: Pick<PullParts, 'timeUsed'>): boolean => timeUsed() >= enough;
