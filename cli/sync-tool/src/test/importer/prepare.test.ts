import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { freshSite } from '@ranger-relay/simulators';
import { writeSampleBundle } from '../../bundle/index.ts';
import { smallCounts } from '../../properties/case.ts';
import { prepareAsImporter } from './prepare.ts';

const harness = async (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'importer-'));
  const site = await freshSite();
  t.teardown(async () => {
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const bundle = join(folder, 'export');
  await writeSampleBundle(bundle, { format: 'exported', counts: smallCounts });
  return { folder, bundle, site };
};

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
