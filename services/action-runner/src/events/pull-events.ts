import { choose, type SkippedReason } from './choose.ts';
import { lookUpTypes } from './event-types.ts';
import { tellOfRefusals, tellOfSlugs } from './notices.ts';
import { isTimeUp, type PullParts, type TakingParts } from './parts.ts';
import { eventsQuery } from './query.ts';
import { readEvent, type SiteEvent } from './site-event.ts';
import { takeEvents } from './take.ts';
import { emptyTally, type Tally } from './tally.ts';
import { isEmpty, watermarkAfter, windowOf } from './window.ts';

/** What a pull of events answers (platform contract, `pull_events`). */
export interface PullEventsResult extends Tally {
  /** Stopped because its time was up; the next run goes on. */
  readonly status?: 'in_progress';
  readonly skipped_reason?: SkippedReason;
}

const listLength = 100;

const readable = ({ log }: PullParts, rows: readonly unknown[]): SiteEvent[] => {
  const events = rows.flatMap((row) => readEvent(row) ?? []);
  if (events.length < rows.length) log.warn({ rows: rows.length - events.length }, 'events without an id are left out');
  return events;
};

/** Takes over page after page. False when the time was up before the end. */
const takeAll = async (parts: TakingParts, query: Readonly<Record<string, string>>): Promise<boolean> => {
  for await (const page of parts.site.pages('activity/events', query, { signal: parts.signal })) {
    if (isTimeUp(parts)) return false;
    const events = readable(parts, page);
    for (let at = 0; at < events.length; at += listLength)
      if (!(await takeEvents(parts, events.slice(at, at + listLength)))) return false;
  }
  return true;
};

/**
 * Takes the events of a site over to the platform (platform contract, `pull_events`): new ones are posted, of known ones each change is sent
 * once. The watermark moves when all is done, to the instant at which the run began.
 * @throws RelayError of the site, the platform, the state and the bus; what was sent before is written down
 */
export const pullEvents = async (parts: PullParts): Promise<PullEventsResult> => {
  const { config, state, clock, signal, site } = parts;
  const started = clock.now();
  const tally = emptyTally();
  const window = windowOf(config, await state.watermark());
  // What is yet to begin has no watermark: the run that begins then starts where it is configured to.
  if (window.lower > started) return tally;
  const types = await lookUpTypes({ site, signal }, config.event_categories);
  const choice = choose(config, types);
  await tellOfSlugs(parts, choice);
  if (choice.skipped) return { ...tally, skipped_reason: choice.skipped };
  if (!isEmpty(window)) {
    const taking = { ...parts, displays: types.displays, tally, refusals: { count: 0 } };
    const query = eventsQuery(config, window, choice.chosen);
    const done = await takeAll(taking, query).finally(() => tellOfRefusals(taking));
    if (!done) return { ...tally, status: 'in_progress' };
  }
  await state.finish(watermarkAfter(window, started));
  return tally;
};
