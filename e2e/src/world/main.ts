import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { tolerateErrors } from '@ranger-relay/runtime';
import type { Fault } from './faults.ts';
import { type AnyReport, services, sync, type WorldKind } from './kinds.ts';
import { drawWorld, type WorldChange } from './run.ts';
import { shrink } from './shrink.ts';
import { keptCases, lineOf, storyOf, summaryOf, violationsIn } from './tell.ts';
import type { WorldOptions } from './world.ts';

const usage = `npm run world -- [options]

  --seed N          one world, or several: 42..60
  --sync            worlds of the sync instead of the services; without it and without a seed both kinds in turn
  --seconds S       fresh seeds for so long (default WORLD_SECONDS, or 20); --hours H likewise
  --days N          one world of so many days, in which a counterpart is down for long
  --events N        one large world of about so many events, with --kills K and as many other faults
  --story TEXT      tell what happens to payloads that contain a text
  --no-shrink       do not look for a smaller world that fails too
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    sync: { type: 'boolean', default: false },
    seconds: { type: 'string', default: process.env['WORLD_SECONDS'] ?? '20' },
    hours: { type: 'string' },
    days: { type: 'string' },
    events: { type: 'string' },
    kills: { type: 'string', default: '1000' },
    story: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

// A reader that has gone must not break off a world.
tolerateErrors(process.stdout);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const maxShrinkRuns = 60;
/** A run of fresh seeds that lasts so long, s, begins with a world of so many days. */
const [longRunSeconds, longDays] = [120, 3];
let failed = 0;

/** The worlds of one kind that have run. */
interface Trials<Options> {
  draw(seed: number): Options;
  /** Runs a world and prints how it went; a failing one with its story. */
  run(options: Options): Promise<void>;
  count(): number;
  summary(seconds: number): string;
}

const trialsOf = <Options extends { readonly faults: readonly Fault[] }, Found extends AnyReport>(
  kind: WorldKind<Options, Found>,
): Trials<Options> => {
  const reports: Found[] = [];
  const { story: about } = values;
  const observers =
    about === undefined ? {} : { about: [about], story: (line: string) => void process.stdout.write(`  ${line}`) };
  return {
    draw: (seed) => kind.draw(seed),
    async run(options) {
      const report = await kind.run(options, observers);
      reports.push(report);
      print(lineOf(kind, report));
      if (report.violations.length === 0) return;
      failed += 1;
      // The search and the story run the world again, which can take as long as the first time.
      print(violationsIn(report));
      const small = values['no-shrink'] ? options : await shrink(kind, options, report, maxShrinkRuns);
      const found = small === options ? report : await kind.run(small);
      if (found !== report) print(violationsIn(found));
      print(await storyOf(kind, small, found));
      print(`the smallest world found that fails so:\n${JSON.stringify(small)}\n`);
    },
    count: () => reports.length,
    summary: (seconds) => summaryOf(kind, reports, seconds),
  };
};

const serviceTrials = trialsOf(services);
const syncTrials = trialsOf(sync);

/** A world of so many events, in which a kill and another fault come at regular odds. */
const largeWorld = (seed: number, events: number, kills: number): WorldOptions => {
  const [parks, devices, intervalMs] = [4, 500, 120_000];
  const ms = Math.ceil((events / (parks * devices)) * intervalMs);
  const replicas = {
    'webhook-ingester': 3,
    'observation-forwarder': 4,
    'message-pusher': 2,
    'action-runner': 2,
  };
  const size = { parks, devices, intervalMs, ms, replicas, textEveryMs: 300_000, rowEveryMs: 60_000 };
  // Two in five faults are a process's, and four in five of those end it.
  return drawWorld(seed, { ...size, faultEveryMs: ms / (kills * 2.5) } satisfies WorldChange);
};

const hourMs = 3_600_000;

/**
 * A world of days with little traffic, in which the site or the vendor is down for two thirds of them, or the platform for six hours: calls for
 * help are retried every two seconds, and each waiting one costs as much again.
 */
const longWorld = (seed: number, days: number): WorldOptions => {
  const ms = days * 24 * hourMs;
  const traffic = { devices: 3, intervalMs: hourMs / 2, textEveryMs: 2 * hourMs, rowEveryMs: hourMs };
  const drawn = drawWorld(seed, { ...traffic, ms, faultEveryMs: 2 * hourMs } satisfies WorldChange);
  const target = ['platform', 'site', 'inbound'][seed % 3] as string;
  const downMs = target === 'platform' ? 6 * hourMs : (ms * 2) / 3;
  const outage = { at: 3 * hourMs, kind: 'down', target, ms: downMs, amount: 1 } as const;
  return { ...drawn, faults: [...drawn.faults.filter(({ kind }) => kind !== 'down'), outage] };
};

const seedsIn = (text: string): number[] => {
  const [first = 0, last = first] = text.split('..').map(Number);
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
};

const runSeed = (seed: number, isSync: boolean): Promise<void> =>
  isSync ? syncTrials.run(syncTrials.draw(seed)) : serviceTrials.run(serviceTrials.draw(seed));

const run = async (): Promise<void> => {
  const [given = randomInt(2 ** 31)] = values.seed === undefined ? [] : seedsIn(values.seed);
  if (values.events !== undefined)
    return serviceTrials.run(largeWorld(given, Number(values.events), Number(values.kills)));
  if (values.days !== undefined) return serviceTrials.run(longWorld(given, Number(values.days)));
  if (values.seed !== undefined) {
    for (const seed of seedsIn(values.seed)) await runSeed(seed, values.sync);
    return;
  }
  for (const { why, world, sync: syncWorld } of keptCases()) {
    print(`failed once: ${why}`);
    if (world) await serviceTrials.run(world);
    if (syncWorld) await syncTrials.run(syncWorld);
  }
  const seconds = values.hours === undefined ? Number(values.seconds) : Number(values.hours) * 3_600;
  const end = performance.now() + seconds * 1_000;
  if (seconds >= longRunSeconds) {
    print(`a long world: --seed ${given} --days ${longDays}`);
    await serviceTrials.run(longWorld(given, longDays));
  }
  for (let seed = given; performance.now() < end; seed += 1) await runSeed(seed, values.sync || seed % 2 === 0);
};

if (values.help) print(usage);
else {
  const began = performance.now();
  await run();
  const seconds = (performance.now() - began) / 1_000;
  const used = [serviceTrials, syncTrials].filter((trials) => trials.count() > 0);
  for (const trials of used) print(trials.summary(seconds));
  const count = used.reduce((sum, trials) => sum + trials.count(), 0);
  print(`${count - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
