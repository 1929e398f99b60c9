import type { Bus, DeadLetters, OutgoingRecord } from '@ranger-relay/bus';
import { siteEventKey, type SiteEventRecord } from '@ranger-relay/contracts';
import { cleanJson, isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { inBatches } from '../mapping/batches.ts';
import type { Row } from '../mapping/instant.ts';
import { type SiteEvent, transferredMembers } from '../mapping/site-event.ts';

/** A row of the list of events. */
export interface EventRow {
  readonly event: SiteEvent;
  readonly row: unknown;
}

/** What the records of a run have in common. */
interface RowsAbout {
  /** Display names of types, by slug. */
  readonly displays: ReadonlyMap<string, string>;
  readonly withFiles: boolean;
}

/** Publishes rows to `site-events`. @throws RelayError of the bus; the reason of the signal */
export type PublishRows = (rows: readonly EventRow[], about: RowsAbout) => Promise<void>;

/** Dependencies of publishing. */
export interface PublishDependencies {
  readonly bus: Pick<Bus, 'publish'>;
  readonly topic: string;
  readonly deadLetters: DeadLetters;
  readonly integrationId: string;
  /** Scheme, host and port of the site. */
  readonly site: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

/** Largest number of records in one call of the bus. */
const batchSize = 100;

const flat = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, member]) => typeof member !== 'object'));

/** Serializes a record; a row nested too deep for JSON loses the members that can be. */
const written = (record: SiteEventRecord): string => {
  try {
    return cleanJson(record);
  } catch {
    return cleanJson({ ...record, row: flat(record.row) });
  }
};

/** Creates the publishing of a run. A row that the topic does not take for its size becomes a dead letter. */
export const createPublishRows = ({
  bus,
  topic,
  deadLetters,
  integrationId,
  site,
  clock,
  signal,
}: PublishDependencies): PublishRows => {
  const store = async (records: readonly OutgoingRecord[]): Promise<void> => {
    signal.throwIfAborted();
    const [record, ...others] = records;
    try {
      await bus.publish(topic, records);
    } catch (error) {
      if (!record || !isRelayError(error, 'record_too_large')) throw error;
      if (others.length > 0) for (const each of records) await store([each]);
      else
        await deadLetters.write({
          kind: 'site_event',
          integrationId,
          reason: error.code,
          detail: error.message,
          body: Buffer.from(record.value),
          receivedAt: clock.now(),
          identity: [record.key],
        });
    }
  };

  return async (rows, { displays, withFiles }) => {
    const received_at = new Date(clock.now()).toISOString();
    const recordOf = ({ event: { id, type }, row }: EventRow): OutgoingRecord => {
      const typeName = displays.get(type ?? '');
      const about = { v: 1, integration_id: integrationId, event_id: id, received_at, site } as const;
      const name = typeName === undefined ? {} : { type_name: typeName };
      const value = written({ ...about, ...name, with_files: withFiles, row: transferredMembers(row) });
      return { key: siteEventKey(about), value };
    };
    for (const batch of inBatches(rows, batchSize)) await store(batch.map(recordOf));
  };
};
