import test from 'ava';
import { type ItemSources, itemsOf } from './items.ts';

const sources = {
  bundle: { teams: [], attributes: [], stations: [], employees: [], usage: { stations: new Set(), teams: new Map() } },
  desired: { types: [], choices: new Map() },
  label: () => '',
  patrolSchemas: true,
  roster: { asked: null, found: 'Rangers' },
  types: null,
  teams: null,
  remarks: [],
  notes: [],
  failures: new Map(),
} as unknown as ItemSources;

const idsFor = (...notes: string[]): string[] => itemsOf({ ...sources, notes }).map(({ id }) => id);

const keptOf = (of: readonly string[]): string[] => of.filter((each) => each.startsWith('kept.'));

test('each item has an id of its own, which the same task has in every run', (t) => {
  const kept = ['The field a stays: area 1 uses it', 'The field a stays: area 2 uses it', 'The field b stays: area 1'];
  const ids = idsFor(...kept);
  t.is(new Set(ids).size, ids.length);
  t.deepEqual(idsFor(...kept), ids);
  t.is(keptOf(idsFor('The field b stays: area 2 uses it too'))[0], keptOf(ids)[2]);
});

test('the kinds of tasks that every site has always stand on the list, done where nothing is known to be missing', (t) => {
  const items = itemsOf({ ...sources, patrolSchemas: true }).map(({ id, done }) => [id, done]);
  t.deepEqual(items.slice(0, 5), [
    ['patrol_schemas', true],
    ['permissions', false],
    ['roster.check.Rangers', false],
    ['teams.none', true],
    ['icons.none', true],
  ]);
  t.like(itemsOf({ ...sources, patrolSchemas: false })[0], { id: 'patrol_schemas', done: false });
});
