import test from 'ava';
import { answer } from '../test/site.ts';
import { createWorld, now } from '../test/world.ts';

const action = 'pull_observations';
const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const id = (kind: string, n: number): string => `${kind}000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [outer, inner, other] = [id('aa', 1), id('aa', 2), id('aa', 3)];

const subjects = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: id('bb', from + n), name: `S${from + n}` }));

/** Groups of 30, 1 and 1 subjects; each subject wears the source of its number. */
const worldOfGroups = () => {
  const world = createWorld();
  world.site.payloads['subjectgroups'] = [
    {
      id: outer,
      name: 'Outer',
      subjects: subjects(1, 30),
      subgroups: [{ id: inner, name: 'Inner', subjects: subjects(40, 1) }],
    },
    { id: other, name: 'Other', subjects: subjects(50, 1), subgroups: [] },
  ];
  world.site.onRequest = (url) => {
    const asked = url.searchParams.get('subjects');
    if (!url.pathname.endsWith('/subjectsources') || asked === null) return undefined;
    const rows = asked.split(',').map((subject) => ({ subject, source: subject.replace(/^bb/, 'cc') }));
    return answer(200, { data: { results: rows, next: null } });
  };
  const run = (groups: readonly string[], more: object = {}) =>
    world.run(action, { start_datetime: iso(now - dayMs), subject_group_ids: groups, ...more });
  const pulled = () => world.site.asked('observations').map(({ searchParams }) => searchParams.get('source_id'));
  return { ...world, run, pulled };
};

test('the sources of the groups and of their subgroups are pulled one by one, sorted', async (t) => {
  const world = worldOfGroups();
  const outcome = await world.run([outer]);
  t.like(outcome, { result: { status: 'complete', filter_active: true, sources_resolved: 31 } });
  const expected = [...Array.from({ length: 30 }, (_, n) => id('cc', n + 1)), id('cc', 40)];
  t.deepEqual(world.pulled(), expected);
  t.deepEqual(Object.fromEntries(world.site.asked('subjectgroups')[0]?.searchParams ?? []), {
    flat: 'false',
    include_hidden: 'true',
    isvisible: 'true',
  });
});

test('a look-up of sources that is answered with no list fails the run, and nothing counts as pulled', async (t) => {
  for (const payload of [null, {}, '', { results: 'x' }]) {
    const world = worldOfGroups();
    const { onRequest } = world.site;
    world.site.onRequest = (url, request) =>
      url.searchParams.get('subjects')?.includes(id('bb', 30))
        ? answer(200, { data: payload })
        : onRequest?.(url, request);
    t.like(await world.run([outer]), { kind: 'failed', transient: true });
    t.is(world.state()['last_execution'], undefined);
  }
});

test('no call asks for more than 25 subjects', async (t) => {
  const world = worldOfGroups();
  await world.run([outer]);
  const counts = world.site
    .asked('subjectsources')
    .flatMap(({ searchParams }) => searchParams.get('subjects')?.split(',').length ?? []);
  t.deepEqual(counts, [25, 6]);
});

test('all sources of a part of time come before the next part', async (t) => {
  const world = worldOfGroups();
  await world.run([inner, other], { start_datetime: iso(now - 2 * dayMs) });
  t.deepEqual(world.pulled(), [id('cc', 40), id('cc', 50), id('cc', 40), id('cc', 50)]);
});

test('groups without sources skip the run with an ERROR entry, and the watermark stays', async (t) => {
  const world = worldOfGroups();
  await world.setState({ last_execution: iso(now - dayMs) });
  const outcome = await world.run([id('aa', 99)]);
  t.deepEqual((outcome as { result: unknown }).result, {
    status: 'skipped_no_sources',
    observations_extracted: 0,
    units_failed: 0,
    filter_active: true,
    sources_resolved: 0,
    pages_read: 0,
  });
  t.like(world.notes()[0], { level: 40 });
  t.deepEqual(world.state(), { last_execution: iso(now - dayMs) });
  t.deepEqual(world.pulled(), []);
});

test('a list of assignments that goes on behind its page is a WARNING, once a run', async (t) => {
  const world = worldOfGroups();
  world.site.onRequest = (url) =>
    url.pathname.endsWith('/subjectsources')
      ? answer(200, { data: { results: [{ subject: id('bb', 1), source: id('cc', 1) }], next: 'https://x/?page=2' } })
      : undefined;
  await world.run([outer]);
  t.deepEqual(
    world.notes().map(({ level }) => level),
    [30],
  );
});

for (const [status, transient] of [
  [503, true],
  [403, false],
] as const)
  test(`groups that cannot be looked up (${status}) fail the run before anything is kept`, async (t) => {
    const world = worldOfGroups();
    world.site.onRequest = (url) => (url.pathname.endsWith('/subjectgroups') ? answer(status) : undefined);
    t.like(await world.run([outer]), { kind: 'failed', transient });
    t.deepEqual(world.state(), {});
  });
