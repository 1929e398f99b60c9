import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import type { LedgerEntry, LedgerState } from './entry.ts';
import {
  isExpired,
  isHeld,
  nextEntry,
  replayed,
  restOf,
  restsMs,
  decide,
  type LedgerEvent,
  type LedgerRules,
  type Decision,
} from './transitions.ts';

const now = Date.UTC(2026, 0, 2);
const windowMs = 65_000;
const rules: LedgerRules = { now, judgedAt: now, windowMs, ambiguous: 'resend', maxAgeMs: 24 * 3_600_000 };
const hold: LedgerRules = { ...rules, ambiguous: 'hold' };
const iso = (ms: number): string => new Date(ms).toISOString();

const entry = (state: LedgerState, agoMs = 10_000, seenAgoMs = agoMs): LedgerEntry => ({
  state,
  attempts: 1,
  unknown_calls: 0,
  owner: 'a',
  updated_at: iso(now - agoMs),
  status: null,
  code: null,
  first_seen_at: iso(now - seenAgoMs),
});
const fresh = entry('sending');
const stale = entry('sending', windowMs);

const decisions: readonly (readonly [string, LedgerEntry | null, resend: Decision, hold: Decision])[] = [
  ['nothing', null, 'send', 'send'],
  ['pending', entry('pending'), 'send', 'send'],
  ['sending', fresh, 'busy', 'busy'],
  ['sending just within the window', entry('sending', windowMs - 1), 'busy', 'busy'],
  ['sending at the end of the window', stale, 'send', 'held'],
  ['sending, written by a clock a little ahead', entry('sending', -30_000), 'busy', 'busy'],
  ['sending, written by a clock far ahead', entry('sending', -windowMs), 'send', 'held'],
  ['unknown', entry('unknown'), 'send', 'held'],
  ['accepted', entry('accepted'), 'done', 'done'],
  ['failed', entry('failed'), 'done', 'done'],
];
for (const [what, from, resend, held] of decisions)
  test(`a redelivery finds ${what}: ${resend}, with PUSH_AMBIGUOUS=hold ${held}`, (t) => {
    t.is(decide(from, rules), resend);
    t.is(decide(from, hold), held);
  });

const answer = { status: 503, code: null };
const claimed: LedgerEvent = { kind: 'claimed', owner: 'b' };
const same = 'same';
type Row = readonly [
  event: LedgerEvent,
  none: string,
  pending: string,
  fresh: string,
  stale: string,
  unknown: string,
  accepted: string,
  failed: string,
];

const table = (policy: LedgerRules, rows: readonly Row[]): void => {
  const froms = [null, entry('pending'), fresh, stale, entry('unknown'), entry('accepted'), entry('failed')];
  const names = ['none', 'pending', 'fresh sending', 'stale sending', 'unknown', 'accepted', 'failed'];
  for (const [event, ...tos] of rows)
    for (const [index, from] of froms.entries())
      test(`${policy.ambiguous}: ${names[index]} + ${event.kind} → ${tos[index]}`, (t) => {
        const to = nextEntry(from, event, policy);
        if (tos[index] === same) return t.is(to, from as LedgerEntry);
        return t.deepEqual<unknown, unknown>([to.state, to.updated_at], [tos[index], iso(now)]);
      });
};

const common: readonly Row[] = [
  [{ kind: 'seen', again: false }, 'pending', same, same, same, same, same, same],
  [{ kind: 'returned', isCalled: true }, 'pending', same, 'pending', 'pending', same, same, same],
  [{ kind: 'accepted', ...answer }, 'accepted', 'accepted', 'accepted', 'accepted', 'accepted', 'accepted', 'accepted'],
  [{ kind: 'refused', ...answer }, 'pending', same, 'failed', 'failed', same, same, same],
  [{ kind: 'transient', ...answer }, 'pending', same, 'pending', 'pending', same, same, same],
  [{ kind: 'ambiguous', ...answer }, 'pending', same, 'unknown', 'unknown', same, same, same],
];
table(rules, [
  ...common,
  [claimed, 'sending', 'sending', same, 'sending', 'sending', same, same],
  [{ kind: 'invalid', ...answer }, 'failed', 'failed', 'failed', 'failed', 'failed', same, same],
  [{ kind: 'held' }, 'pending', same, same, same, same, same, same],
]);
table(hold, [
  ...common,
  [claimed, 'sending', 'sending', same, same, same, same, same],
  [{ kind: 'invalid', ...answer }, 'failed', 'failed', 'failed', 'failed', same, same, same],
  [{ kind: 'held' }, 'pending', same, same, 'unknown', 'unknown', same, same],
]);

test('a claim names its owner and counts the call; the same owner may write it anew', (t) => {
  const first = nextEntry(entry('pending'), claimed, rules);
  t.like(first, { state: 'sending', owner: 'b', attempts: 2 });
  const later = { ...rules, now: now + 1_000 };
  t.like(nextEntry(first, claimed, later), { owner: 'b', attempts: 2, updated_at: iso(now + 1_000) });
});

for (const [what, end] of [
  ['lost its answer', { kind: 'ambiguous', ...answer }],
  ['lost its worker', { kind: 'seen', again: false }],
] as const)
  test(`resend: a text that has ${what} five times is held for a person, however it was answered between`, (t) => {
    let at = now;
    let text: LedgerEntry | null = null;
    const next = (event: LedgerEvent): void => {
      at += 30 * 60_000;
      text = nextEntry(text, event, { ...rules, now: at });
    };
    const replay = (): void => {
      text = text && replayed(text, at);
    };
    const decision = (): Decision => decide(text, { ...rules, now: at + 30 * 60_000 });
    for (let call = 1; call <= 5; call += 1) {
      t.is(decision(), 'send');
      next({ kind: 'claimed', owner: `worker ${call}` });
      if (call === 2) {
        next({ kind: 'transient', ...answer });
        next({ kind: 'claimed', owner: 'another' });
      }
      next(end);
    }
    t.is(decision(), 'held');
    next({ kind: 'held' });
    t.is(decision(), 'held');
    replay();
    t.is(decision(), 'send');
  });

test('resend: between calls without a known end a text rests, longer each time, unless a clock was set back meanwhile', (t) => {
  t.deepEqual(restsMs, [0, 60_000, 600_000, 1_800_000]);
  for (const [unknown_calls, restMs] of restsMs.entries())
    for (const state of ['unknown', 'sending'] as const) {
      const agoMs = state === 'sending' ? windowMs : 0;
      const text = { ...entry(state, agoMs), unknown_calls };
      t.is(restOf(text, rules), Math.max(0, restMs - agoMs));
      t.is(decide(text, rules), restMs > agoMs ? 'resting' : 'send');
      const after = { ...rules, now: now - agoMs + Math.max(restMs, windowMs) };
      t.is(decide(text, after), 'send');
      t.is(decide(text, { ...rules, now: now - 3_600_000 }), 'send');
      t.is(decide(text, hold), 'held');
    }
});

test('a text that was never sent counts no call', (t) => {
  const sending = nextEntry(null, claimed, rules);
  t.like(nextEntry(sending, { kind: 'invalid', status: null, code: 'text_invalid' }, rules), {
    state: 'failed',
    attempts: 0,
  });
});

test('status and code of the last answer are kept', (t) => {
  t.like(nextEntry(fresh, { kind: 'refused', status: 422, code: 4 }, rules), { status: 422, code: 4 });
});

for (const kind of ['transient', 'ambiguous'] as const)
  test(`${kind} becomes failed once the text was first seen more than PUSH_MAX_AGE_H ago, not before`, (t) => {
    const event = { kind, ...answer };
    const young = entry('sending', 0, rules.maxAgeMs);
    const old = entry('sending', 0, rules.maxAgeMs + 1);
    t.false(isExpired(young, rules));
    t.not(nextEntry(young, event, rules).state, 'failed');
    t.true(isExpired(old, rules));
    t.is(nextEntry(old, event, rules).state, 'failed');
    t.is(nextEntry(old, { kind: 'returned', isCalled: true }, rules).state, 'pending');
  });

test('a replayed text starts anew: no calls, no code, young again', (t) => {
  const old = { ...entry('failed', 0, 10 * rules.maxAgeMs), status: 422, code: 4 };
  t.deepEqual(replayed(old, now), {
    state: 'pending',
    attempts: 0,
    unknown_calls: 0,
    owner: null,
    updated_at: iso(now),
    status: null,
    code: null,
    first_seen_at: iso(now),
  });
});

test('a replay starts anew whatever is not accepted or being sent', (t) => {
  for (const state of ['pending', 'unknown', 'failed'] as const) t.is(replayed(entry(state), now).state, 'pending');
  for (const kept of [fresh, stale, entry('accepted')]) t.is(replayed(kept, now), kept);
});

test('a held text is known as held, so that its dead letter is written once', (t) => {
  const held = nextEntry(entry('unknown'), { kind: 'held' }, hold);
  t.true(isHeld(held));
  t.is(nextEntry(held, { kind: 'held' }, hold), held);
  t.false(isHeld(entry('unknown')));
});

const anyEvent: fc.Arbitrary<LedgerEvent> = fc.oneof(
  fc.constantFrom<LedgerEvent>(
    { kind: 'seen', again: false },
    { kind: 'returned', isCalled: true },
    { kind: 'held' },
    claimed,
  ),
  fc.record({
    kind: fc.constantFrom('invalid' as const, 'refused' as const, 'transient' as const, 'ambiguous' as const),
    status: fc.constant(null),
    code: fc.constant(null),
  }),
);

testProp(
  'nothing but a replay leads away from accepted and failed, and nothing at all from accepted',
  [fc.constantFrom('accepted' as const, 'failed' as const), fc.array(anyEvent), fc.boolean()],
  (t, state, events, resend) => {
    const end = events.reduce((from, event) => nextEntry(from, event, resend ? rules : hold), entry(state, 1_000_000));
    t.is(end.state, state);
    t.is(replayed(entry('accepted'), now).state, 'accepted');
  },
);
