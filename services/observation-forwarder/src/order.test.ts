import { testProp, fc } from '@fast-check/ava';
import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import { event, parkA, parkB } from './test/events.ts';
import { memorySpace } from '@ranger-relay/kv/testing';
import { smallBus } from './test/small-bus.ts';
import { failure, harness } from './test/harness.ts';

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('source' as const), size: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('parked' as const), size: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('arrive' as const), size: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('break' as const), size: fc.constant(0) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('repair' as const), size: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('narrow' as const), size: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('widen' as const), size: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('crash' as const), size: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('storeEmptied' as const), size: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('storeAway' as const), size: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('storeBack' as const), size: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('lateAnswer' as const), size: fc.constant(0) }) },
);

type Step = { act: string; size: number };

/** Runs steps on one integration that fails now and then while another one works; returns what the platform took, in order. */
const runSteps = async (steps: readonly Step[]): Promise<{ taken: number[]; arrived: number; troubled: boolean }> => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const bus = smallBus(clock);
  const taken: number[] = [];
  let broken = false;
  let late = false;
  /** The parked topic refuses each third event. */
  let narrow = false;
  let arrived = 0;
  let troubled = false;

  const process = () => {
    const w = harness({ clock, state });
    w.platform.script = ({ integrationId, part, items }) => {
      if (integrationId === parkB) return undefined;
      if (broken) return failure.keyRefused();
      if (part === 'observation') taken.push(...items.map(({ additional }) => additional['n'] as number));
      if (!late) return undefined;
      late = false;
      return failure.outage(true);
    };
    w.bus.publish = async (topic, records) => {
      if (topic === topics.deadLetters.name) throw new Error('a dead letter of something that nobody refused');
      const tooLarge = narrow ? records.findIndex(({ value }) => /event-\d*[258]"/.test(String(value))) : -1;
      bus.append(bus.parked, topic, records.slice(0, tooLarge < 0 ? undefined : tooLarge));
      if (tooLarge >= 0) throw new RelayError('record_too_large', { details: { topic, stored: tooLarge } });
      if (!late) return;
      late = false;
      throw new RelayError('deadline_exceeded', { details: { what: 'publish', ms: 4000 } });
    };
    Object.assign(w.platform.parked, { has: bus.undone.has });
    return w;
  };

  let now = process();
  const act: Record<string, (size: number) => unknown> = {
    source: async (size) => {
      await now.handle([event(100_000 + arrived, { integration_id: parkB, event_id: `other-${clock.monotonic()}` })]);
      await bus.deliver(bus.source, now.handlers.live, parkA, size);
    },
    parked: (size) => bus.deliver(bus.parked, now.handlers.parked, parkA, size),
    arrive: (size) => {
      const records = Array.from({ length: size }, (_, index) => event(arrived + index));
      bus.append(
        bus.source,
        topics.sourceEvents.name,
        records.map((value) => ({ key: `${parkA}:${value.source}`, value: JSON.stringify(value) })),
      );
      arrived += size;
    },
    break: () => (broken = true),
    repair: () => (broken = false),
    narrow: () => (narrow = true),
    widen: () => (narrow = false),
    crash: () => {
      now = process();
      bus.reassign(bus.source);
      bus.reassign(bus.parked);
    },
    storeEmptied: () => {
      state.entries.clear();
      troubled = true;
    },
    storeAway: () => (troubled = state.away = true),
    storeBack: () => (state.away = false),
    lateAnswer: () => (troubled = late = true),
  };
  const quietly = async (name: string, size: number): Promise<void> => {
    try {
      await act[name]?.(size);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
    }
    await clock.advance(2_000);
  };

  for (const { act: name, size } of steps) await quietly(name, size);
  for (const name of ['storeBack', 'repair']) await quietly(name, 0);
  late = false;
  for (let turn = 0; turn < 400 && !(bus.finished(bus.source) && bus.finished(bus.parked)); turn += 1) {
    await clock.advance(300_000);
    for (const name of ['source', 'parked']) await quietly(name, 4);
  }
  return { taken, arrived, troubled };
};

testProp(
  'whatever fails, is parked, is refused by the parked topic, crashes or loses the store: nothing is lost, and the first sending of each event keeps the order',
  [fc.array(step, { maxLength: 60, size: 'max' })],
  async (t, steps) => {
    const { taken, arrived, troubled } = await runSteps(steps);
    const firsts = [...new Set(taken)];
    t.deepEqual(
      firsts,
      Array.from({ length: arrived }, (_, n) => n),
    );
    if (!troubled) t.is(taken.length, firsts.length);
  },
  { numRuns: 300 },
);
