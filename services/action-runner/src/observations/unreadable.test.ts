import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { createHarness, now, type Harness } from '../test/harness.ts';

const action = 'pull_observations';
const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const config = { start_datetime: iso(now - 3 * dayMs) };

const fix = {
  id: 'good',
  recorded_at: iso(now - 2 * dayMs),
  created_at: iso(now - 2 * dayMs + 2_000),
  source: '5c000000-0000-4000-8000-000000000001',
  location: { longitude: 36.8, latitude: -1.2 },
};

const idsOf = (harness: Harness): string[] =>
  harness.events().map(({ observation }) => String(observation?.additional['id']));

test('an empty list without a page, as older sites answer a missing permission, fails the run and names the permission; nothing is passed over', async (t) => {
  const harness = createHarness();
  harness.site.observations = [fix];
  const target = 'GET site.example/api/v1.0/observations';
  for (const body of [{ data: [] }, []]) {
    harness.site.onRequest = (url) =>
      url.pathname.endsWith('/observations') ? httpAnswer(200, body, { target }) : undefined;
    const outcome = await harness.run(action, config);
    t.like(outcome, { kind: 'failed', transient: false });
    t.regex(JSON.stringify(outcome), /view_observation/);
  }
  harness.site.onRequest = () => undefined;
  await harness.run(action, config);
  t.deepEqual(idsOf(harness), ['good']);
});

test('what has no place is left out, what cannot be read is named in a WARNING, the rest of its page comes', async (t) => {
  const harness = createHarness();
  harness.site.observations = [
    { ...fix, id: 'no place', location: null },
    { ...fix, id: 'empty place', location: { latitude: null, longitude: null } },
    { ...fix, id: 'half a place', location: { latitude: 1 } },
    { ...fix, id: 'words', location: { latitude: 'north', longitude: '1' } },
    { ...fix, id: 'nowhere', location: { latitude: 91, longitude: 1 } },
    { ...fix, id: 'no time', recorded_at: 'soon' },
    { ...fix, id: 'good' },
  ];
  t.like(await harness.run(action, config), { result: { observations_extracted: 1 } });
  t.deepEqual(idsOf(harness), ['good']);
  const [note] = harness.feed();
  t.like(note, { level: 30, data: { count: 4 } });
  const named = (note?.['data'] as { observations: string[] } | undefined)?.observations;
  t.deepEqual(named?.toSorted(), ['half a place', 'no time', 'nowhere', 'words']);
  await harness.run(action, { ...config, force_run_since_start: true });
  t.is(harness.feed().length, 1, 'once an hour');
});
