import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { arriving } from '../test/arriving.ts';
import { createHarness, now, park } from '../test/harness.ts';
import { lifeOf } from '../test/life.ts';

const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

test('pages that do not end fail the run, and the next ones bring everything around them', async (t) => {
  const harness = createHarness();
  harness.site.observations = [2.5, 0.5].map((days) => ({
    id: `${days} days old`,
    recorded_at: iso(now - days * dayMs),
    created_at: iso(now - days * dayMs + 2_000),
    source: '5c000000-0000-4000-8000-000000000000',
    location: { longitude: 36.8, latitude: -1.2 },
  }));
  harness.site.onRequest = ({ searchParams }) => {
    if (searchParams.get('until') !== iso(now - dayMs)) return undefined;
    return httpAnswer(200, { data: { next: 'http://inside.invalid/?cursor=a', results: [] } });
  };
  const run = () => harness.run('pull_observations', { start_datetime: iso(now - 3 * dayMs) });
  t.is((await run()).kind, 'failed');
  t.like(await run(), { result: { status: 'complete' } });
  const ids = new Set(harness.events().map(({ observation }) => observation?.additional['id']));
  t.deepEqual([...ids], ['2.5 days old', '0.5 days old']);
});

test('a list that begins with the request of another list of the run is read to its end', async (t) => {
  const harness = createHarness();
  const rows = [-1, 0, 0].map((ms, n) => ({ recordedAt: now + ms, source: n, savedAt: now + ms, shownAt: now + ms }));
  arriving(harness, rows, () => 0);
  // The listing goes by time of recording, and leaves out what the back-fill, whose last part begins now, has to bring.
  Object.assign(harness.site, { arrival: 'refused', paging: 'page', pageSize: 2 });
  harness.platform.configs['pull_observations'] = { start_datetime: iso(now - 5 * dayMs) };
  await harness.clock.advance(583_000);
  harness.site.onRequest = async ({ pathname }) => {
    if (pathname.endsWith('/observations')) await harness.clock.advance(18_000);
    return undefined;
  };
  const wanted = {
    integration: { id: park },
    wanted: { actionId: 'pull_observations' },
    triggeredBy: 'manual',
  } as const;
  t.like(await harness.start(lifeOf(), 60_000).execute(wanted), { result: { status: 'in_progress' } });
  harness.site.onRequest = () => undefined;
  t.like(await harness.run('pull_observations'), { result: { status: 'complete', units_failed: 0 } });
  const ids = new Set(harness.events().map(({ observation }) => observation?.additional['id']));
  t.deepEqual([...ids].sort(), ['o0', 'o1', 'o2']);
});
