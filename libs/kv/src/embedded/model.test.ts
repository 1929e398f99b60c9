import { fc, testProp } from '@fast-check/ava';
import { manualClock } from '@ranger-relay/runtime/testing';
import type { KvSpace, SetOptions } from '../port.ts';
import { temporaryKv } from '../testing/temporary-kv.ts';

type Step =
  | { readonly op: 'get' | 'delete' | 'list'; readonly key: string }
  | { readonly op: 'set' | 'setIfAbsent'; readonly key: string; readonly value: string; readonly ttl: SetOptions }
  | {
      readonly op: 'compareAndSet';
      readonly key: string;
      readonly expected: string;
      readonly value: string;
      readonly ttl: SetOptions;
    }
  | { readonly op: 'compareAndDelete'; readonly key: string; readonly expected: string };

const key = fc.constantFrom('a', 'b', 'a.1', 'a.2', 'a%');
const value = fc.constantFrom('x', 'y', '');
const ttl = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 1, max: 40 }).map((ttlMs) => ({ ttlMs })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constantFrom('get', 'delete', 'list'), key }),
  fc.record({ op: fc.constantFrom('set', 'setIfAbsent'), key, value, ttl }),
  fc.record({ op: fc.constant('compareAndSet' as const), key, expected: value, value, ttl }),
  fc.record({ op: fc.constant('compareAndDelete' as const), key, expected: value }),
);
/** Turns of calls, and the time that passes behind each. */
const run = fc.array(fc.record({ calls: fc.array(step, { maxLength: 8 }), passes: fc.integer({ min: 0, max: 30 }) }), {
  minLength: 1,
  maxLength: 12,
});

/** The store as a plain map. */
const model = (now: () => number) => {
  const entries = new Map<string, { value: string; expires: number }>();
  const live = (key: string): string | undefined => {
    const entry = entries.get(key);
    return entry && entry.expires > now() ? entry.value : undefined;
  };
  const write = (key: string, value: string, { ttlMs = Infinity }: SetOptions): true => {
    entries.set(key, { value, expires: now() + ttlMs });
    return true;
  };
  return (step: Step): unknown => {
    const present = live(step.key);
    switch (step.op) {
      case 'get':
        return present ?? null;
      case 'delete':
        entries.delete(step.key);
        return present !== undefined;
      case 'list':
        return [...entries.keys()]
          .filter((other) => other.startsWith(step.key) && live(other) !== undefined)
          .sort()
          .map((other) => ({ key: other, value: live(other) }));
      case 'set':
        write(step.key, step.value, step.ttl);
        return undefined;
      case 'setIfAbsent':
        return present === undefined && write(step.key, step.value, step.ttl);
      case 'compareAndSet':
        return present === step.expected && write(step.key, step.value, step.ttl);
      case 'compareAndDelete':
        return present === step.expected && entries.delete(step.key);
    }
  };
};

const call = (space: KvSpace, step: Step): Promise<unknown> => {
  switch (step.op) {
    case 'set':
    case 'setIfAbsent':
      return space[step.op](step.key, step.value, step.ttl);
    case 'compareAndSet':
      return space.compareAndSet(step.key, step.expected, step.value, step.ttl);
    case 'compareAndDelete':
      return space.compareAndDelete(step.key, step.expected);
    default:
      return space[step.op](step.key);
  }
};

testProp(
  'any calls in any turns, with time passing between them, answer as a map with expiry would',
  [run],
  async (t, turns) => {
    const clock = manualClock();
    const { kv, close } = await temporaryKv({ clock });
    const expected = model(clock.now);
    try {
      for (const { calls, passes } of turns) {
        const answers = await Promise.all(calls.map((one) => call(kv.state, one)));
        t.deepEqual(answers, calls.map(expected));
        await clock.advance(passes);
      }
    } finally {
      await close();
    }
  },
  { numRuns: 40 },
);
