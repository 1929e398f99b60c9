import { Buffer } from 'node:buffer';
import { fc, testProp } from '@fast-check/ava';
import type { DeadLetter } from '@ranger-relay/contracts';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import { readEntry, ledgerKey } from '../ledger/entry.ts';
import { isHeld } from '../ledger/transitions.ts';
import { outcomes } from '../test/outcomes.ts';
import { memorySpace, type MemorySpace } from '@ranger-relay/kv/testing';
import { type Delivered, imeiA, imeiB, integrationId, harness, type messageTo } from '../test/harness.ts';

type Step =
  | { readonly do: 'deliver'; readonly worker: 0 | 1 }
  | { readonly do: 'crash'; readonly worker: 0 | 1 }
  | { readonly do: 'store'; readonly is: 'well' | 'away' | 'losing answers' }
  | { readonly do: 'wait' };

/** A step with the time that passes after it, ms. */
type TimedStep = Step & { readonly passes: number };

const worker = fc.constantFrom(0 as const, 1 as const);
const step: fc.Arbitrary<TimedStep> = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('deliver' as const), worker }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), worker }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('store' as const),
          is: fc.constantFrom('well' as const, 'well' as const, 'away' as const, 'losing answers' as const),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
    ),
    fc.constantFrom(0, 1, 400, 3_000, 30_000, 66_000, 300_000),
  )
  .map(([what, passes]) => Object.assign({ passes }, what));

/** One call as the vendor saw it; open until it ended or its process did. */
interface Call {
  readonly recipient: string;
  /** Claimed in the store, not sent without it. */
  readonly ledgered: boolean;
  open: boolean;
  /** The vendor may have taken it. */
  maybe: boolean;
}

const ends = [
  outcomes.accepted,
  outcomes.accepted,
  outcomes.refused,
  outcomes.unavailable,
  outcomes.unreachable,
  outcomes.lost,
  () => outcomes.throttled(5_000),
];

/** The store as one process sees it: after its end nothing it asked for is answered. */
const until = (space: MemorySpace, life: { ended: boolean }): MemorySpace =>
  new Proxy(space, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || name === 'latency') return member;
      return (...args: unknown[]) =>
        life.ended
          ? new Promise(() => undefined)
          : (member as (...all: unknown[]) => Promise<unknown>)(...args).then((answer) =>
              life.ended ? new Promise(() => undefined) : answer,
            );
    },
  });

const recipientsOf = (letter: DeadLetter): readonly unknown[] => {
  const { data } = JSON.parse(Buffer.from(letter.body_base64, 'base64').toString()) as {
    readonly data: ReturnType<typeof messageTo>;
  };
  return data.payload.Recipients;
};

const keyOf = (recipient: string): string => ledgerKey(integrationId, 'd1', recipient);

/** `calm` – the store works all the time, so that it always knows best. */
const model = (ambiguous: 'resend' | 'hold', seed: number, calm = false) => {
  const clock = manualClock();
  const random = seededRandom(seed);
  const state = memorySpace(clock);
  state.latency = () => (random.next() < 0.5 ? 0 : Math.floor(random.next() * 900));
  const calls: Call[] = [];
  const faults: string[] = [];
  /** Devices whose text the vendor has accepted, or a dead letter keeps. */
  const safe = new Set<unknown>();
  /** Claims by key that ended without a known result. */
  const lost = new Map<string, number>();
  let made = 1;

  const stored = (recipient: string) => readEntry(state.entries.get(keyOf(recipient))?.value ?? null);

  const write = state.entries.set.bind(state.entries);
  state.entries.set = (key, entry) => {
    const [from, to] = [readEntry(state.entries.get(key)?.value ?? null), readEntry(entry.value)];
    const is = to?.state;
    if (from?.state === 'accepted' && is !== 'accepted') faults.push(`accepted became ${is}`);
    if (from?.state === 'failed' && is !== 'failed' && is !== 'accepted') faults.push(`failed became ${is}`);
    const isTakenOver = from?.state === 'sending' && is === 'sending' && to?.owner !== from.owner;
    // Nothing is stored of a call that was made without the store until its end.
    const isUnknown = is === 'unknown' && (from === null || from.state === 'sending');
    if (isTakenOver || isUnknown) lost.set(key, (lost.get(key) ?? 0) + 1);
    const isEarly = ambiguous === 'resend' && to && isHeld(to) && (lost.get(key) ?? 0) < 5;
    if (isEarly) faults.push('left to a person before five calls had no known end');
    return write(key, entry);
  };

  const begin = (recipient: string, ledgered: boolean): Call => {
    const known = stored(recipient)?.state;
    const call = { recipient, ledgered, open: true, maybe: true };
    const others = calls.filter((other) => other.recipient === recipient);
    const overlapping = others.some((other) => other.open && other.ledgered);
    if (ledgered && overlapping) faults.push('two calls at the same time');
    if (calm && (known === 'accepted' || known === 'failed')) faults.push(`sent although ${known}`);
    if (ambiguous === 'hold' && others.some(({ maybe }) => maybe)) faults.push('sent twice under hold');
    calls.push(call);
    return call;
  };

  const start = () => {
    const life = { ended: false };
    const w = harness({ ambiguous, clock, state: until(state, life), seed: (made += 1) });
    const mine: Call[] = [];
    const ledgered = new Map<string, boolean>();
    const { ledger } = w.deps;
    const claim: typeof ledger.claim = async (key) => {
      const claimed = await ledger.claim(key);
      ledgered.set(key, claimed.kind === 'send' && claimed.claim.written !== null);
      return claimed;
    };
    Object.assign(w.deps, { ledger: { ...ledger, claim } });
    w.onLetter = (letter) => {
      for (const recipient of recipientsOf(letter)) safe.add(recipient);
    };
    w.script = async ({ recipient }) => {
      const call = begin(recipient, ledgered.get(keyOf(recipient)) ?? false);
      mine.push(call);
      const outcome = (ends[Math.floor(random.next() * ends.length)] ?? outcomes.lost)();
      await clock.sleep(Math.floor(random.next() * (outcome.kind === 'ambiguous' ? 60_000 : 5_000)));
      if (life.ended) return new Promise(() => undefined);
      call.open = false;
      call.maybe = outcome.kind === 'accepted' || outcome.kind === 'ambiguous';
      if (outcome.kind === 'accepted') safe.add(recipient);
      return outcome;
    };
    return {
      w,
      /** What was under way at the vendor breaks off; whether it was taken nobody knows. */
      crash() {
        life.ended = true;
        for (const call of mine) call.open = false;
      },
    };
  };
  const workers = [start(), start()] satisfies [unknown, unknown];

  /** After a 200 the platform delivers the text no more. */
  const deliver = async (by: 0 | 1): Promise<Delivered> => {
    const result = await workers[by].w.deliver([imeiA, imeiB]);
    const isLost = result.status === 200 && [imeiA, imeiB].some((recipient) => !safe.has(recipient));
    if (isLost) faults.push('lost');
    return result;
  };

  return {
    calls,
    faults,
    stored,
    async run(steps: readonly TimedStep[]) {
      for (const one of steps) {
        if (one.do === 'deliver') void deliver(one.worker);
        if (one.do === 'crash') {
          workers[one.worker].crash();
          workers[one.worker] = start();
        }
        if (one.do === 'store') {
          state.away = one.is === 'away';
          state.losesAnswers = one.is === 'losing answers';
        }
        await clock.advance(one.passes);
      }
      state.away = state.losesAnswers = false;
    },
    /** Redeliveries until the platform is done, for 25 h at most, with nothing but calls going wrong any more. */
    async settle() {
      for (let n = 0; n < 150; n += 1) {
        const running = deliver(0);
        await clock.advance(600_000);
        if ((await running).status === 200) return true;
      }
      return false;
    },
  };
};

const steps = fc.array(step, { minLength: 3, maxLength: 25, size: 'max' });

testProp(
  'hold: whatever is redelivered, crashes, is away or loses answers, no device is sent a text twice',
  [steps, fc.integer()],
  async (t, plan, seed) => {
    const m = model('hold', seed);
    await m.run(plan);
    await m.settle();
    t.deepEqual(m.faults, []);
    t.true(m.calls.every(({ ledgered }) => ledgered));
  },
  { numRuns: 150 },
);

testProp(
  'resend: two calls for a device never overlap and no end is undone, but for calls that were made without the store',
  [steps, fc.integer()],
  async (t, plan, seed) => {
    const m = model('resend', seed);
    await m.run(plan);
    await m.settle();
    t.deepEqual(m.faults, []);
  },
  { numRuns: 150 },
);

testProp(
  'resend with a store that works: crashes and redeliveries never send again what was accepted or given up',
  [steps.map((plan) => plan.filter((one) => one.do !== 'store')), fc.integer()],
  async (t, plan, seed) => {
    const m = model('resend', seed, true);
    await m.run(plan);
    await m.settle();
    t.deepEqual(m.faults, []);
    t.true(m.calls.every(({ ledgered }) => ledgered));
  },
  { numRuns: 150 },
);

type Example = [TimedStep[], number, 'resend' | 'hold'];

/** The answers of five calls for a device are lost, so that its text is left to a person under resend too. */
const fiveLost: Example = [
  [
    { do: 'deliver', worker: 1, passes: 0 },
    { do: 'store', is: 'well', passes: 3_000 },
    { do: 'crash', worker: 1, passes: 66_000 },
    { do: 'deliver', worker: 0, passes: 0 },
    { do: 'crash', worker: 1, passes: 0 },
    { do: 'store', is: 'well', passes: 300_000 },
    { do: 'store', is: 'well', passes: 0 },
  ],
  -1_292_403_620,
  'resend',
];

/** The store comes back while a worker asks for its turn: of the calls that it makes at once, some fail. */
const halfATurn: Example = [
  [
    { do: 'deliver', worker: 0, passes: 300_000 },
    { do: 'deliver', worker: 0, passes: 0 },
    { do: 'store', is: 'away', passes: 0 },
    { do: 'deliver', worker: 0, passes: 0 },
    { do: 'deliver', worker: 0, passes: 0 },
    { do: 'deliver', worker: 1, passes: 30_000 },
    { do: 'deliver', worker: 0, passes: 0 },
    { do: 'deliver', worker: 1, passes: 0 },
    { do: 'store', is: 'well', passes: 0 },
  ],
  2_147_481_300,
  'hold',
];

testProp(
  'however it went before, redeliveries come to an end, and each text is accepted or a dead letter before it is acknowledged',
  [steps, fc.integer(), fc.constantFrom('resend' as const, 'hold' as const)],
  async (t, plan, seed, ambiguous) => {
    const m = model(ambiguous, seed);
    await m.run(plan);
    t.true(await m.settle());
    t.deepEqual(m.faults, []);
    for (const recipient of [imeiA, imeiB])
      t.true(['accepted', 'failed', 'unknown'].includes(m.stored(recipient)?.state ?? 'none'));
  },
  { numRuns: 60, examples: [fiveLost, halfATurn] },
);
