import type { OutgoingRecord } from '@ranger-relay/bus';
import type { SosStep } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createSosLog } from './sos-log.ts';

const at = '2026-01-01T00:00:00.000Z';

const stepOf = (source: number): SosStep => ({
  v: 1,
  integration_id: 'i',
  source: String(source),
  event_id: String(source),
  sos: 'declared',
  recorded_at: at,
  received_at: at,
  at,
  step: 'accepted',
  parts: ['message'],
});

test('no writer waits for a log that cannot be written longer than for 10,000 later steps, and those are written once it can be', async (t) => {
  const clock = manualClock();
  const topic = { isAway: true, records: 0 };
  const publish = async (_topic: string, records: readonly OutgoingRecord[]): Promise<void> => {
    if (topic.isAway) throw new RelayError('bus_unavailable', { details: { reason: 'away' } });
    topic.records += records.length;
  };
  const log = createSosLog({ bus: { publish }, clock });
  let settled = 0;
  const writes = Array.from({ length: 10_002 }, (_, n) => log.write([stepOf(n)]).then(() => (settled += 1)));
  await Promise.all(writes.slice(0, 2));
  t.is(settled, 2);
  topic.isAway = false;
  await clock.advance(10_000);
  await Promise.all(writes);
  t.is(topic.records, 10_000);
});
