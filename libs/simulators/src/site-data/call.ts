import type { Answer } from '../http/answer.ts';
import type { User, SiteData } from './records.ts';
import type { PageCall } from './paging.ts';

/** One authorised GET. */
export interface DataCall extends PageCall {
  readonly data: SiteData;
  readonly user: User;
  /** What the route's pattern took out of the path. */
  readonly key: string;
  /** By the machine's clock, ms since 1970. */
  readonly now: number;
  /** How far the site's own clock stands from it. */
  readonly offsetMs: number;
}

/** Answers one kind of call. */
export type DataRoute = (call: DataCall) => Answer;
