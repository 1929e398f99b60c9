import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { createHarness, now } from '../test/harness.ts';
import { siteRefusal } from '../test/site.ts';

const action = 'pull_observations';
const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const id = (kind: string, n: number): string => `${kind}000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [outer, inner, other] = [id('aa', 1), id('aa', 2), id('aa', 3)];

const subjects = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: id('bb', from + n), name: `S${from + n}` }));

/** Groups of 30, 1 and 1 subjects; each subject wears the source of its number. */
const harnessOfGroups = () => {
  const harness = createHarness();
  harness.site.payloads['subjectgroups'] = [
    {
      id: outer,
      name: 'Outer',
      subjects: subjects(1, 30),
      subgroups: [{ id: inner, name: 'Inner', subjects: subjects(40, 1) }],
    },
    { id: other, name: 'Other', subjects: subjects(50, 1), subgroups: [] },
  ];
  harness.site.onRequest = (url) => {
    const asked = url.searchParams.get('subjects');
    if (!url.pathname.endsWith('/subjectsources') || asked === null) return undefined;
    const rows = asked.split(',').map((subject) => ({ subject, source: subject.replace(/^bb/, 'cc') }));
    return httpAnswer(200, { data: { results: rows, next: null } });
  };
  const run = (groups: readonly string[], more: object = {}) =>
    harness.run(action, { start_datetime: iso(now - dayMs), subject_group_ids: groups, ...more });
  const pulled = () => harness.site.asked('observations').map(({ searchParams }) => searchParams.get('source_id'));
  return { ...harness, run, pulled };
};

test('the sources of the groups and of their subgroups are pulled one by one, sorted', async (t) => {
  const harness = harnessOfGroups();
  const outcome = await harness.run([outer]);
  t.like(outcome, { result: { status: 'complete', filter_active: true, sources_resolved: 31 } });
  const expected = [...Array.from({ length: 30 }, (_, n) => id('cc', n + 1)), id('cc', 40)];
  t.deepEqual(harness.pulled(), expected);
  t.deepEqual(Object.fromEntries(harness.site.asked('subjectgroups')[0]?.searchParams ?? []), {
    flat: 'false',
    include_hidden: 'true',
    isvisible: 'true',
  });
});

test('a look-up of sources that is answered with no list fails the run, and nothing counts as pulled', async (t) => {
  for (const payload of [null, {}, '', { results: 'x' }]) {
    const harness = harnessOfGroups();
    const { onRequest } = harness.site;
    harness.site.onRequest = (url, request) =>
      url.searchParams.get('subjects')?.includes(id('bb', 30))
        ? httpAnswer(200, { data: payload })
        : onRequest?.(url, request);
    t.like(await harness.run([outer]), { kind: 'failed', transient: true });
    t.is(harness.state()['last_execution'], undefined);
  }
});

test('no call asks for more than 25 subjects', async (t) => {
  const harness = harnessOfGroups();
  await harness.run([outer]);
  const counts = harness.site
    .asked('subjectsources')
    .flatMap(({ searchParams }) => searchParams.get('subjects')?.split(',').length ?? []);
  t.deepEqual(counts, [25, 6]);
});

test('all sources of a part of time come before the next part', async (t) => {
  const harness = harnessOfGroups();
  await harness.run([inner, other], { start_datetime: iso(now - 2 * dayMs) });
  t.deepEqual(harness.pulled(), [id('cc', 40), id('cc', 50), id('cc', 40), id('cc', 50)]);
});

test('a group whose id is written in upper case later is the same group, so that the pull keeps its position', async (t) => {
  const harness = harnessOfGroups();
  await harness.run([inner]);
  const { settings_hash: kept } = harness.state();
  t.is(typeof kept, 'string');
  await harness.run([inner.toUpperCase()]);
  t.is(harness.state()['settings_hash'], kept);
});

test('groups without sources skip the run with an ERROR entry, and the watermark stays', async (t) => {
  const harness = harnessOfGroups();
  await harness.setState({ last_execution: iso(now - dayMs) });
  const outcome = await harness.run([id('aa', 99)]);
  t.deepEqual((outcome as { result: unknown }).result, {
    status: 'skipped_no_sources',
    observations_extracted: 0,
    units_failed: 0,
    filter_active: true,
    sources_resolved: 0,
    pages_read: 0,
  });
  t.like(harness.feed()[0], { level: 40 });
  t.deepEqual(harness.state(), { last_execution: iso(now - dayMs) });
  t.deepEqual(harness.pulled(), []);
});

test('a list of assignments that goes on behind its page is a WARNING, once a run', async (t) => {
  const harness = harnessOfGroups();
  harness.site.onRequest = (url) =>
    url.pathname.endsWith('/subjectsources')
      ? httpAnswer(200, {
          data: { results: [{ subject: id('bb', 1), source: id('cc', 1) }], next: 'https://x/?page=2' },
        })
      : undefined;
  await harness.run([outer]);
  t.deepEqual(
    harness.feed().map(({ level }) => level),
    [30],
  );
});

for (const [status, transient] of [
  [503, true],
  [403, false],
] as const)
  test(`groups that cannot be looked up (${status}) fail the run before anything is kept`, async (t) => {
    const harness = harnessOfGroups();
    harness.site.onRequest = (url) => (url.pathname.endsWith('/subjectgroups') ? siteRefusal(status) : undefined);
    t.like(await harness.run([outer]), { kind: 'failed', transient });
    t.deepEqual(harness.state(), {});
  });
