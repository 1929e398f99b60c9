import test from 'ava';
import { devices, startPushers, type PusherHarness, type SentText } from './harness/pusher.ts';
import type { Replica } from './harness/cluster.ts';
import { until } from './harness/until.ts';

const parks = [1, 2, 3, 4, 5].map((n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`);
let harness: PusherHarness;

test.before(async () => {
  const env = { PUSH_AMBIGUOUS: 'resend', PUSH_TIMEOUT_S: '10' };
  harness = await startPushers({ integrations: parks, replicas: 1, env });
});
test.after.always(() => harness?.remove());

test.serial(
  'resend: kill -9 between acceptance and its record repeats what was in flight, and nothing else',
  async (t) => {
    t.timeout(180_000);
    const { vendor } = harness;
    const replica = harness.replicas[0] as Replica;
    const textsOf = (each: number): SentText[] =>
      parks.flatMap((park, at) =>
        Array.from({ length: each }, (_, n) => harness.textFor(park, devices[5 * at + n] as string)),
      );

    const settled = textsOf(3);
    const before = await Promise.all(settled.map((text) => harness.push(text, replica)));
    t.true(before.every(({ acked }) => acked));

    const hang = vendor.switches.set({ fault: 'hang', when: 'after', endpoint: 'message', count: parks.length });
    const caught = textsOf(3);
    const running = caught.map((text) => harness.push(text, replica));
    const inFlight = (): SentText[] => caught.filter((text) => harness.timesTaken(text) > 0);
    await until('one call of each integration hangs', () => inFlight().length === parks.length);
    const open = inFlight();
    await replica.kill();
    vendor.switches.clear(hang);
    await replica.start();
    const again = settled.map((text) => harness.push(text, replica));
    t.true((await Promise.all([...running, ...again])).every(({ acked }) => acked));

    const repeated = [...settled, ...caught].filter((text) => harness.timesTaken(text) > 1);
    t.log(`${settled.length + caught.length} texts, ${open.length} in flight at the kill, ${repeated.length} repeated`);
    t.deepEqual(repeated.map(({ id }) => id).sort(), open.map(({ id }) => id).sort());
    t.true(open.every((text) => harness.timesTaken(text) === 2));
    t.true(
      [...settled, ...caught].every((text) => harness.timesTaken(text) > 0),
      'none is lost',
    );
    t.deepEqual(await harness.letters(), []);
  },
);
