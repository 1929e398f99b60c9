import test from 'ava';
import { check } from './harness/checker.ts';
import { generate } from './harness/generator.ts';
import { install } from './harness/installation.ts';
import { killRepeatedly } from './harness/killer.ts';
import { doorItems, inFlightAt } from './harness/platform.ts';
import { until } from './harness/until.ts';

const parks = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002'] as const;

/** The short form runs always; SET_CHECKER_EVENTS and SET_CHECKER_KILLS make it long. */
const events = Number(process.env['SET_CHECKER_EVENTS'] ?? '6000');
const kills = Number(process.env['SET_CHECKER_KILLS'] ?? '6');

test('whatever is killed when: nothing acknowledged is lost, the order holds, and repeats stay within what was in flight', async (t) => {
  const installation = await install(parks);
  t.teardown(() => installation.remove());
  const { platform, webhookUrl, token } = installation;
  // A platform that takes its time keeps calls open, so that kills find some.
  await platform.fault({ fault: 'slow', ms: 20, endpoint: 'sensors' });
  const first = await installation.up();
  const generators = parks.map((park, index) =>
    generate({
      url: `${webhookUrl}?integration_id=${park}`,
      token,
      devices: 10,
      firstDevice: index * 100,
      events: events / parks.length,
      perPost: 3,
      textEvery: 5,
      pauseMs: 60,
      repeatShare: 0.05,
    }),
  );
  const sent = Promise.all(generators.map(({ finished }) => finished));
  const killing = killRepeatedly({ start: () => installation.up() }, first, {
    kills,
    betweenMs: () => 300 + Math.random() * 1_200,
  });
  const [{ kills: done }] = await Promise.all([killing, sent]);

  const owed = generators.flatMap(({ sent: all }) => all).reduce((sum, { text }) => sum + (text ? 2 : 1), 0);
  const arrived = async (): Promise<boolean> =>
    new Set(
      (await platform.door())
        .filter(({ status }) => status === 200)
        .map(({ kind, item }) => `${kind} ${item.source} ${String(item.additional['altitude'])}`),
    ).size >= owed;
  await until('everything acknowledged has come to the door', arrived, 60_000).catch((error: unknown) =>
    t.log(String(error)),
  );

  const lines = await platform.door();
  const report = check(
    generators.flatMap(({ sent: all }) => all),
    doorItems(lines),
    { count: done.length, inFlight: inFlightAt(lines, done) },
  );
  t.log(`set checker: ${JSON.stringify(report)}`);
  t.is(report.kills, kills);
  t.true(report.acknowledged >= events);
  t.is(report.lost, 0, 'lost');
  t.is(report.orderViolations, 0, 'order violations');
  t.is(report.messageFirst, 0, 'messages before the first observation');
  t.true(
    report.duplicates <= report.inFlightAtKills,
    `${report.duplicates} duplicates, ${report.inFlightAtKills} in flight`,
  );
  t.deepEqual((await platform.stats()).violations, {});
});
