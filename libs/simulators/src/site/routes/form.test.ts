import test from 'ava';
import { choiceForm, emptyForm, formPath, startSiteHarness } from '../../test/site.ts';

const form = choiceForm('patrol_mandate');
const withSchema = `${formPath}?include_schema=true`;
const schemaPath = `${formPath}schema/`;

test('a document is written whole and read back at both paths', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  t.is((await call('PUT', formPath, { schema: form })).status, 200);
  t.deepEqual(site.state().form, form);
  t.like((await get(formPath)).data, { value: 'default', is_active: true });
  t.deepEqual((await get(withSchema)).data, { ...((await get(formPath)).data as object), schema: form });
  t.deepEqual((await get(schemaPath)).data, form);
  await call('PUT', formPath, { schema: emptyForm });
  t.deepEqual(site.state().form, emptyForm);
});

test('the record shows its document on request, or always', async (t) => {
  const { site, get } = await startSiteHarness(t, { state: { form } });
  const shows = async (path: string) => Object.hasOwn((await get(path)).data as object, 'schema');
  t.deepEqual([await shows(formPath), await shows(withSchema)], [false, true]);
  site.set({ form_schema: 'always' });
  t.true(await shows(formPath));
});

test('a document that breaks the meta-schema is 400 with reason and path, and nothing changes', async (t) => {
  const { site, call } = await startSiteHarness(t, { state: { form } });
  const reply = await call('PUT', formPath, {
    schema: { ...form, json: { ...form.json, additionalProperties: false } },
  });
  t.is(reply.status, 400);
  t.deepEqual(reply.json, {
    schema: ['Invalid JSON Schema: unknown member "additionalProperties" at $.json'],
    status: { code: 400, message: 'Bad Request' },
  });
  for (const body of [{}, { schema: null }, { schema: JSON.stringify(form) }, form])
    t.is((await call('PUT', formPath, body)).status, 400);
  t.deepEqual(site.state().form, form);
});

test('unknown members of a field are dropped when the form is saved', async (t) => {
  const { site, call } = await startSiteHarness(t);
  const sent = structuredClone(form) as { ui: { fields: Record<string, Record<string, unknown>> } };
  sent.ui.fields['mandate']!['choices'] = [];
  t.is((await call('PUT', formPath, { schema: sent })).status, 200);
  t.deepEqual(site.state().form, form);
});

test('the record shows the document as an object, as a text, or is the document', async (t) => {
  const { site, get } = await startSiteHarness(t, { state: { form } });
  site.set({ form_record: 'string' });
  t.deepEqual(JSON.parse(String(((await get(withSchema)).data as { schema: unknown }).schema)), form);
  site.set({ form_record: 'document' });
  t.deepEqual((await get(formPath)).data, form);
  site.set({ form_document: 'bare' });
  t.deepEqual((await get(formPath)).json, form);
});

test('the record may be 404 or 405 while the document is there', async (t) => {
  const { site, call, get } = await startSiteHarness(t, { state: { form } });
  site.set({ form_record: 'not_found' });
  t.is((await get(formPath)).status, 404);
  site.set({ form_record: 'not_allowed' });
  t.is((await get(formPath)).status, 405);
  t.deepEqual((await get(schemaPath)).data, form);
  t.is((await call('PUT', formPath, { schema: emptyForm })).status, 200);
});

test('the document comes in the envelope, bare, or not at all', async (t) => {
  const { site, get } = await startSiteHarness(t, { state: { form } });
  t.deepEqual((await get(schemaPath)).json, { data: form, status: { code: 200, message: 'OK' } });
  site.set({ form_document: 'bare' });
  t.deepEqual((await get(schemaPath)).json, form);
  site.set({ form_document: 'not_found' });
  t.is((await get(schemaPath)).status, 404);
});

test('no form is null, an empty object, or 404', async (t) => {
  const { site, get } = await startSiteHarness(t);
  const schema = async () => ((await get(withSchema)).data as { schema: unknown }).schema;
  t.is(await schema(), null);
  t.is((await get(schemaPath)).data, null);
  site.set({ form_record: 'string' });
  t.is(await schema(), null);
  site.set({ form_none: 'empty', form_record: 'object' });
  t.deepEqual(await schema(), {});
  t.deepEqual((await get(schemaPath)).data, {});
  site.set({ form_none: 'not_found' });
  t.is((await get(formPath)).status, 404);
  t.is((await get(schemaPath)).status, 404);
});

test('the rendered variant has the active options in place of the references', async (t) => {
  const { site, get } = await startSiteHarness(t, { state: { form } });
  site.seed({
    choices: [
      { field: 'patrol_mandate', value: 'a', display: 'A' },
      { field: 'patrol_mandate', value: 'b', is_active: false },
    ],
  });
  const document = (await get(`${schemaPath}?pre_render=true`)).data as typeof form;
  t.like(document.json.properties.mandate, { type: 'string', enum: ['a'], 'x-enumExtra': { a: { title: 'A' } } });
  t.false(Object.hasOwn(document.json.properties.mandate, 'anyOf'));
  t.deepEqual(document.ui, form.ui);
  t.deepEqual((await get(`${schemaPath}?pre_render=false`)).data, form);
});

for (const flag of ['off', 'absent', 'no_features'] as const)
  test(`while the flag is ${flag} the form is 404`, async (t) => {
    const { site, call, get } = await startSiteHarness(t, { state: { form }, switches: { patrol_schemas: flag } });
    t.is((await get(formPath)).status, 404);
    t.is((await get(schemaPath)).status, 404);
    t.is((await call('PUT', formPath, { schema: emptyForm })).status, 404);
    t.deepEqual(site.state().form, form);
  });
