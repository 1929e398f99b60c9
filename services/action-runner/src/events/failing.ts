import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { isDue } from '../pull/notices.ts';
import { instant } from '../pull/position.ts';
import type { PullDependencies } from './parts.ts';
import { failingSource } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** Thrown to leave one event for later runs; the run continues with the next events. */
export class LeftForLater extends Error {
  override readonly name = 'LeftForLater';
}

/** Ignores `LeftForLater`. @throws anything else */
export const unlessLeft = (error: unknown): false => {
  if (!(error instanceof LeftForLater)) throw error;
  return false;
};

/**
 * Events that the platform fails on even when each is sent alone. They are stored with everything needed to send them, are retried at the
 * end of each run, and do not block other events.
 */
export interface FailingEvents {
  has(eventId: string): boolean;
  /** Ids of the failing events of earlier runs. */
  readonly known: readonly string[];
  /** A failing event in the latest version from the site. */
  latest(eventId: string): SiteEvent | undefined;
  /** Replaces a failing event with the site's new version, which is retried from now on. @throws RelayError of the state */
  renew(event: SiteEvent): Promise<void>;
  /** Records that the platform accepted an item: later failures are then the fault of their item. */
  accepted(): void;
  /** Whether the event failed in this run. */
  wasLeft(eventId: string): boolean;
  /** Removes an event that no longer fails. @throws RelayError of the state */
  passed(eventId: string): Promise<void>;
  /** Called when a list failed. True when its parts may be sent separately. */
  mayHalve(error: unknown): boolean;
  /**
   * Called when an event failed alone. True when it must be dead-lettered: five failures over ten minutes, in runs in
   * which other events were accepted.
   * @throws LeftForLater; the error itself when it does not concern an event, or too many events fail; RelayError of the state
   */
  isHopeless(event: SiteEvent, error: unknown): Promise<boolean>;
  /** Number of attempts of a call that may fail for such an event; undefined for the default. */
  tries(): 1 | undefined;
  /** Fails a run in which the platform accepted nothing and a new event failed. @throws RelayError */
  end(): void;
}

const loneTries = 5;
const loneMs = 600_000;
/** With more failures than this at a time, or in a row, no event is at fault. */
const maxFailing = 50;
const maxInARow = 5;
const dayMs = 86_400_000;

const entry = z.object({
  /** Number of failed runs in which other events were accepted. */
  count: z.int().min(0),
  since: instant,
  event: z.looseObject({ id: z.string() }).transform((event) => event as unknown as SiteEvent),
});
type Entry = z.output<typeof entry>;
const schema = z.object({ events: z.record(z.string(), entry) });

const isAmbiguous = (error: unknown): error is RelayError => isRelayError(error) && error.ambiguous;

type FailingDependencies = Pick<PullDependencies, 'state' | 'clock' | 'feed' | 'log'>;

/** Reads the failing events of earlier runs. @throws RelayError of the state */
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
      feed.warning('The platform fails on some events; each run retries them', {
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
