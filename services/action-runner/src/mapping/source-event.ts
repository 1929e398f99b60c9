import { hash } from 'node:crypto';
import type { OutgoingRecord } from '@ranger-relay/bus';
import { type Observation, type SourceEvent, sourceEventKey } from '@ranger-relay/contracts';
import { cleanJson, isObject } from '@ranger-relay/errors';
import { idOf, namesOffset, readInstant, readLocation, type Row } from './instant.ts';
import { nameAt, type SourceFacts } from './source-directory.ts';

/** The usable members of one observation of the site. */
export interface Fix {
  /** Id of the observation; when it has none, a text that distinguishes it from others. */
  readonly id: string;
  /** Id of the source at the site. */
  readonly sourceId: string;
  /** ms since 1970. */
  readonly at: number;
  /** The time as the site wrote it, with an offset. */
  readonly recordedAt: string;
  readonly location: { readonly lat: number; readonly lon: number };
  /** All other members. */
  readonly rest: Row;
}

/** Reads an observation; null without a place, undefined for one that cannot be read. `only` is the requested source, if any. */
export const readFix = (row: unknown, only: string | null): Fix | null | undefined => {
  if (!isObject(row)) return undefined;
  const { recorded_at: time, location: place, source, ...rest } = row;
  const at = readInstant(time);
  const location = readLocation(place);
  const sourceId = idOf(source) ?? only ?? undefined;
  if (at === undefined || location === undefined || sourceId === undefined) return undefined;
  if (location === null) return null;
  const recordedAt = namesOffset(String(time)) ? String(time).trim() : new Date(at).toISOString();
  const id = idOf(row['id']) ?? [sourceId, recordedAt, location.lat, location.lon].join(' ');
  return { id, sourceId, at, recordedAt, location, rest };
};

/** The common members of all events of one page. */
interface PageFacts {
  readonly integrationId: string;
  /** ISO. */
  readonly receivedAt: string;
  /** Number of the full delivery of the site's rows, from 1. */
  readonly attempt: number;
}

/** Maximum size of a record, characters; a larger one loses its additional members, so that it fits its topic. */
const maxCharacters = 200_000;

/**
 * Identity of a row of the site on `source-events`, the same however often it is pulled (platform contract, site pull actions). It differs
 * for each attempt, so that rows to be delivered again do not count as repeats.
 * @param rowId distinguishes it from the rows of every list
 */
export const sourceEventId = (integrationId: string, rowId: string, attempt = 1): string =>
  hash('sha256', JSON.stringify([integrationId, 'site', rowId, ...(attempt > 1 ? [attempt] : [])]));

const observationOf = ({ sourceId, at, recordedAt, location, rest }: Fix, facts: SourceFacts): Observation => {
  const name = nameAt(facts, at);
  return {
    source: facts.manufacturerId ?? `site-src-${sourceId}`,
    ...(name?.name === undefined ? {} : { source_name: name.name }),
    ...(name?.type === undefined ? {} : { subject_type: name.type }),
    recorded_at: recordedAt,
    location,
    additional: { ...rest, site_source_id: sourceId },
  };
};

/** Serializes an event; one nested too deep for JSON, or too large for the topic, loses its additional members. */
const written = (event: SourceEvent, sourceId: string): string => {
  try {
    const text = cleanJson(event);
    if (text.length <= maxCharacters) return text;
  } catch {
    // Falls through to the short form.
  }
  const { observation } = event;
  const short = observation && { ...observation, additional: { site_source_id: sourceId, left_out: 'too large' } };
  return cleanJson({ ...event, observation: short });
};

/** Builds the record of `source-events` for a fix. */
export const recordOf = (fix: Fix, facts: SourceFacts, page: PageFacts): OutgoingRecord => {
  const { integrationId, receivedAt, attempt } = page;
  const observation = observationOf(fix, facts);
  const { source } = observation;
  const event: SourceEvent = {
    v: 1,
    integration_id: integrationId,
    event_id: sourceEventId(integrationId, fix.id, attempt),
    received_at: receivedAt,
    source,
    kind: 'site',
    observation,
    message: null,
  };
  return { key: sourceEventKey(integrationId, source), value: written(event, fix.sourceId) };
};
