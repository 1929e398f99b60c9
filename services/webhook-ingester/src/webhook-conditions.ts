import type { RelayError } from '@ranger-relay/errors';
import { isUuid, type SourceEvent } from '@ranger-relay/contracts';
import { BoundedMap, type Context } from '@ranger-relay/runtime';
import type { LoadIntegration } from './webhook.ts';

/** Sets and clears the conditions of webhook requests; never throws, never delays a response. */
export interface WebhookConditions {
  /** A request of the integration was authenticated and answered 200. */
  handled(integrationId: string): void;
  /** Its events were taken, so it is enabled. */
  enabled(integrationId: string): void;
  /** An SOS of a disabled integration was dropped. */
  sosDropped(integrationId: string): void;
  /** SOS events are on the bus. */
  sosStored(events: readonly SourceEvent[]): void;
  /** A request with SOS events failed: each is missing until it comes again. */
  sosNotStored(events: readonly SourceEvent[], error: RelayError): void;
  /**
   * A request was refused, or failed.
   * @param integrationId of an authenticated request; otherwise the error may name the integration
   */
  refused(error: RelayError, integrationId: string | undefined): void;
}

/** Unauthenticated callers choose the ids: this many a minute are looked up. */
const lookupsPerMinute = 20;
const minuteMs = 60_000;
const rememberedIds = 1_000;
/** SOS of one request that have a condition each. */
const maxSos = 50;
/** Only the same SOS ends its condition: a later one of the device does not bring it. */
const sosSubject = ({ integration_id: id, source, event_id: event }: SourceEvent): string =>
  `${id}/${source}/${event.slice(0, 12)}`;
/** Unknown ids that have a condition each: a wrong id at the vendor must not end with the next request of another park. */
const maxUnknownIds = 3;

/**
 * Creates them. A request with a wrong token counts for its integration if that is in the tokens file, or the platform knows it, and for the
 * installation otherwise: under the id that it names, because only a good request of that id shows that it was corrected.
 */
export const createWebhookConditions = (
  { conditions, clock }: Pick<Context, 'conditions' | 'clock'>,
  loadIntegration: LoadIntegration,
): WebhookConditions => {
  const known = new BoundedMap<{ readonly isKnown: Promise<boolean>; readonly until: number }>(rememberedIds);
  let windowEnd = -Infinity;
  let lookups = 0;

  const mayLookUp = (): boolean => {
    if (clock.monotonic() >= windowEnd) {
      windowEnd = clock.monotonic() + minuteMs;
      lookups = 0;
    }
    lookups += 1;
    return lookups <= lookupsPerMinute;
  };

  const isKnown = (id: string): Promise<boolean> => {
    const entry = known.get(id);
    if (entry && clock.monotonic() < entry.until) return entry.isKnown;
    if (!mayLookUp()) return Promise.resolve(false);
    const asked = loadIntegration(id).then(
      (integration) => integration !== null,
      () => false,
    );
    known.set(id, { isKnown: asked, until: clock.monotonic() + minuteMs });
    return asked;
  };

  /** What is not the form of an id may be a token in the wrong place. */
  const senderOf = (id: string | undefined): string => {
    if (id === undefined || !isUuid(id)) return '';
    if (conditions.find('webhook_request_refused', id)) return id;
    const unknown = conditions.active().filter(({ name, subject }) => name === 'webhook_request_refused' && subject);
    return unknown.length < maxUnknownIds ? id : '';
  };

  const unauthorized = async (
    id: string | undefined,
    isToken: boolean,
    listed: boolean,
    status: number,
  ): Promise<void> => {
    if (id !== undefined && isToken && (listed || (await isKnown(id))))
      conditions.set('webhook_token_refused', id, { listed: listed ? 'yes' : 'no' });
    else conditions.set('webhook_request_refused', senderOf(id), { status });
  };

  return {
    handled(id) {
      conditions.clear('webhook_token_refused', id);
      conditions.clear('webhook_failing', id);
      for (const sender of [id, '']) conditions.clear('webhook_request_refused', sender);
    },
    enabled: (id) => conditions.clear('sos_dropped', id),
    sosDropped: (id) => conditions.set('sos_dropped', id),
    sosStored(events) {
      for (const event of events) conditions.clear('sos_not_stored', sosSubject(event));
    },
    sosNotStored(events, { code, message, status }) {
      for (const event of events.slice(0, maxSos)) {
        const recorded_at = (event.observation ?? event.message)?.recorded_at ?? event.received_at;
        const details = { state: event.sos ?? 'declared', recorded_at, status, code, reason: message };
        conditions.set('sos_not_stored', sosSubject(event), details);
      }
    },
    refused({ code, message, status, details }, id) {
      const named = typeof details['integration'] === 'string' ? details['integration'] : undefined;
      const isToken = code === 'webhook_unauthorized';
      if (id === undefined) void unauthorized(named, isToken, details['listed'] === true, status);
      else conditions.set('webhook_failing', id, { status, code, reason: message });
    },
  };
};
