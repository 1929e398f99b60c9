import { hash } from 'node:crypto';
import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { Site, UnreadableRow } from '../port.ts';
import { data, fakeSite, page, type Answer } from '../test/fake-site.ts';

const subject = (id: number) => ({ id: `s${id}`, name: `N${id}`, subject_subtype: 'ranger', is_active: true });
const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
const inside = 'http://inside.local:81/api/v1.0/subjects/?page_size=2&cursor=';

test('pages are followed by the query of their address alone', async (t) => {
  const { site, asked } = await fakeSite(t, [
    page([subject(1), subject(2)], `${inside}b`, 3),
    page([subject(3)], null, 3),
  ]);
  t.deepEqual(ids(await site.subjects()), ['s1', 's2', 's3']);
  t.deepEqual(
    asked.map(({ query }) => query.get('cursor')),
    [null, 'b'],
  );
  t.deepEqual(
    asked.map(({ path }) => path),
    ['subjects/', 'subjects/'],
  );
});

for (const [name, answer] of Object.entries({
  'a bare list': data([subject(1)]),
  'a page': page([subject(1)]),
  'a list outside of an envelope': (() => Response.json([subject(1)])) as Answer,
}))
  test(`${name} is a list, and progress is told`, async (t) => {
    const { site } = await fakeSite(t, answer);
    const told: unknown[] = [];
    t.deepEqual(ids(await site.subjects((...args) => told.push(args))), ['s1']);
    t.deepEqual(told, [[1, 1]]);
  });

test('a row that comes twice counts once', async (t) => {
  const { site, asked } = await fakeSite(t, page([subject(1), subject(1), subject(2)]));
  t.deepEqual(ids(await site.subjects()), ['s1', 's2']);
  t.is(asked.length, 1);
});

test('a list whose rows moved between its pages is read again, until it is complete', async (t) => {
  const second = `${inside}2`;
  const { site, asked } = await fakeSite(t, [
    page([subject(1), subject(2)], second, 4),
    page([subject(2), subject(4)], null, 4),
    page([subject(1), subject(3)], second, 4),
    page([subject(3), subject(4)], null, 4),
  ]);
  t.deepEqual(ids(await site.subjects()).toSorted(), ['s1', 's2', 's3', 's4']);
  t.is(asked.length, 4);
});

test('rows of equal rank, in another order for each query, are all read from a list of several pages', async (t) => {
  const choices = Array.from({ length: 10_000 }, (_, n) => ({
    id: `c${n}`,
    model: 'activity.event',
    field: 'f',
    value: `v${n}`,
  }));
  const { site } = await fakeSite(t, ({ query }) => {
    const [at, size] = [Number(query.get('page') ?? '1') - 1, Number(query.get('page_size'))];
    const chances = new Map(choices.map((choice) => [choice, hash('sha256', `${query} ${choice.id}`)]));
    const ordered = choices.toSorted((a, b) => ((chances.get(a) ?? '') < (chances.get(b) ?? '') ? -1 : 1));
    const next = new URLSearchParams({ page: String(at + 2), page_size: String(size) });
    return page(
      ordered.slice(at * size, (at + 1) * size),
      (at + 1) * size < choices.length ? `http://inside.local/?${next}` : null,
      choices.length,
    )({} as never);
  });
  t.is((await site.choices('f')).length, choices.length);
});

test('a list that does not become complete is an error, never a shorter list', async (t) => {
  let n = 0;
  const { site } = await fakeSite(t, ({ query }) => {
    const isFirst = query.get('cursor') === null;
    return page([subject((n += 1))], isFirst ? `${inside}b` : null, 1_000)({} as never);
  });
  t.true(isRelayError(await t.throwsAsync(site.subjects()), 'site_unavailable'));
});

test('a bare list without rows where a page was asked for means that the permission is missing, and names it', async (t) => {
  const { site } = await fakeSite(t, data([]));
  for (const [call, permission] of [
    [() => site.subjects(), 'view_subject'],
    [() => site.choices('f'), 'view_choice'],
    [() => site.groupMembers('g'), 'view_subjectgroup'],
    [
      () => site.createSubject({ name: 'N', subject_subtype: 'ranger', is_active: true, additional: {} }),
      'add_subject',
    ],
    [() => site.patchSubject({ ...subject(1), additional: {} }, { name: 'M' }), 'change_subject'],
  ] as const) {
    const error = await t.throwsAsync<Error>(call);
    t.true(isRelayError(error, 'site_forbidden'), permission);
    t.true(error?.message.includes(permission), error?.message);
  }
  t.deepEqual(await site.patrolTypes(), []);
});

const endless: Readonly<Record<string, Answer>> = {
  'name themselves as the next one': page([subject(1)], `${inside}1`, 1),
  'never stop': (asked) => {
    const at = Number(asked.query.get('cursor') ?? 0);
    const rows = Array.from({ length: 4_000 }, (_, i) => subject(i));
    return page(rows, `${inside}${at + 1}`, 10)(asked);
  },
  'lead nowhere': page([subject(1)], 'http://[', 5),
};

for (const [name, answer] of Object.entries(endless))
  test(`pages that ${name} are an error`, async (t) => {
    const { site, asked } = await fakeSite(t, answer);
    t.true(isRelayError(await t.throwsAsync(site.subjects()), 'site_answer_unreadable'));
    t.true(asked.length < 10);
  });

for (const payload of [null, 'text', { results: null }, { rows: [] }])
  test(`${JSON.stringify(payload)} is no list`, async (t) => {
    const { site } = await fakeSite(t, data(payload));
    t.true(isRelayError(await t.throwsAsync(site.subjects()), 'site_answer_unreadable'));
  });

test('a row that cannot be read is left out and reported by its name, never by its values; the others are read', async (t) => {
  const odd = { ...(subject(2) as object), name: 'Collar 17', additional: '{"Secret":1}' };
  const { site } = await fakeSite(t, data([subject(1), odd, { name: 'No id' }, 'a text']));
  const left: UnreadableRow[] = [];
  t.is((await site.subjects(undefined, (row) => left.push(row))).length, 1);
  t.deepEqual(
    left.map(({ name }) => name),
    ['subject "Collar 17" (s2)', 'subject "No id"', 'subject'],
  );
  t.regex(left[0]?.problem ?? '', /^additional: /);
  t.notRegex(left.map(({ name, problem }) => name + problem).join(), /Secret/);
});

test('one foreign row keeps no list from being read', async (t) => {
  const odd = { id: 'x', value: 7, field: 'f', model: 'activity.event' };
  const lists: Record<string, (site: Site) => Promise<readonly unknown[]>> = {
    types: (site) => site.patrolTypes(),
    choices: (site) => site.choices('f'),
    members: (site) => site.groupMembers('g'),
  };
  for (const [name, list] of Object.entries(lists)) {
    const good = { id: 'a', value: 'v', field: 'f', model: 'activity.event' };
    const { site } = await fakeSite(t, data([name === 'members' ? { id: null } : odd, good]));
    t.is((await list(site)).length, 1, name);
  }
});

test('a list without any row that has an id is not the list that was asked for', async (t) => {
  const { site } = await fakeSite(t, data([{ name: 'Secret Name' }, 'a text']));
  const error = await t.throwsAsync(site.subjects());
  t.true(isRelayError(error, 'site_answer_unreadable'));
  t.regex(error?.message ?? '', /id: /);
  t.notRegex(error?.message ?? '', /Secret/);
});
