import { readFileSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Harness, openSampleHarness } from '../harness.ts';
import { prepareAsImporter } from './prepare.ts';

const harness = (t: ExecutionContext): Promise<Harness> => openSampleHarness(t, { format: 'exported' });

test('the importer prepares a site once, under its word, and finds all of it again', async (t) => {
  const { folder, bundle, site } = await harness(t);
  const now = new Date('2026-11-01T08:09:10.123Z');
  const path = await prepareAsImporter(site, bundle, 'word', folder, { now });
  t.is(basename(path ?? ''), 'patrol-datamodel-run-20261101T080910123000Z.json');
  const { types, subjects, form, choices } = site.state();
  t.true(types.length > 0 && choices.length > 0 && subjects.length > 0);
  for (const { additional } of subjects)
    t.deepEqual(Object.keys(additional), ['word_member_id', 'word_employee_id', 'word_ca_uuid']);
  t.true(subjects.every(({ additional }) => /^[0-9a-f]{8}-/.test(String(additional['word_member_id']))));
  const { ui } = form as { ui: { order: string[]; sections: Record<string, { label: string }> } };
  t.deepEqual(ui.order, ['section-1']);
  t.is(ui.sections['section-1']?.label, 'Patrol details');
  const record = JSON.parse(readFileSync(path ?? '', 'utf8')) as { changes: { kind: string; before_file?: null }[] };
  t.deepEqual(Object.keys(record), ['run_at', 'tracker', 'conservation_area', 'changes']);
  t.is(record.changes.length, site.log.writes().length);
  t.is(record.changes.find(({ kind }) => kind === 'universal_patrol_fields')?.before_file, null);
  site.log.clear();
  t.is(await prepareAsImporter(site, bundle, 'word', folder, { now }), null);
  t.deepEqual(site.log.writes(), []);
});

test('the importer leaves the form alone while the feature is off', async (t) => {
  const { folder, bundle, site } = await harness(t);
  site.set({ patrol_schemas: 'off' });
  await prepareAsImporter(site, bundle, 'ext', folder);
  t.is(site.state().form, null);
  t.true(site.state().subjects.length > 0);
});

test('the importer keeps what an admin has in the form, and its file says how to put the old one back', async (t) => {
  const { folder, bundle, site } = await harness(t);
  const property = { type: 'string', title: 'Mine', description: '', deprecated: false };
  const section = { label: 'Mine', columns: 1, isActive: true, rightColumn: [] };
  const form = {
    json: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { mine: property, word_gone: { ...property, title: 'Gone' } },
      required: [],
      unevaluatedProperties: false,
    },
    ui: {
      fields: {
        mine: { type: 'TEXT', inputType: 'SHORT_TEXT', parent: 'section-mine' },
        word_gone: { type: 'TEXT', inputType: 'SHORT_TEXT', parent: 'section-mine' },
      },
      headers: {},
      order: ['section-mine'],
      sections: {
        'section-mine': {
          ...section,
          leftColumn: [
            { name: 'mine', type: 'field' },
            { name: 'word_gone', type: 'field' },
          ],
        },
      },
    },
  };
  site.seed({ form });
  const record = await prepareAsImporter(site, bundle, 'word', folder);
  const { json, ui } = site.state().form as typeof form;
  t.deepEqual(json.properties.mine, property);
  t.true(json.properties.word_gone.deprecated);
  t.deepEqual(ui.order, ['section-1', 'section-mine']);
  t.deepEqual(ui.sections['section-mine'].leftColumn, [{ name: 'mine', type: 'field' }]);
  const { changes } = JSON.parse(readFileSync(record ?? '', 'utf8')) as { changes: Record<string, string>[] };
  const before = changes.find(({ kind }) => kind === 'universal_patrol_fields')?.['before_file'] ?? '';
  t.true(isAbsolute(before));
  t.deepEqual(JSON.parse(readFileSync(before, 'utf8')), form);
});
