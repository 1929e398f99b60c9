import test from 'ava';
import { startRunners, type RunnerHarness } from './harness/runner.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const heardMs = 5_000;
let harness: RunnerHarness | undefined;

test.after.always(() => harness?.remove());

test.serial(
  'what one runner hears of a configuration the other works with within seconds, an hour before it would ask',
  async (t) => {
    t.timeout(60_000);
    harness = await startRunners({ integrations: [park], replicas: 2, env: { SCHEDULER: 'platform' } });
    const { runners, lines } = harness;
    const [first, second] = runners;
    if (!first || !second) return t.fail('there are two runners');
    const lastN = (): number | undefined => lines().findLast(({ phase }) => phase === 'ended')?.n;
    for (const runner of runners) t.is((await runner.execute(park, 'work')).status, 200);
    t.is(lastN(), 0);

    const event = (n: number): object => ({
      event_id: `event-${n}`,
      timestamp: new Date().toISOString(),
      schema_version: 'v1',
      event_type: 'ActionConfigUpdated',
      payload: { id: 'c', alt_id: 'work', integration_id: park, changes: { data: { n } } },
    });
    const times: number[] = [];
    for (const n of [1, 2, 3]) {
      const [told, other] = n % 2 === 0 ? [second, first] : [first, second];
      const data = Buffer.from(JSON.stringify(event(n))).toString('base64');
      const heard = await told.post('/config-events/', { message: { data, attributes: {}, messageId: `m${n}` } });
      t.like(heard, { status: 200, body: { status: 'success' } });
      const from = performance.now();
      const worksWithIt = async (): Promise<boolean> =>
        (await other.execute(park, 'work')).status === 200 && lastN() === n;
      await until('the other works with it', worksWithIt, heardMs);
      times.push(Math.round(performance.now() - from));
    }
    t.log(`runner-config-events: ${JSON.stringify({ ms: times })}`);
  },
);
