import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, data, fakeSite, plain, type Answer } from '../test/fake-site.ts';

const document = { json: { properties: { a: { title: 'A' } } }, ui: { order: [] } };
const path = 'activity/patrols/segments/types/default/';
const forms: Readonly<Record<string, unknown>> = {
  'the document': document,
  'the document as text': JSON.stringify(document),
  'a record with it': { id: 1, schema: document },
  'a record with it as text': { id: 1, schema: JSON.stringify(document) },
};
/** Responses that show no document and do not say that there is none. */
const unseen: Readonly<Record<string, Answer>> = {
  405: plain(405),
  'no body': plain(200),
  'a record without the member': data({ id: 1 }),
  'a record with an empty text': data({ id: 1, schema: '' }),
  'a record of half a document': data({ schema: { json: {} } }),
  'a record with a schema alone': data({ schema: { properties: {} } }),
  'a record with a list': data({ schema: [1] }),
  'a record with another object': data({ schema: { a: 1 } }),
  'a list': data([document]),
  'a text': data('not json'),
};
const none: Readonly<Record<string, Answer>> = {
  null: data(null),
  '{}': data({}),
  'a record with null': data({ id: 1, schema: null }),
  'a record with {}': data({ id: 1, schema: {} }),
  'a record with the text {}': data({ id: 1, schema: '{}' }),
};
const both = [`GET ${path}`, `GET ${path}schema/`];

for (const [name, payload] of Object.entries(forms)) {
  test(`${name} is read, wrapped or bare, and asked for`, async (t) => {
    for (const answer of [data(payload), plain(200, JSON.stringify(payload))]) {
      const { site, asked } = await fakeSite(t, answer);
      t.deepEqual(await site.form(), document);
      t.deepEqual(calls(asked), [`GET ${path}`]);
      t.deepEqual([...(asked[0]?.query ?? [])], [['include_schema', 'true']], 'and never rendered');
    }
  });

  test(`${name} is read from the second path when the first does not show it`, async (t) => {
    for (const first of [plain(404), ...Object.values(unseen)]) {
      const { site, asked } = await fakeSite(t, [first, data(payload)]);
      t.deepEqual(await site.form(), document);
      t.deepEqual(calls(asked), both);
    }
  });
}

for (const [name, answer] of Object.entries(none))
  test(`${name} is no form`, async (t) => {
    const { site, asked } = await fakeSite(t, answer);
    t.is(await site.form(), null);
    t.deepEqual(calls(asked), [`GET ${path}`]);
  });

test('a site without a record has no form when nothing stands at the second path either', async (t) => {
  for (const second of [plain(404), plain(405), ...Object.values(none)]) {
    const { site } = await fakeSite(t, [plain(404), second]);
    t.is(await site.form(), null);
  }
});

for (const [name, first] of Object.entries(unseen))
  test(`a form that ${name} hides is never taken for none`, async (t) => {
    for (const second of [plain(404), plain(405), ...Object.values(none), first]) {
      const { site } = await fakeSite(t, [first, second]);
      t.true(isRelayError(await t.throwsAsync(site.form()), 'site_answer_unreadable'));
    }
    const { site } = await fakeSite(t, [plain(404), first]);
    if (name === '405') t.is(await site.form(), null);
    else t.true(isRelayError(await t.throwsAsync(site.form()), 'site_answer_unreadable'));
  });

test('a form that is nested without measure is not read', async (t) => {
  const nested = `{"data":{"ui":{},"json":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}}`;
  const { site } = await fakeSite(t, plain(200, nested));
  t.true(isRelayError(await t.throwsAsync(site.form()), 'site_answer_unreadable'));
});

test('a form that may not be read is no missing one', async (t) => {
  const { site } = await fakeSite(t, plain(403));
  t.true(isRelayError(await t.throwsAsync(site.form()), 'site_forbidden'));
});

test('the whole document is put', async (t) => {
  const { site, asked } = await fakeSite(t, data({}));
  await site.writeForm({ ...document, extra: 1 } as typeof document, null);
  t.deepEqual(calls(asked), [`PUT ${path}`]);
  t.deepEqual(asked[0]?.body, { schema: document });
});

test('members of the record that the site asks for are sent as they are', async (t) => {
  const missing = plain(400, { name: ['This field is required.'], other: ['So is this.'], status: { code: 400 } });
  const { site, asked } = await fakeSite(t, [missing, data({ id: 1, name: 'default', schema: null }), data({})]);
  await site.writeForm(document, null);
  t.deepEqual(calls(asked), [`PUT ${path}`, `GET ${path}`, `PUT ${path}`]);
  t.deepEqual(asked[2]?.body, { name: 'default', schema: document });
});

for (const [name, body] of Object.entries({
  'the document': { schema: ['Invalid JSON Schema: no at ui.order'], status: { code: 400 } },
  'a member that the record does not have': { name: ['This field is required.'] },
  'no JSON': '<html>',
}))
  test(`a refusal of ${name} is final`, async (t) => {
    const { site, asked } = await fakeSite(t, [plain(400, body), data({ id: 1 })]);
    t.true(isRelayError(await t.throwsAsync(site.writeForm(document, null)), 'site_refused'));
    t.is(asked.filter(({ method }) => method === 'PUT').length, 1);
  });
