import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { tolerateErrors } from '@ranger-relay/runtime';
import { drawWorld, type Report, runWorld, type WorldChange } from './run.ts';
import { shrink } from './shrink.ts';
import { keptCases, lineOf, storyOf, summaryOf } from './tell.ts';
import type { WorldOptions } from './world.ts';

const usage = `npm run world -- [options]

  --seed N          one world, or several: 42..60
  --seconds S       fresh seeds for so long (default WORLD_SECONDS, or 20); --hours H likewise
  --events N        one large world of about so many events, with --kills K and as many other faults
  --story TEXT      tell what happens to payloads that contain a text
  --no-shrink       do not look for a smaller world that fails too
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string', default: process.env['WORLD_SECONDS'] ?? '20' },
    hours: { type: 'string' },
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
const failed: number[] = [];
const reports: Report[] = [];

/** Runs a world and prints how it went; a failing one with its story. */
const tryWorld = async (options: WorldOptions): Promise<void> => {
  const { story: about } = values;
  const observers =
    about === undefined ? {} : { about: [about], story: (line: string) => void process.stdout.write(`  ${line}`) };
  const report = await runWorld(options, observers);
  reports.push(report);
  print(lineOf(report));
  if (report.violations.length === 0) return;
  failed.push(report.seed);
  const small = values['no-shrink'] ? options : await shrink(options, report, maxShrinkRuns);
  print(await storyOf(small, small === options ? report : await runWorld(small)));
  print(`the smallest world found that fails so:\n${JSON.stringify(small)}\n`);
};

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

const seedsIn = (text: string): number[] => {
  const [first = 0, last = first] = text.split('..').map(Number);
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
};

const run = async (): Promise<void> => {
  if (values.events !== undefined) {
    const [seed = randomInt(2 ** 31)] = values.seed === undefined ? [] : seedsIn(values.seed);
    return tryWorld(largeWorld(seed, Number(values.events), Number(values.kills)));
  }
  if (values.seed !== undefined) {
    for (const seed of seedsIn(values.seed)) await tryWorld(drawWorld(seed));
    return;
  }
  for (const { why, world } of keptCases()) {
    print(`failed once: ${why}`);
    await tryWorld(world);
  }
  const seconds = values.hours === undefined ? Number(values.seconds) : Number(values.hours) * 3_600;
  const end = performance.now() + seconds * 1_000;
  for (let seed = randomInt(2 ** 31); performance.now() < end; seed += 1) await tryWorld(drawWorld(seed));
};

if (values.help) print(usage);
else {
  const began = performance.now();
  await run();
  print(summaryOf(reports, (performance.now() - began) / 1_000));
  print(`${reports.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
