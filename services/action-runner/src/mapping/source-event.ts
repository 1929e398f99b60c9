import { hash } from 'node:crypto';
import { cleanJson } from '@ranger-relay/errors';
import type { OutgoingRecord } from '@ranger-relay/bus';
import { sourceEventKey, type Observation, type SourceEvent } from '@ranger-relay/contracts';
import type { Fix } from './fix.ts';
import type { SourceFacts } from './source-facts.ts';
import { nameAt } from './source-facts.ts';

/** What all events of one page have in common. */
export interface EventOrigin {
  readonly integrationId: string;
  /** ISO. */
  readonly receivedAt: string;
  /** How often what the site holds was asked to be delivered again, from 1. */
  readonly attempt: number;
}

/** More of what nobody named is left out, so that no record outgrows its topic. */
const mostCharacters = 200_000;

/**
 * Identity of an observation, the same however often it is pulled (platform contract, site pull actions); another one for each attempt, so
 * that what is to be delivered again is no repeat.
 */
export const siteEventId = (integrationId: string, observationId: string, attempt = 1): string =>
  hash('sha256', JSON.stringify([integrationId, 'site', observationId, ...(attempt > 1 ? [attempt] : [])]));

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

/** A value nested too deep for JSON, or too large for the topic, goes without what nobody named. */
const written = (event: SourceEvent, sourceId: string): string => {
  try {
    const text = cleanJson(event);
    if (text.length <= mostCharacters) return text;
  } catch {
    // Falls through to the short form.
  }
  const { observation } = event;
  const short = observation && { ...observation, additional: { site_source_id: sourceId, left_out: 'too large' } };
  return cleanJson({ ...event, observation: short });
};

/** The record of `source-events` that a fix becomes. */
export const recordOf = (fix: Fix, facts: SourceFacts, origin: EventOrigin): OutgoingRecord => {
  const { integrationId, receivedAt, attempt } = origin;
  const observation = observationOf(fix, facts);
  const { source } = observation;
  const event: SourceEvent = {
    v: 1,
    integration_id: integrationId,
    event_id: siteEventId(integrationId, fix.id, attempt),
    received_at: receivedAt,
    source,
    kind: 'site',
    observation,
    message: null,
  };
  return { key: sourceEventKey(integrationId, source), value: written(event, fix.sourceId) };
};
