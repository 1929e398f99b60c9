import test from 'ava';
import { assertHealth } from './harness/outage.ts';
import { probesFor } from './harness/probes.ts';
import { startRunners, type Runner, type RunnerHarness } from './harness/runner.ts';
import { until } from './harness/until.ts';

const parks = Array.from({ length: 12 }, (_, n) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`);
const [park = '', longPark = '', blockedPark = '', ...others] = parks;
let harness: RunnerHarness;
let first: Runner;
let second: Runner;
let numbers = 1_000_000;

test.before(async () => {
  harness = await startRunners({ integrations: parks, replicas: 2, env: { SCHEDULER: 'platform' } });
  [first, second] = harness.runners as [Runner, Runner];
});
test.after.always(() => harness?.remove());

const next = (): number => (numbers += 1);

const linesOf = (n: number, phase: 'begun' | 'ended'): number =>
  harness.lines().filter((line) => line.n === n && line.phase === phase).length;

const lastN = (): number | undefined => harness.lines().findLast(({ phase }) => phase === 'ended')?.n;

test.serial(
  'what one runner hears of a configuration the other works with within seconds, an hour before it would ask',
  async (t) => {
    for (const runner of harness.runners) t.is((await runner.execute(park, 'work')).status, 200);
    t.is(lastN(), 0);
    for (const n of [1, 2]) {
      const [told, other] = n === 1 ? [first, second] : [second, first];
      const event = {
        event_id: `event-${n}`,
        timestamp: new Date().toISOString(),
        schema_version: 'v1',
        event_type: 'ActionConfigUpdated',
        payload: { id: 'c', alt_id: 'work', integration_id: park, changes: { data: { n } } },
      };
      const data = Buffer.from(JSON.stringify(event)).toString('base64');
      const heard = await told.post('/config-events/', { message: { data, attributes: {}, messageId: `m${n}` } });
      t.like(heard, { status: 200, body: { status: 'success' } });
      const worksWithIt = async (): Promise<boolean> =>
        (await other.execute(park, 'work')).status === 200 && lastN() === n;
      await until('the other works with it', worksWithIt, 5_000);
    }
  },
);

/** Commands that keep coming, numbered from 1, one after the other from each of a few callers. */
const startCommands = (integrations: readonly string[]) => {
  let sent = 0;
  const again = new Set<number>();
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const n = (sent += 1);
      const lost = await harness.command(integrations[n % integrations.length] ?? '', 'work', { n, ms: 20 });
      // An answer that was lost makes two commands of one.
      if (lost > 0) again.add(n);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const working = Promise.all(Array.from({ length: 4 }, work));
  const ended = () => harness.lines().filter(({ n, phase }) => n >= 1 && n <= sent && phase === 'ended');
  const from = ended().length;
  const own = () => ended().slice(from);
  return {
    sent: () => sent,
    goesOn: async () => {
      const before = sent;
      await until('commands go on', () => sent > before + 50);
    },
    runs: () => own().filter(({ n }) => !again.has(n)),
    allRan: () => new Set(own().map(({ n }) => n)).size === sent,
    async stop() {
      stopping.abort();
      await working;
    },
  };
};

/** Several times the session timeout of the group, which is 3 s; below the lease of a message, 30 s. */
const [longMs, blockMs] = [10_000, 7_000];
const endMs = 15_000;
/** From the end of a run to its mark in the store, at most. */
const markMs = 1_000;
/** A claim of a killed process holds for 30 s; waiting messages are retried with growing pauses. */
const againMs = 100_000;
const fenced = 'the group continued without this member';

test.serial(
  'a long action keeps its place in the group, one that blocks the event loop costs it; an end under load repeats no command, a kill what ended in that moment, and none is lost',
  async (t) => {
    t.timeout(240_000);
    const { runners, command } = harness;
    const load = startCommands(others);
    t.teardown(() => load.stop());
    const [long, blocking, behind] = [next(), next(), next()];
    await command(longPark, 'work', { n: long, ms: longMs });
    await until('the long action has begun', () => linesOf(long, 'begun') === 1);
    while (linesOf(long, 'ended') === 0) {
      for (const runner of runners) t.true(await runner.ready());
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const isFenced = (): boolean => runners.some((runner) => runner.process().output().includes(fenced));
    t.false(isFenced());

    await command(blockedPark, 'work', { n: blocking, block_ms: blockMs });
    await until('it has ended', () => linesOf(blocking, 'ended') > 0);
    await until('its runner joins again', isFenced);
    await command(blockedPark, 'work', { n: behind });
    await until('the command behind it has run', () => linesOf(behind, 'ended') > 0, 40_000);

    const began = performance.now();
    t.is(await first.stop(), 0);
    t.true(performance.now() - began < endMs);
    await first.start();
    await load.goesOn();
    const pid = second.process().child.pid;
    const killedAt = Date.now();
    await second.kill();
    await load.goesOn();
    await second.start();
    await load.stop();
    await until('every command has run', load.allRan, againMs);

    for (const n of [long, blocking, behind]) t.is(linesOf(n, 'begun'), 1, 'begun once');
    const byNumber = Map.groupBy(load.runs(), ({ n }) => n);
    const repeated = [...byNumber.values()].filter(({ length }) => length > 1);
    t.log(`${load.sent()} commands, ${repeated.length} repeated`);
    t.true(load.sent() > 200);
    const unexplained = repeated.filter(([run]) => run?.pid !== pid || (run?.at ?? 0) < killedAt - markMs);
    t.deepEqual(unexplained, []);
  },
);

/** One call of the store inside a request, and some. */
const budgetMs = 5_000;
/** A run that is under way keeps its lease for so long without the store, and some. */
const underWayMs = 6_000;

/** A pushed command, delivered for the first time or again. */
const pushed = (action: string, n: number, deliveryAttempt = 1): object => {
  const command = { integration_id: park, action_id: action, config_overrides: { n }, triggered_by: 'manual' };
  const data = Buffer.from(JSON.stringify(command)).toString('base64');
  return { message: { data, attributes: {}, messageId: `message-${n}` }, subscription: 's', deliveryAttempt };
};

test.serial(
  'a store that hangs: what needs no lease runs, pulls come again and run with it back, health answers, nothing is lost',
  async (t) => {
    t.timeout(120_000);
    const { runners, command, cluster } = harness;
    for (const runner of runners) t.is((await runner.execute(park, 'work', { n: next() })).status, 200);
    const long = next();
    await command(longPark, 'tick', { n: long, ms: underWayMs });
    await until('the long pull has begun', () => linesOf(long, 'begun') > 0);

    const services = runners.map(({ url }, n) => ({ service: `runner ${n}`, url }));
    const probes = probesFor(t, services);
    const from = performance.now();
    cluster.redis.pause();
    const commands = [park, longPark].flatMap((each) => [1, 2].map(() => ({ each, n: next() })));
    for (const { each, n } of commands) await command(each, 'work', { n });
    const [pull, pushedWork, pushedTick] = [next(), next(), next()];
    await command(park, 'tick', { n: pull });
    const answers = await Promise.all([
      first.execute(park, 'work'),
      second.execute(park, 'tick'),
      first.post('/', pushed('work', pushedWork)),
      second.post('/', pushed('tick', pushedTick)),
    ]);
    const statuses = answers.map(({ status }) => status);
    t.deepEqual(statuses, [200, 500, 200, 500]);
    t.regex(JSON.stringify(answers[1].body), /key-value store/);
    await until('the commands have run', () => commands.every(({ n }) => linesOf(n, 'ended') > 0));
    await until('the long pull has ended', () => linesOf(long, 'ended') > 0);
    for (const n of [pull, pushedTick]) t.is(linesOf(n, 'begun'), 0, 'nobody knows whether it would be alone');
    for (const runner of runners) t.true(await runner.ready());
    assertHealth(t, probes, from, performance.now());
    cluster.redis.resume();

    const ms = answers.map((answer) => Math.round(answer.ms));
    t.log(`answers ${ms.join(', ')} ms`);
    t.true(Math.max(...ms) < budgetMs);
    // A lease that the store granted after its caller gave up holds for 30 s.
    const again = async (): Promise<boolean> => (await first.post('/', pushed('tick', pushedTick, 2))).status === 200;
    await until('the pushed pull has run', again, againMs, 1_000);
    await until('the pull of the topic has run', () => linesOf(pull, 'ended') > 0, againMs);
    const asked = [...commands.map(({ n }) => n), long, pull, pushedWork, pushedTick];
    for (const n of asked) t.true(linesOf(n, 'ended') > 0, `${n} is run`);
    const begun = harness.lines().filter(({ n, phase }) => asked.includes(n) && phase === 'begun');
    t.is(new Set(begun.map(({ event }) => event)).size, begun.length, 'no command or message is run twice');
  },
);
