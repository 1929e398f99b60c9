import type { Bus, DeadLetters, OutgoingRecord } from '@ranger-relay/bus';
import { siteEventKey, type SiteEventRecord } from '@ranger-relay/contracts';
import { cleanJson, isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { inBatches } from '../mapping/batches.ts';
import { type SiteEvent, transferredMembers } from '../mapping/site-event.ts';
import type { Row } from '../mapping/instant.ts';

/** A row of the list of events. */
export interface EventRow {
  readonly event: SiteEvent;
  readonly row: unknown;
}

/** Publishes rows to `site-events`. */
export interface SiteEventPublisher {
  /** @throws RelayError of the bus; the reason of the signal */
  publish(
    rows: readonly EventRow[],
    about: { readonly displays: ReadonlyMap<string, string>; readonly withFiles: boolean },
  ): Promise<void>;
}

/** Dependencies of publishing. */
export interface PublisherDependencies {
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

/** Serializes a row; one nested too deep for JSON loses the members that can be. */
const written = (record: SiteEventRecord): string => {
  try {
    return cleanJson(record);
  } catch {
    const flat = (part: unknown): unknown => (typeof part === 'object' ? null : part);
    return cleanJson({ ...record, row: Object.fromEntries(Object.entries(record.row).map(([k, v]) => [k, flat(v)])) });
  }
};

/** Creates the publisher of a run. A row that the topic does not take for its size becomes a dead letter. */
export const createPublisher = ({
  bus,
  topic,
  deadLetters,
  integrationId,
  site,
  clock,
  signal,
}: PublisherDependencies): SiteEventPublisher => {
  const store = async (records: readonly OutgoingRecord[]): Promise<void> => {
    signal.throwIfAborted();
    const [record, ...others] = records;
    try {
      await bus.publish(topic, records);
    } catch (error) {
      if (!record || !isRelayError(error, 'record_too_large')) throw error;
      // A row that is published again is one that is known.
      if (others.length > 0) for (const each of records) await store([each]);
      else
        await deadLetters.write({
          kind: 'site_event',
          integrationId,
          reason: error.code,
          detail: error.message,
          body: Buffer.from(record.value),
          receivedAt: clock.now(),
          headers: { event: record.key.slice(integrationId.length + 1) },
          identity: [record.key],
        });
    }
  };

  return {
    async publish(rows, { displays, withFiles }) {
      const received_at = new Date(clock.now()).toISOString();
      const recordOf = ({ event, row }: EventRow): OutgoingRecord => {
        const typeName = displays.get(event.type ?? '');
        const record: SiteEventRecord = {
          v: 1,
          integration_id: integrationId,
          event_id: event.id,
          received_at,
          site,
          ...(typeName === undefined ? {} : { type_name: typeName }),
          with_files: withFiles,
          row: transferredMembers(row) as Row,
        };
        return { key: siteEventKey(record), value: written(record) };
      };
      for (const batch of inBatches(rows, batchSize)) await store(batch.map(recordOf));
    },
  };
};
