import { nextFire, type Schedule } from '@ranger-relay/actions';
import type { Runs } from './running.ts';

/** One instant of a schedule. */
export interface Fire {
  readonly utc: string;
  /** In the schedule's time zone. */
  readonly local: string;
}

/** The next instants of one action. */
export interface ActionFires {
  readonly action: string;
  readonly crontab: string;
  readonly source: Schedule['source'];
  readonly next: readonly Fire[];
  /** Only when an integration was named. */
  readonly runs?: Runs;
}

const hourMs = 3_600_000;

const offsetText = (hours: number): string => `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;

/** An instant at an offset of this many hours from UTC. */
const localTime = (at: number, hours: number): string =>
  `${new Date(at + hours * hourMs).toISOString().slice(0, 16)}${offsetText(hours)}`;

/** The next instants after `now`; fewer when the schedule ends. */
export const firesOf = (
  { actionId, crontab, source }: Schedule,
  now: number,
  count: number,
  runs?: Runs,
): ActionFires => {
  const next: Fire[] = [];
  for (let at = nextFire(crontab, now); at !== null && next.length < count; at = nextFire(crontab, at))
    next.push({ utc: `${new Date(at).toISOString().slice(0, 16)}Z`, local: localTime(at, crontab.offsetHours) });
  return { action: actionId, crontab: crontab.text, source, next, ...(runs === undefined ? {} : { runs }) };
};
