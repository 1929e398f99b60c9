import type { ActionContext, StateValue } from '@ranger-relay/actions';

/** Prefix of the state entries that record sent notices. */
export const noticePrefix = 'notice-';

type NoticeDependencies = Pick<ActionContext, 'state' | 'clock'>;

/** True once per interval, across all processes. */
export const isDue = ({ state, clock }: NoticeDependencies, name: string, everyMs: number): Promise<boolean> => {
  const value: StateValue = { at: new Date(clock.now()).toISOString() };
  return state.setIfAbsent(value, { source: `${noticePrefix}${name}`, ttlMs: everyMs });
};

/** What the site's clock showed about a watermark: it was in the site's future, or the site's or the local clock was set back since. */
export interface ClockNotice {
  readonly kind: 'watermark_ahead' | 'clock_set_back';
  readonly byMs: number;
}

const texts = {
  watermark_ahead: 'The watermark lay in the site’s future; the pull continues from the site’s present time',
  clock_set_back: 'The clock of the site, or of this service, was set back; the pull starts that much earlier',
};

/** Reports a watermark that had to be moved. */
export const reportClock = ({ feed }: Pick<ActionContext, 'feed'>, { kind, byMs }: ClockNotice): void =>
  feed.warning(texts[kind], { by_seconds: Math.round(byMs / 1_000) });
