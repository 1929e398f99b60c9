import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { isDue } from '../pull/notices.ts';
import { instant } from '../pull/position.ts';
import type { PullDependencies } from './parts.ts';
import { failingSource } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** Leaves one event for later runs; what comes behind it goes on. */
export class LeftForLater extends Error {
  override readonly name = 'LeftForLater';
}

/** Passes over what was left. @throws anything else */
export const unlessLeft = (error: unknown): false => {
  if (!(error instanceof LeftForLater)) throw error;
  return false;
};

/**
 * Events that the platform fails on when each is sent alone. They are kept with all that is needed to send them, are tried at the end of
 * each run, and hold up nothing.
 */
export interface FailingEvents {
  has(eventId: string): boolean;
  /** Ids of those of earlier runs. */
  readonly known: readonly string[];
  /** Such an event as the site showed it last. */
  latest(eventId: string): SiteEvent | undefined;
  /** The site shows such an event again: this is what is tried from now on. @throws RelayError of the state */
  renew(event: SiteEvent): Promise<void>;
  /** The platform took something, so that what it fails on now is the fault of that. */
  accepted(): void;
  /** It failed in this run. */
  wasLeft(eventId: string): boolean;
  /** Such an event is done with. @throws RelayError of the state */
  passed(eventId: string): Promise<void>;
  /** A list failed. True when each part of it may be sent alone. */
  mayHalve(error: unknown): boolean;
  /**
   * An event failed alone. True when it is to be given up: five times over ten minutes, in runs in which others were accepted.
   * @throws LeftForLater; the error itself when it is not about an event, or too many fail; RelayError of the state
   */
  isHopeless(event: SiteEvent, error: unknown): Promise<boolean>;
  /** How often a call that may fail for such an event is tried; undefined for as often as usual. */
  tries(): 1 | undefined;
  /** What ends a run in which nothing was accepted and something failed. @throws RelayError */
  end(): void;
}

const loneTries = 5;
const loneMs = 600_000;
/** More at a time are no events' fault, and neither are more in a row. */
const maxFailing = 50;
const maxInARow = 5;
const dayMs = 86_400_000;

const entry = z.object({
  /** Counts the runs that proved that others pass. */
  count: z.int().min(0),
  since: instant,
  event: z.looseObject({ id: z.string() }).transform((event) => event as unknown as SiteEvent),
});
type Entry = z.output<typeof entry>;
const schema = z.object({ events: z.record(z.string(), entry) });

const isAmbiguous = (error: unknown): error is RelayError => isRelayError(error) && error.ambiguous;

type FailingDependencies = Pick<PullDependencies, 'state' | 'clock' | 'feed' | 'log'>;

/** Reads what earlier runs have left. @throws RelayError of the state */
export const readFailing = async ({ state, clock, feed, log }: FailingDependencies): Promise<FailingEvents> => {
  const { data } = schema.safeParse(await state.get(failingSource));
  const entries = new Map<string, Entry>(Object.entries(data?.events ?? {}));
  const known = [...entries.keys()];
  const left = new Set<string>();
  let [anyAccepted, inARow, halving] = [false, 0, false];
  let fresh: RelayError | undefined;

  const save = (): Promise<void> => {
    const events = Object.fromEntries(
      [...entries].map(([id, each]) => [id, { ...each, since: new Date(each.since).toISOString() }]),
    );
    return state.set({ events }, { source: failingSource });
  };

  const tell = async (error: RelayError): Promise<void> => {
    if (await isDue({ state, clock }, 'failing_events', dayMs))
      feed.warning('The platform fails on some events; they are tried again in each run', {
        events: [...entries.keys()],
        reason: error.message,
      });
  };

  const tellOfGivingUp = ({ id, serial }: SiteEvent, error: RelayError): void =>
    feed.warning('The platform fails on an event each time; replay its dead letter once the platform is fixed', {
      event: id,
      serial_number: serial,
      reason: error.message,
    });

  return {
    has: (id) => entries.has(id),
    known,
    latest: (id) => entries.get(id)?.event,
    async renew(event) {
      const before = entries.get(event.id);
      if (!before) return;
      entries.set(event.id, { ...before, event });
      await save();
    },
    accepted() {
      [anyAccepted, inARow] = [true, 0];
    },
    wasLeft: (id) => left.has(id),
    async passed(id) {
      if (entries.delete(id)) await save();
    },
    mayHalve(error) {
      halving ||= isAmbiguous(error);
      return isAmbiguous(error);
    },
    async isHopeless(event, error) {
      inARow += 1;
      const before = entries.get(event.id);
      if (!isAmbiguous(error) || inARow > maxInARow || (!before && entries.size >= maxFailing)) throw error;
      log.warn({ err: error, event: event.id }, 'the platform fails on an event');
      if (!before) fresh ??= error;
      const { count, since } = before ?? { count: 0, since: clock.now() };
      const counted = count + (anyAccepted ? 1 : 0);
      if (counted >= loneTries && clock.now() - since >= loneMs) {
        tellOfGivingUp(event, error);
        return true;
      }
      left.add(event.id);
      entries.set(event.id, { count: counted, since, event });
      await save();
      if (anyAccepted) await tell(error);
      throw new LeftForLater();
    },
    tries: () => (halving || entries.size > 0 ? 1 : undefined),
    end() {
      if (fresh && !anyAccepted) throw fresh;
    },
  };
};
