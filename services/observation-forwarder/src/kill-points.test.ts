import { memoryStorage, type MemoryLink } from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import { MemoryEntries, memorySpace } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { forwarderGroup } from './compose.ts';
import { event, parkA, parkB } from './test/events.ts';
import { accepted, failure, harness } from './test/harness.ts';

const steps = ['announcement', 'call', 'record', 'commit'] as const;
const routes = {
  live: { topic: topics.sourceEvents.name, event: event(1), maybeSentAtTakeOver: 'announced' },
  emergency: {
    topic: topics.emergencies.name,
    event: event(1, { sos: 'declared', message_code: 4 }),
    maybeSentAtTakeOver: 'undone',
  },
} as const;

/** Where a process ends: before or after a step took effect. It learns of nothing from then on. */
interface Kill {
  readonly step: (typeof steps)[number];
  readonly when: 'before' | 'after';
}

const never = (): Promise<never> => new Promise(() => undefined);

/** The steps of one process, which ends at one of them. */
const processWith = (kill: Kill | undefined) => {
  let isDead = false;
  return async <T>(step: Kill['step'] | null, act: () => T | Promise<T>): Promise<T> => {
    const dies = kill !== undefined && kill.step === step;
    isDead ||= dies && kill.when === 'before';
    if (isDead) return never();
    const result = await act();
    isDead ||= dies;
    return isDead ? never() : result;
  };
};

/** One process forwards one event and is killed, another one takes over. Returns the attempts of the items that the platform took. */
const attemptsAround = async (route: keyof typeof routes, kill: Kill, isStoreLost: boolean) => {
  const { topic, event: value, maybeSentAtTakeOver } = routes[route];
  const clock = manualClock();
  const entries = new MemoryEntries();
  const storage = memoryStorage();
  const attempts: unknown[] = [];

  const run = async (killed: Kill | undefined, meanwhile: () => void): Promise<void> => {
    const at = processWith(killed);
    let commits = 0;
    const commitStep = (): Kill['step'] =>
      maybeSentAtTakeOver === 'announced' && commits++ === 0 ? 'announcement' : 'commit';
    const link: MemoryLink = {
      call: (what, act) => at(what === 'commit' ? commitStep() : null, act),
      notify: (listener) => listener(),
    };
    const state = memorySpace(clock, entries, ({ op, key }, act) =>
      at(op === 'setIfAbsent' && /^(device|emergency)\./.test(key) ? 'record' : null, act),
    );
    // A member that was killed is none any more.
    const w = harness({ clock, state, bus: { storage: { ...storage, groups: new Map() }, link } });
    w.platform.script = ({ items }) =>
      at('call', () => {
        attempts.push(...items.map(({ additional }) => additional['delivery_attempt']));
        return accepted(items.length);
      });
    await w.bus.consume({
      topic,
      group: forwarderGroup,
      from: 'earliest',
      maybeSentAtTakeOver,
      handle: w.handlers[route],
    });
    meanwhile();
    await clock.advance(60_000);
  };

  await run(kill, () =>
    storage.store(topic, [{ key: `${parkA}:${value.source}`, value: JSON.stringify(value) }], clock.now()),
  );
  if (isStoreLost) for (const key of entries.keysWith('')) entries.delete(key);
  await run(undefined, () => undefined);
  return { attempts, undone: (await storage.pending(topic, forwarderGroup)).length };
};

/** How the items that the platform took look: `first` carries no attempt, `again` carries one. */
const looks = (attempts: readonly unknown[]): string =>
  attempts.map((attempt) => (attempt === undefined ? 'first' : 'again')).join(', ');

/** What the platform takes, with the store as it was and with an empty one. */
const announced = {
  'before announcement': ['first', 'first'],
  'after announcement': ['again', 'again'],
} as const;
const common = {
  'before call': ['again', 'again'],
  'after call': ['first, again', 'first, again'],
  'before record': ['first, again', 'first, again'],
  'after record': ['first', 'first, again'],
  'before commit': ['first', 'first, again'],
  'after commit': ['first', 'first'],
} as const;
// Emergencies are not announced: whatever is undone at a take-over may have been sent.
const expected = { live: { ...announced, ...common }, emergency: common };

for (const [route, cases] of Object.entries(expected) as [keyof typeof routes, typeof common][])
  for (const [name, took] of Object.entries(cases)) {
    const [when, step] = name.split(' ') as [Kill['when'], Kill['step']];
    test(`${route}: a kill ${name} loses nothing and repeats only what may have been in flight, in another text`, async (t) => {
      for (const [isStoreLost, texts] of [
        [false, took[0]],
        [true, took[1]],
      ] as const) {
        const { attempts, undone } = await attemptsAround(route, { step, when }, isStoreLost);
        t.deepEqual([looks(attempts), undone], [texts, 0], isStoreLost ? 'the store lost' : 'the store kept');
      }
    });
  }

const sos = (n: number, integration_id: string) => event(n, { integration_id, sos: 'declared', message_code: 4 });

test('what was sent behind a device that waits is not sent again by a later owner, whatever the store has forgotten', async (t) => {
  const clock = manualClock();
  const storage = memoryStorage();
  const sent: string[] = [];
  const { topic } = routes.emergency;
  const waiting = sos(1, parkB);

  const run = async (isRefused: boolean, events: readonly ReturnType<typeof sos>[]): Promise<void> => {
    const link: MemoryLink = { call: async (_, act) => act(), notify: (listener) => listener() };
    const w = harness({ clock, state: memorySpace(clock), bus: { storage: { ...storage, groups: new Map() }, link } });
    w.platform.script = ({ integrationId, items }) => {
      if (isRefused && integrationId === parkB) return failure.keyRefused();
      sent.push(...items.map(({ source }) => `${integrationId === parkB ? 'b' : 'a'}${source.at(-1)}`));
      return undefined;
    };
    const subscription = await w.bus.consume({
      topic,
      group: forwarderGroup,
      from: 'earliest',
      maybeSentAtTakeOver: 'undone',
      lane: 'key',
      maxAhead: Infinity,
      handle: w.handlers.emergency,
    });
    for (const each of events)
      storage.store(
        topic,
        [{ key: `${each.integration_id}:${each.source}`, value: JSON.stringify(each) }],
        clock.now(),
      );
    await clock.advance(60_000);
    await subscription.close(0);
  };

  await run(true, [waiting, sos(2, parkA), sos(3, parkA)]);
  const first = sent.splice(0);
  t.is(first.length, 2);
  await clock.advance(9 * 86_400_000);
  await run(true, []);
  await run(false, []);
  t.deepEqual(sent, [`b${waiting.source.at(-1)}`]);
});
