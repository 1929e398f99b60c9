import test from 'ava';
import { type ItemSources, itemsOf } from './items.ts';

const sources = {
  bundle: { teams: [], attributes: [], stations: [], employees: [], usage: { stations: new Set(), teams: new Map() } },
  desired: { types: [], choices: new Map() },
  label: () => '',
  patrolSchemas: true,
  roster: { asked: null, found: 'Rangers' },
  teams: null,
  failures: new Map(),
} as unknown as ItemSources;

const idsFor = (...kept: string[]): string[] => itemsOf({ ...sources, kept }).map(({ id }) => id);

test('each item has an id of its own, which the same task has in every run', (t) => {
  const kept = ['The field a stays: area 1 uses it', 'The field a stays: area 2 uses it', 'The field b stays: area 1'];
  const ids = idsFor(...kept);
  t.is(new Set(ids).size, ids.length);
  t.deepEqual(idsFor(...kept), ids);
  t.deepEqual(idsFor('The field b stays: area 2 uses it too')[2], ids[4]);
});
