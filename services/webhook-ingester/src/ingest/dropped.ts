import { type SosStep, sosStepOf, type SourceEvent } from '@ranger-relay/contracts';
import { createEventMapper, factsOf } from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import type { WebhookIntegration } from '@ranger-relay/platform';
import { endsWithin } from '@ranger-relay/runtime';
import type { WebhookDependencies } from '../webhook.ts';
import { type YieldTurn, tryReadEnvelope } from './envelope.ts';
import { isSos, sosInBytes } from './ingest.ts';

const step = 'dropped_disabled';
/** Longest wait of a response for the log of SOS, ms. */
const maxLogMs = 500;

/** The mapper for a body that arrives now. */
const mapperOf = (
  { clockGuard, readSettings }: WebhookDependencies,
  { id: integrationId, settings: raw }: Pick<WebhookIntegration, 'id' | 'settings'>,
  { length: bodyBytes }: Uint8Array,
  receivedAt: number,
): ReturnType<typeof createEventMapper> => {
  const { settings } = readSettings(raw);
  return createEventMapper({ integrationId, settings, receivedAt, reference: clockGuard.reference(), bodyBytes });
};

/** The steps of the SOS events in a body: one of an event each, or of a body that cannot be read. */
const droppedSteps = (
  parts: WebhookDependencies,
  integration: WebhookIntegration,
  bytes: Uint8Array,
  sosEvents: readonly unknown[],
): SosStep[] => {
  const { clock, random } = parts.context;
  const receivedAt = clock.now();
  const map = mapperOf(parts, integration, bytes, receivedAt);
  return sosEvents.flatMap((event) => {
    const mapped = map(event);
    if (mapped.kind === 'counted') return [];
    if (mapped.kind === 'mapped') return sosStepOf(mapped.record, receivedAt, { step }) ?? [];
    const at = new Date(receivedAt).toISOString();
    const sos = factsOf(Number((event as { messageCode?: unknown } | undefined)?.messageCode)).sos ?? 'declared';
    const unread = {
      integration_id: integration.id,
      source: '',
      event_id: random.uuid(),
      sos,
      parts: ['message' as const],
    };
    return { v: 1 as const, ...unread, recorded_at: at, received_at: at, step, at };
  });
};

/** The SOS events of a body whose integration could not be asked for: mapped with the settings that an integration has without any. */
export const sosIn = async (
  parts: WebhookDependencies,
  integrationId: string,
  bytes: Uint8Array,
  yieldTurn: YieldTurn,
): Promise<readonly SourceEvent[]> => {
  const envelope = await tryReadEnvelope(bytes, yieldTurn);
  if (envelope instanceof RelayError) return [];
  const map = mapperOf(parts, { id: integrationId, settings: undefined }, bytes, parts.context.clock.now());
  return envelope.events.filter(isSos).flatMap((event) => {
    const mapped = map(event);
    return mapped.kind === 'mapped' ? [mapped.record] : [];
  });
};

/**
 * Counts the events of a disabled integration without storing them (device contract, section 2). Of an SOS, the log of SOS and an error line
 * tell; the response waits for that log, because nothing else has the SOS.
 */
export const drop = async (
  parts: WebhookDependencies,
  integration: WebhookIntegration,
  bytes: Uint8Array,
  yieldTurn: YieldTurn,
): Promise<Response> => {
  const { context, conditions, logs, sosLog } = parts;
  const { id } = integration;
  const envelope = await tryReadEnvelope(bytes, yieldTurn);
  const isUnread = envelope instanceof RelayError;
  // A body that is no envelope counts as one event.
  const events = isUnread ? [undefined] : envelope.events;
  const emergencies = isUnread ? sosInBytes(bytes) : events.filter(isSos).length;
  context.metrics.count('relay_webhook_events_total', { outcome: 'dropped_disabled' }, events.length);
  context.metrics.count('relay_sos_events_total', { outcome: 'dropped_disabled' }, emergencies);
  if (emergencies > 0) {
    conditions.sosDropped(id);
    logs.sos.error(
      id,
      { integration: id, emergencies },
      'SOS events were dropped, because their integration is disabled',
    );
    const steps = droppedSteps(parts, integration, bytes, isUnread ? events : events.filter(isSos));
    await endsWithin({ clock: context.clock, ms: maxLogMs, ref: true }, sosLog.write(steps));
  }
  return Response.json({ total_observations: 0, total_messages: 0 });
};
