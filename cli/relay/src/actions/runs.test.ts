import type { Bus } from '@ranger-relay/bus';
import { memoryBus } from '@ranger-relay/bus/testing';
import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { recordingShell } from '@ranger-relay/terminal/testing';
import test from 'ava';
import type { TimedEntry } from '../activity/format.ts';
import { lastRuns, runsOf } from './runs.ts';

const entry = (at: number, kind: string, payload: object = {}): TimedEntry => ({
  at,
  entry: {
    event_id: String(at),
    timestamp: new Date(at).toISOString(),
    schema_version: 'v1',
    event_type: `IntegrationAction${kind}`,
    payload: { integration_id: 'park', action_id: 'pull', ...payload },
  },
});

test('an end belongs to the last start before it; a start without one stays open', (t) => {
  const runs = runsOf([
    entry(1, 'Complete', { result: { n: 0 } }),
    entry(2, 'Started'),
    entry(3, 'Started'),
    entry(4, 'CustomLog'),
    entry(5, 'Failed', { error: 'no' }),
    entry(6, 'Started'),
  ]);
  t.deepEqual(
    runs.map(({ started_at: start, ended_at: end, outcome }) => [
      start && Date.parse(start),
      end && Date.parse(end),
      outcome,
    ]),
    [
      [null, 1, 'complete'],
      [2, null, 'open'],
      [3, 5, 'failed'],
      [6, null, 'open'],
    ],
  );
});

const search = { topic: 'integration-events', integrationId: 'park', actionId: 'pull' };

/** A bus whose reading waits until it is aborted. */
const endless = (clock: Clock): Bus => {
  const bus = memoryBus(clock);
  return { ...bus, read: (options) => bus.read({ ...options, follow: true }) };
};

test('a log that is not read to its end within 10 s tells nothing, rather than something old', async (t) => {
  const shell = recordingShell();
  const reading = lastRuns(shell, { bus: endless(shell.clock), ...search }, 5);
  await shell.clock.advance(10_000);
  t.is(await reading, null);
  t.is(shell.clock.pending(), 0);
});

test('an interruption ends the reading', async (t) => {
  const shell = recordingShell();
  const reading = lastRuns(shell, { bus: endless(shell.clock), ...search }, 5);
  shell.interrupt();
  const error = await t.throwsAsync(reading);
  t.true(isRelayError(error, 'interrupted'));
});
