import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { type SosFact, sosCalls } from './calls.ts';
import { at, brief, fact } from './test/facts.ts';

const accepted = (event: string, second: number, more: Partial<SosFact> = {}): SosFact =>
  fact(event, second, { step: 'accepted', at: at(second + 0.4), ...more });
const letter = (id: string, attempts = 1) => ({ dead_letter: { id, attempts } });

test('an SOS is accepted only where the platform said so, waits while it is on the way, and is not known otherwise', (t) => {
  const stored = fact('e', 1);
  t.deepEqual(brief(sosCalls([stored])), ['device-1 declared not_known open']);
  t.deepEqual(brief(sosCalls([stored, { ...stored, step: 'waiting' }])), ['device-1 declared waiting open']);
  t.deepEqual(brief(sosCalls([stored, accepted('e', 1)])), ['device-1 declared accepted open']);
  t.deepEqual(brief(sosCalls([accepted('e', 1)])), ['device-1 declared accepted open']);
  t.deepEqual(brief(sosCalls([stored, accepted('e', 1, { parts: ['message'] })])), [
    'device-1 declared not_known open',
  ]);
});

test('an SOS tells its steps, with the time that each took since the receipt', (t) => {
  const [call] = sosCalls([accepted('e', 1, { object_ids: ['o-1', 'o-2'] }), fact('e', 1, { at: at(1.1) })]);
  t.deepEqual(
    call?.events[0]?.steps.map(({ step, seconds, object_ids: ids }) => [step, seconds, ids]),
    [
      ['received', 0, []],
      ['stored', 0.1, []],
      ['accepted', 0.4, ['o-1', 'o-2']],
    ],
  );
});

test('a confirmation and a cancellation join the open SOS of their device, however they arrive, and no other', (t) => {
  const facts = [
    accepted('end', 3, { sos: 'cancelled' }),
    accepted('yes', 2, { sos: 'confirmed' }),
    accepted('other', 2, { source: 'device-2' }),
    accepted('call', 1),
    accepted('next', 4),
  ];
  const calls = sosCalls(facts);
  t.deepEqual(brief(calls), [
    'device-1 declared accepted open',
    'device-2 declared accepted open',
    'device-1 cancelled accepted closed',
  ]);
  t.deepEqual(
    calls[2]?.events.map(({ event_id: id, steps }) => [id, steps[0]?.step]),
    [
      ['call', 'received'],
      ['yes', 'confirmed'],
      ['end', 'cancelled'],
    ],
  );
});

test('a cancelled SOS stays open until the platform has its cancellation', (t) => {
  const end = fact('end', 3, { sos: 'cancelled' });
  t.deepEqual(brief(sosCalls([accepted('call', 1), end, { ...end, step: 'waiting' }])), [
    'device-1 cancelled waiting open',
  ]);
});

test('a refused part makes the SOS refused until a person replays it with success, or drops it', (t) => {
  const parts: SosFact['parts'] = ['message'];
  const refused = fact('e', 1, { step: 'refused', parts, ...letter('l') });
  const before = [fact('e', 1), accepted('e', 1, { parts: ['observation'] }), refused];
  const replayed = fact('e', 1, { step: 'replayed', parts, at: at(9), ...letter('l') });
  const again = fact('e', 1, { step: 'refused', parts, at: at(10), ...letter('l', 2) });
  const became = (...more: SosFact[]) =>
    sosCalls([...before, ...more]).map((call) => [call.delivery, call.dead_letter]);
  t.deepEqual(became(), [['refused', 'l']]);
  t.deepEqual(became(replayed), [['not_known', null]]);
  t.deepEqual(became(replayed, { ...replayed, step: 'waiting' }), [['waiting', null]]);
  t.deepEqual(became(replayed, { ...replayed, step: 'accepted' }), [['accepted', null]]);
  t.deepEqual(became(replayed, again), [['refused', 'l']]);
  t.deepEqual(became(replayed, again, { ...again, step: 'dropped' }), [['dropped', null]]);
});

const stepsIn = (...facts: SosFact[]) => sosCalls(facts)[0]?.events[0]?.steps.map(({ step }) => step);

test('a refused SOS that the vendor sends again is never shown as accepted; one whose acceptance only its record tells is', (t) => {
  const refused = fact('e', 1, { step: 'refused', ...letter('l') });
  const settled = fact('e', 1, { step: 'settled', at: at(5) });
  t.deepEqual(brief(sosCalls([fact('e', 1), refused, settled])), ['device-1 declared refused open']);
  t.deepEqual(stepsIn(fact('e', 1), refused, settled), ['received', 'refused', 'stored']);
  t.deepEqual(stepsIn(fact('e', 1), settled), ['received', 'stored', 'accepted']);
  t.deepEqual(brief(sosCalls([fact('e', 1), settled])), ['device-1 declared accepted open']);
  t.deepEqual(stepsIn(fact('e', 1), { ...refused, parts: ['message'] }, settled), [
    'received',
    'refused',
    'stored',
    'accepted',
  ]);
  t.deepEqual(stepsIn(accepted('e', 1), settled), ['received', 'accepted']);
});

test('an event that a disabled integration dropped counts as dropped until it is stored after all', (t) => {
  const dropped = fact('e', 1, { step: 'dropped_disabled' });
  t.deepEqual(brief(sosCalls([dropped])), ['device-1 declared dropped_disabled open']);
  t.deepEqual(brief(sosCalls([dropped, fact('e', 1)])), ['device-1 declared not_known open']);
  t.deepEqual(brief(sosCalls([dropped, fact('e', 1), accepted('e', 1)])), ['device-1 declared accepted open']);
});

test('a refused position does not make the text accepted that still waits', (t) => {
  const stored = fact('e', 1);
  const refused = fact('e', 1, { step: 'refused', parts: ['observation'], ...letter('l') });
  const replay = { ...refused, step: 'accepted' as const };
  t.deepEqual(brief(sosCalls([stored, refused, replay, { ...stored, step: 'waiting' }])), [
    'device-1 declared waiting open',
  ]);
  t.deepEqual(brief(sosCalls([stored, refused, replay])), ['device-1 declared not_known open']);
});

test('an SOS that could not be read is one SOS with the event that its replay makes of it', (t) => {
  const unread = fact('l', 1, { step: 'refused', parts: [], ...letter('l') });
  t.deepEqual(brief(sosCalls([unread])), ['device-1 declared refused open']);
  const replayed = fact('e', 1, { step: 'replayed', ...letter('l') });
  t.deepEqual(brief(sosCalls([unread, replayed])), ['device-1 declared not_known open']);
  t.deepEqual(brief(sosCalls([unread, replayed, accepted('e', 1)])), ['device-1 declared accepted open']);
});

test('an event on which the handler failed is replayed whole: what became of its parts decides', (t) => {
  const failed = fact('e', 1, { step: 'refused', ...letter('l') });
  const replayed = fact('e', 1, { step: 'replayed', ...letter('l') });
  t.deepEqual(brief(sosCalls([failed, replayed])), ['device-1 declared not_known open']);
  t.deepEqual(brief(sosCalls([failed, replayed, accepted('e', 1)])), ['device-1 declared accepted open']);
});

const events = (['declared', 'confirmed', 'cancelled', 'declared'] as const).map((sos, n) => ({ id: `e${n}`, sos, n }));

/** Each event has two letters, each of one part. */
const anyFact: fc.Arbitrary<SosFact> = fc
  .record({
    event: fc.constantFrom(...events),
    step: fc.constantFrom<SosFact['step']>(
      'stored',
      'accepted',
      'replayed',
      'dropped',
      'dropped_disabled',
      'refused',
      'waiting',
    ),
    at: fc.nat(20),
    received: fc.nat(3),
    part: fc.constantFrom('observation' as const, 'message' as const),
    letter: fc.boolean(),
    attempts: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ event: { id, sos, n }, step, at: when, received, part, letter: isLetter, attempts }) =>
    fact(id, n, {
      step,
      sos,
      received_at: at(n + received),
      at: at(when),
      ...(['replayed', 'dropped', 'refused'].includes(step) || (isLetter && step !== 'stored')
        ? { parts: [part], ...letter(`${id}-${part}`, attempts) }
        : { parts: isLetter ? ['observation', 'message'] : [part] }),
    }),
  );

testProp(
  'facts that are doubled and in any order tell the same list',
  [
    fc
      .array(anyFact, { maxLength: 12 })
      .chain((facts) =>
        fc.tuple(fc.constant(facts), fc.shuffledSubarray([...facts, ...facts, ...facts], { minLength: 0 })),
      ),
  ],
  (t, [facts, some]) => {
    t.deepEqual(sosCalls([...some, ...facts.toReversed()]), sosCalls(facts));
  },
);

testProp(
  'nothing is accepted without an acceptance of each of its parts',
  [fc.array(anyFact, { maxLength: 12 })],
  (t, facts) => {
    t.pass();
    for (const { event_id: id, delivery } of sosCalls(facts).flatMap(({ events }) => events)) {
      const own = facts.filter((each) => each.event_id === id);
      const took = new Set(own.filter(({ step }) => step === 'accepted').flatMap((each) => each.parts));
      if (delivery === 'accepted') t.true(own.every((each) => each.parts.every((part) => took.has(part))));
      t.pass();
    }
  },
);
