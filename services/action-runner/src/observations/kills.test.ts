import { fc, testProp } from '@fast-check/ava';
import { lifeOf } from '../test/life.ts';
import { createWorld, now, park } from '../test/world.ts';

const action = 'pull_observations';
const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const source = (n: number): string => `5c000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const group = '77000000-0000-4000-8000-000000000001';

// The end of a pull is no part of it: what is recorded in that very instant belongs to the next.
const rows = fc.array(fc.record({ at: fc.nat(5 * dayMs - 1), source: fc.nat(3) }), { maxLength: 40 });
const kills = fc.array(fc.record({ at: fc.integer({ min: 1, max: 60 }), after: fc.boolean() }), { maxLength: 8 });

const options = { numRuns: 60 };

testProp(
  'however often a pull is killed, at whatever call: every observation arrives, and the watermark never passes one that has not',
  [rows, kills, fc.integer({ min: 1, max: 3 }), fc.boolean(), fc.integer({ min: 1, max: 30 })],
  async (t, list, deaths, days, filtered, pageSize) => {
    const world = createWorld();
    const start = now - 5 * dayMs;
    world.site.observations = list.map(({ at, source: n }, index) => ({
      id: `o${index}`,
      recorded_at: iso(start + at),
      source: source(n),
      location: { longitude: 1, latitude: 1 },
    }));
    // Pages of the site are as large as it likes.
    world.site.onRequest = (url) => void url.searchParams.set('page_size', String(pageSize));
    world.site.payloads['subjectgroups'] = [{ id: group, name: 'G', subjects: [{ id: source(9), name: 'S' }] }];
    world.site.payloads['subjectsources'] = [0, 1, 2, 3].map((n) => ({ source: source(n), subject: source(9) }));
    world.platform.configs[action] = {
      start_datetime: iso(start),
      subwindow_days: days,
      subject_group_ids: filtered ? [group] : [],
    };
    const wanted = { integration: { id: park }, wanted: { actionId: action }, triggeredBy: 'manual' } as const;

    const checkWatermark = (): void => {
      const watermark = world.state()['last_execution'];
      if (watermark === undefined) return;
      const here = new Set(world.events().map(({ observation }) => observation?.additional['id']));
      for (const { id, recorded_at: at } of world.site.observations as { id: string; recorded_at: string }[])
        if (Date.parse(at) < Date.parse(String(watermark))) t.true(here.has(id), `${id} was passed over`);
    };

    for (const { at, after } of deaths) {
      const life = lifeOf(at, after);
      await Promise.race([world.start(life).execute(wanted), life.dead]);
      checkWatermark();
      // The lease of the dead runs out.
      await world.clock.advance(31_000);
    }
    t.is((await world.start().execute(wanted)).kind, 'complete');
    checkWatermark();
    const ids = new Set(world.events().map(({ event_id: id }) => id));
    t.is(ids.size, list.length);
    t.true(Date.parse(String(world.state()['last_execution'])) >= now);
    t.is(world.state()['backfill'], undefined);
  },
  options,
);
