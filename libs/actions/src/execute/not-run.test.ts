import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { repeatAfter } from './not-run.ts';
import type { ExecuteOutcome, FailureReport } from './request.ts';

const report = { error: 'x' } as FailureReport;
const failed = { kind: 'failed', report, deadLettered: false } as const;
const unavailable = new RelayError('platform_unavailable', { retryAfterMs: 7_000 });

const rows: readonly (readonly [string, ExecuteOutcome, number | undefined])[] = [
  ['a run that is complete', { kind: 'complete', result: null }, undefined],
  ['a run that was skipped', { kind: 'skipped', reason: 'integration_disabled' }, undefined],
  ['a message that was worked on before', { kind: 'repeated' }, undefined],
  ['no place', { kind: 'busy', retryAfterMs: 5_000, report }, 5_000],
  ['over time', { kind: 'timed_out', report }, 0],
  ['a transient failure', { ...failed, transient: true }, 0],
  ['a transient failure that says when', { ...failed, transient: true, retryAfterMs: 9_000 }, 9_000],
  ['a permanent failure', { ...failed, transient: false, retryAfterMs: 9_000 }, undefined],
  ['a refusal that a repeat can help', { kind: 'refused', error: unavailable, report }, 7_000],
  ['any other refusal', { kind: 'refused', error: new RelayError('integration_unknown'), report }, undefined],
];
for (const [what, outcome, wait] of rows)
  test(`${what}: ${wait === undefined ? 'done with' : `again after ${wait} ms`}`, (t) => {
    t.is(repeatAfter(outcome), wait);
  });
