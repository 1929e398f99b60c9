import { broken, httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { createHarness, now } from '../test/harness.ts';

const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

test('pages that lead back to each other have no end: the part is skipped and counted, the others come, and the run ends', async (t) => {
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
    if (harness.site.requests.length > 100) return broken();
    const next = searchParams.get('cursor') === 'a' ? 'b' : 'a';
    return httpAnswer(200, { data: { next: `http://inside.invalid/?cursor=${next}`, results: [] } });
  };
  const outcome = await harness.run('pull_observations', { start_datetime: iso(now - 3 * dayMs) });
  t.like(outcome, { result: { status: 'complete', observations_extracted: 2, units_failed: 1 } });
});
