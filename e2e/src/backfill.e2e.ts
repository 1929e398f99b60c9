import { volumeId } from '@ranger-relay/simulators';
import test, { type ExecutionContext } from 'ava';
import { startBackfill, type BackfillHarness } from './harness/backfill.ts';
import { until } from './harness/until.ts';

const observations = 20_000;
const days = Math.max(20, Math.ceil(observations / 5_000));
const pageSize = 100;
const speed = 8;
const end = Date.UTC(2026, 0, 1);
const start = end - days * 86_400_000;
/** No observation lies on the bound of two days, which sites count to both. */
const offsetMs = 1_500;
/** So many share a second. */
const together = 7;
const iso = (ms: number): string => new Date(ms).toISOString();
const sourceCount = 50;
/** Requests of one run about the sources. */
const lookUps = 2 * sourceCount + Math.ceil(sourceCount / 25);
/** Beyond what a runner from its sources takes when nothing is done. */
const maxGrowthMiB = 150;

const id = (n: number): string => `5c000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const sources = Array.from({ length: sourceCount }, (_, n) => ({ id: id(n), manufacturer_id: `COLLAR-${n}` }));

const callsOf = ({ site }: BackfillHarness): number =>
  site.log.entries().filter(({ path }) => path.endsWith('/observations')).length;

/** The second in which a page ends is read again with the next one. */
const perDay = Math.ceil(observations / days / (pageSize - together));
const necessary = perDay * days;

const finished = async (harness: BackfillHarness): Promise<boolean> => {
  const state = await harness.state();
  return state['settings_hash'] !== undefined && Array.isArray(state['ranges']) && state['ranges'].length === 0;
};

const limitMs = 120_000;

/** Everything before the stored position is on the bus. */
const checkGaps = async (t: ExecutionContext, harness: BackfillHarness): Promise<void> => {
  const { ranges } = (await harness.state()) as { ranges?: { from: string; listing?: true }[] };
  const left = ranges?.filter(({ listing }) => !listing).map(({ from }) => Date.parse(from));
  const done = left ? Math.min(end, ...left) : start;
  const { ids } = await harness.pulled();
  const through = Math.floor(((done - start - offsetMs) * observations) / (end - start)) - together;
  for (let n = 0; n < through; n += 1) if (!ids.has(volumeId(n))) return t.fail(`observation ${n} was passed over`);
  t.pass();
};

test.serial(
  'a backfill that is killed passes nothing over, ends with every observation on the bus, and asks the site little more than it has to, in little memory',
  async (t) => {
    t.timeout(limitMs);
    const harness = await startBackfill({
      speed,
      site: {
        state: {
          sources,
          volume: { count: observations, start: iso(start + offsetMs), end: iso(end + offsetMs), together },
        },
      },
      config: { start_datetime: iso(start), end_datetime: iso(end), continue_immediately: true },
      env: { MAX_ACTION_EXECUTION_TIME: '540' },
    });
    t.teardown(() => harness.remove());
    await harness.start();
    await harness.command();
    await until('half of it is asked for', () => callsOf(harness) >= necessary / 2, limitMs);
    await harness.kill();
    await checkGaps(t, harness);
    await harness.start();
    const idle = Math.round(harness.memory() / 1_048_576);
    await until('the backfill is finished', () => finished(harness), limitMs);
    const calls = harness.site.log.entries().length;
    const memory = Math.round(harness.memory() / 1_048_576);
    const { ids, count } = await harness.pulled();
    t.log(`backfill: ${JSON.stringify({ observations, published: count, calls, necessary, idle, memory })}`);
    t.is(ids.size, observations);
    t.true(count - observations <= 2 * pageSize, `${count - observations} repeats`);
    t.true(calls <= 1.05 * (necessary + 2 * lookUps), `${calls} calls, ${necessary + 2 * lookUps} necessary`);
    t.true(memory - idle <= maxGrowthMiB, `${idle} to ${memory} MiB`);
  },
);
