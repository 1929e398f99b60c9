import test from 'ava';
import { devices, startPushers, type PusherHarness, type SentText } from './harness/pusher.ts';
import type { Replica } from './harness/cluster.ts';
import { until } from './harness/until.ts';

const parks = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'] as const;
let harness: PusherHarness;

test.before(async () => {
  const env = { PUSH_AMBIGUOUS: 'hold', PUSH_TIMEOUT_S: '2' };
  harness = await startPushers({ integrations: parks, replicas: 2, env });
});
test.after.always(() => harness?.remove());

/** Most texts come once, some twice, some five times at once, their copies to both replicas. */
const copiesOf = (n: number): number => (n % 20 === 0 ? 5 : n % 5 === 0 ? 2 : 1);

const deliver = (texts: readonly SentText[], replicas: readonly Replica[], from = 0) =>
  texts.flatMap((text, index) =>
    Array.from({ length: copiesOf(from + index) }, (_, copy) =>
      harness.push(text, replicas[(index + copy) % replicas.length] as Replica),
    ),
  );

const newTexts = (count: number): SentText[] =>
  Array.from({ length: count }, (_, n) =>
    harness.textFor(parks[n % parks.length] as string, devices[n % devices.length] as string),
  );

test.serial(
  'hold: through a rolling restart and kill -9 of replicas under load no text is taken twice and none is lost',
  async (t) => {
    t.timeout(180_000);
    const { vendor, replicas } = harness;
    const [first, second] = replicas as [Replica, Replica];
    vendor.switches.set({ fault: 'slow', ms: 40, endpoint: 'message' });
    const all: SentText[] = [];
    const deliveries: ReturnType<typeof deliver> = [];
    const taken = (): number => all.filter((text) => harness.timesTaken(text) > 0).length;
    /** Delivers more, and lets some of it be taken before anything happens. */
    const load = async (count: number): Promise<void> => {
      const texts = newTexts(count);
      const before = taken();
      all.push(...texts);
      deliveries.push(...deliver(texts, replicas));
      await until('texts are taken', () => taken() > before + 5);
    };

    const codes: (number | null)[] = [];
    const starts: number[] = [];
    for (const replica of [first, second]) {
      await load(40);
      codes.push(await replica.stop());
      await replica.start();
    }
    for (const replica of [first, second]) {
      await load(40);
      await replica.kill();
      const from = performance.now();
      await replica.start();
      starts.push(Math.round(performance.now() - from));
    }
    await load(20);
    const ends = await Promise.all(deliveries);

    const letters = await harness.letters();
    const held = new Set(
      letters
        .filter(({ reason }) => reason === 'ambiguous')
        .map(
          ({ body_base64: body }) =>
            JSON.parse(Buffer.from(body, 'base64').toString()) as { attributes: { delivery_id: string } },
        )
        .map(({ attributes }) => attributes.delivery_id),
    );
    t.log(
      `${all.length} texts, ${deliveries.length} messages, ${held.size} held, ${vendor.messages().length} taken; ready after ${starts.join(', ')} ms`,
    );
    t.deepEqual(codes, [0, 0]);
    t.true(ends.every(({ acked }) => acked));
    t.deepEqual(
      all.filter((text) => harness.timesTaken(text) > 1).map(({ id }) => id),
      [],
      'taken twice',
    );
    t.deepEqual(
      all.filter((text) => harness.timesTaken(text) === 0 && !held.has(text.id)).map(({ id }) => id),
      [],
      'lost',
    );
    t.is(letters.length, held.size, 'a letter for each held text, and no other');
  },
);
