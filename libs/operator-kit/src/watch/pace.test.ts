import { seededRandom } from '@ranger-relay/runtime/testing';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { nextStep, steadyMs, type EndReason, type Outcome } from './pace.ts';

const reasons: EndReason[] = ['ended', 'silent', 'gone', 'unreadable', 'failed'];
const outcome = fc.oneof(
  fc.record({ step: fc.constant('list' as const), ok: fc.boolean() }),
  fc.record({
    step: fc.constant('watch' as const),
    reason: fc.constantFrom(...reasons),
    livedMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30_000 })),
  }),
);

testProp(
  'however lists and watches end, there are few of them: a third of a second each at least, and ever longer in a row of failures',
  [fc.array(outcome, { minLength: 20, maxLength: 200, size: 'max' }), fc.integer()],
  (t, outcomes, seed) => {
    const random = seededRandom(seed);
    let failures = 0;
    let passed = 0;
    let watches = 0;
    let inARow = 0;
    let step: 'list' | 'watch' = 'list';
    for (const each of outcomes.filter((other): other is Outcome => other.step === 'list' || other.step === 'watch')) {
      if (each.step !== step) continue;
      const next = nextStep(each, failures, random);
      failures = next.failures;
      step = next.step;
      passed += next.delayMs + (each.step === 'watch' ? each.livedMs : 0);
      const quick = each.step === 'watch' ? each.livedMs < steadyMs : !each.ok;
      if (each.step === 'list' && each.ok) continue;
      watches += 1;
      inARow = quick ? inARow + 1 : 0;
      if (quick) t.true(next.delayMs >= Math.min(500 * 2 ** (inARow - 1), 30_000) * 0.75, `${inARow}: ${next.delayMs}`);
    }
    t.true(passed >= watches * 375);
  },
  { numRuns: 300 },
);

const random = { next: () => 0.5, uuid: () => '' };

test('a watch that lived and ended is gone on with at once, and a due list comes at once', (t) => {
  t.deepEqual(nextStep({ step: 'watch', reason: 'ended', livedMs: 60_000 }, 5, random), {
    step: 'watch',
    delayMs: 0,
    failures: 0,
  });
  t.deepEqual(nextStep({ step: 'watch', reason: 'due', livedMs: 10 }, 2, random), {
    step: 'list',
    delayMs: 0,
    failures: 2,
  });
});

test('a version that is gone, and what cannot be read, lead to a list; other failures only when they repeat', (t) => {
  for (const reason of ['gone', 'unreadable'] as const)
    t.is(nextStep({ step: 'watch', reason, livedMs: 0 }, 0, random).step, 'list');
  const steps = [0, 1, 2, 3].map((n) => nextStep({ step: 'watch', reason: 'failed', livedMs: 0 }, n, random).step);
  t.deepEqual(steps, ['watch', 'watch', 'list', 'list']);
});

test('what the server asks for is waited for when it is longer', (t) => {
  t.is(nextStep({ step: 'list', ok: false, retryAfterMs: 45_000 }, 0, random).delayMs, 45_000);
  t.is(nextStep({ step: 'list', ok: false, retryAfterMs: 1 }, 20, random).delayMs, 30_000);
});

test('a list that succeeds does not end a row of failures', (t) => {
  t.is(nextStep({ step: 'list', ok: true }, 4, random).failures, 4);
});

test('replicas that lost one server at once do not come back at once', (t) => {
  const failed = { step: 'list', ok: false } as const;
  const waits = Array.from({ length: 20 }, (_, seed) => nextStep(failed, 3, seededRandom(seed)).delayMs);
  t.true(new Set(waits).size > 15);
  t.true(Math.max(...waits) <= 4_000 * 1.25 && Math.min(...waits) >= 4_000 * 0.75);
});
