import type { OutgoingRecord } from '@ranger-relay/bus';
import { siteEventKey, type SiteEventRecord } from '@ranger-relay/contracts';
import { cleanJson } from '@ranger-relay/errors';
import type { Row } from '../mapping/instant.ts';
import { type SiteEvent, transferredMembers } from '../mapping/site-event.ts';
import { type PublishDependencies, publishRows } from '../pull/publish.ts';

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
export type PublishEvents = (rows: readonly EventRow[], about: RowsAbout) => Promise<void>;

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

/** Creates the publishing of a run. @param site its scheme, host and port */
export const createPublishEvents =
  (deps: PublishDependencies, site: string): PublishEvents =>
  (rows, { displays, withFiles }) =>
    publishRows(deps, 'site_event', rows, (batch, received_at) =>
      batch.map(({ event: { id, type }, row }): OutgoingRecord => {
        const typeName = displays.get(type ?? '');
        const about = { v: 1, integration_id: deps.integrationId, event_id: id, received_at, site } as const;
        const name = typeName === undefined ? {} : { type_name: typeName };
        const value = written({ ...about, ...name, with_files: withFiles, row: transferredMembers(row) });
        return { key: siteEventKey(about), value };
      }),
    );
