import type { ActionContext, StateValue } from '@ranger-relay/actions';
import { toRelayError } from '@ranger-relay/errors';
import { noEndMs } from './position.ts';
import type { Range } from './ranges.ts';

type NoticeDependencies = Pick<ActionContext, 'state' | 'clock'>;

const hourMs = 3_600_000;

/** True once per interval, across all processes. */
export const isDue = ({ state, clock }: NoticeDependencies, name: string, everyMs = hourMs): Promise<boolean> => {
  const value: StateValue = { at: new Date(clock.now()).toISOString() };
  return state.setIfAbsent(value, { source: `notice-${name}`, ttlMs: everyMs });
};

/** What the site's clock showed about a watermark: it was in the site's future, or the site's clock was set back since, or the local one forward. */
export interface ClockNotice {
  readonly kind: 'watermark_ahead' | 'clock_set_back';
  readonly byMs: number;
}

const clockTexts = {
  watermark_ahead: 'The watermark lay in the site’s future; the pull continues from the site’s present time',
  clock_set_back:
    'The clock of the site was set back, or that of this service forward; the pull starts that much earlier',
};

/** Words of a pull for what it tells of its list. */
export interface ListWords {
  /** Plural of its rows, such as `events`. */
  readonly rows: string;
  /** How to read fewer rows at once. */
  readonly remedy: string;
  /** What becomes of rows that cannot be read. */
  readonly unreadable: string;
}

/** What a pull tells of its list in the activity log. */
export interface ListReport {
  /** Reports a watermark that had to be moved. */
  clock(notice: ClockNotice): void;
  /** Notes a range that the site fails on while it answers other requests. @param about more of it */
  waiting(range: Pick<Range, 'from' | 'to'>, error: unknown, about?: StateValue): void;
  /** Notes a second with more rows than the site returns at once, ms since 1970. @param about more of it */
  cut(second: number, about?: StateValue): void;
  /** Notes a row that cannot be read. @param id undefined when not even that can be */
  unreadable(id: string | undefined): void;
  /** Reports what was noted. Call it when the reading has ended, however it did; never rejects. */
  end(): Promise<void>;
}

/** Most rows or ranges that an entry names. */
export const maxNamed = 20;

const iso = (ms: number): string => new Date(ms).toISOString();

/** A range that was passed over, and why, for an entry. */
export const passedOver = ({ from, to }: Pick<Range, 'from' | 'to'>, error: unknown): StateValue => ({
  from: iso(from),
  to: iso(to ?? noEndMs),
  reason: toRelayError(error).message,
});

/** Creates the report of a run. */
export const createListReport = (
  { feed, log, state, clock }: Pick<ActionContext, 'feed' | 'log' | 'state' | 'clock'>,
  { rows, remedy, unreadable }: ListWords,
): ListReport => {
  const parts: StateValue[] = [];
  const seconds: StateValue[] = [];
  const ids = new Set<string>();
  let withoutId = 0;

  const reportUnreadable = async (): Promise<void> => {
    const count = ids.size + withoutId;
    if (count === 0) return;
    const data = { count, [rows]: [...ids].slice(0, maxNamed) };
    log.warn(data, `${rows} of the site cannot be read`);
    if (await isDue({ state, clock }, 'unreadable'))
      feed.warning(`Some ${rows} of the site cannot be read: ${unreadable}`, data);
  };

  return {
    clock: ({ kind, byMs }) => feed.warning(clockTexts[kind], { by_seconds: Math.round(byMs / 1_000) }),
    waiting: (range, error, about) => void parts.push({ ...about, ...passedOver(range, error) }),
    cut: (second, about) => void seconds.push({ second: iso(second), ...about }),
    unreadable: (id) => void (id === undefined ? (withoutId += 1) : ids.add(id)),
    async end() {
      if (parts.length > 0)
        feed.warning(`The site fails on some ${rows}; they were skipped and are retried each hour`, {
          parts: parts.slice(0, maxNamed),
        });
      if (seconds.length > 0)
        feed.warning(`More ${rows} of one second than the site returns at once: some are missing; ${remedy}`, {
          seconds: seconds.slice(0, maxNamed),
        });
      // A notice that cannot be recorded as sent is sent again later.
      await reportUnreadable().catch(() => undefined);
    },
  };
};
