import { createEventMapper, defaultSettings } from '@ranger-relay/device';
import test from 'ava';
import { nowhere, probeDevice, probeEvent } from './event.ts';

const integration = '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01';
const at = Date.UTC(2026, 0, 1, 12);

/** Result of mapping the event. */
const mapped = (body: string) => {
  const [event] = (JSON.parse(body) as { Events: readonly unknown[] }).Events;
  const map = createEventMapper({
    integrationId: integration,
    settings: defaultSettings,
    receivedAt: at + 5_000,
    reference: at + 5_000,
    bodyBytes: 500,
  });
  const result = map(event);
  if (result.kind !== 'mapped') throw new Error(result.kind);
  return result.record;
};

test('the event is one plain position of a device that nobody takes for a real one: no SOS, no text', (t) => {
  const record = mapped(probeEvent(integration, at, nowhere).body);
  t.like(record, { source: 'ranger-relay-probe', sos: null, message: null, message_code: 0 });
  t.like(record.observation, {
    source: probeDevice,
    location: { lat: 0, lon: 0 },
    recorded_at: '2026-01-01T12:00:00Z',
  });
});

test('its identity is known before it is sent', (t) => {
  const { body, eventId } = probeEvent(integration, at, { latitude: -1.5, longitude: 36 });
  t.is(eventId, mapped(body).event_id);
});

test('each is another event, of each integration, so that none is dropped as a repeat', (t) => {
  const ids = [
    probeEvent(integration, at, nowhere),
    probeEvent(integration, at + 1, nowhere),
    probeEvent('other', at, nowhere),
  ].map(({ eventId }) => eventId);
  t.is(new Set(ids).size, 3);
});
