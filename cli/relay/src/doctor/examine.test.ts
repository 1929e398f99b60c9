import { RelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { checkMs, runChecks } from './examine.ts';
import { type Check, ok } from './finding.ts';

const good: Check = { name: 'good', ask: async () => [ok('good', 'well')] };
const never = new AbortController().signal;

test('a check that hangs fails alone when its time is over, and is told to stop', async (t) => {
  const clock = manualClock();
  let stopped = false;
  const hanging: Check = {
    name: 'hanging',
    ask: (signal) => {
      signal.addEventListener('abort', () => (stopped = true));
      return new Promise(() => undefined);
    },
  };
  const running = runChecks([hanging, good], clock, never);
  await clock.advance(checkMs);
  const findings = await running;
  t.deepEqual(
    findings.map(({ name, status }) => [name, status]),
    [
      ['hanging', 'failed'],
      ['good', 'ok'],
    ],
  );
  t.regex(findings[0]?.detail ?? '', /no answer within 20 s/);
  t.true(stopped);
});

test('the time of all checks is inside 30 s, and no timer is left', async (t) => {
  const clock = manualClock();
  await runChecks([good, good], clock, never);
  t.is(clock.pending(), 0);
  t.true(checkMs < 30_000);
});

test('what a check throws is a finding with the remedy of the registry, and keeps no other back', async (t) => {
  const thrown: Check = {
    name: 'thrown',
    ask: () => Promise.reject(new RelayError('kv_unavailable', { details: { reason: 'test' } })),
  };
  const [first, second] = await runChecks([thrown, good], manualClock(), never);
  t.like(first, { name: 'thrown', status: 'failed' });
  t.truthy(first?.remedy);
  t.is(second?.status, 'ok');
});
