import { dashed } from './test/bundle.ts';
import { join } from 'node:path';
import test from 'ava';
import { runRecordSchema } from '@ranger-relay/contracts';
import { writeContractSample } from './bundle/sample/contract-sample.ts';
import { openHarness, type Harness, type Write } from './test/harness.ts';

const id = (pair: string): string => pair.repeat(16);
const named = ({ method, path, body }: Write): string => {
  const { value, field, name, is_active } = (body ?? {}) as Record<string, unknown>;
  return [method, path.replaceAll(/[0-9a-f-]{36}/g, '<id>'), field, value ?? name, is_active]
    .filter((part) => part !== undefined)
    .join(' ');
};

const sampleHarness = (t: Parameters<typeof openHarness>[0]): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder));

test('the first run of the sample makes its fourteen writes, step by step', async (t) => {
  const { sync, writes } = await sampleHarness(t);
  const { code, err } = await sync();
  t.is(code, 0, err);
  const all = writes();
  t.is(all.length, 14);
  t.deepEqual(all.slice(0, 2).map(named).sort(), [
    'POST activity/patrols/types/ patrol_boat false',
    'POST activity/patrols/types/ patrol_foot true',
  ]);
  t.deepEqual(named(all[2]!), 'PUT activity/patrols/segments/types/default/');
  t.deepEqual(all.slice(3, 10).map(named).sort(), [
    'POST choices/ patrol_class ground true',
    'POST choices/ patrol_mandate routine true',
    `POST choices/ patrol_station ${id('c1')} true`,
    `POST choices/ patrol_station ${id('c2')} false`,
    `POST choices/ patrol_station ${id('c3')} true`,
    'POST choices/ patrol_weather dry true',
    'POST choices/ patrol_weather rain true',
  ]);
  t.deepEqual(all.slice(10, 13).map(named).sort(), [
    'POST subjects/ Ranger Four false',
    'POST subjects/ Ranger One true',
    'POST subjects/ Ranger Three true',
  ]);
  t.regex(named(all[13]!), /^POST subjectgroup\/<id>\/subjects\/$/);
  t.is((all[13]!.body as unknown[]).length, 3);
});

test('the form of the sample holds the six core fields and those of its attributes, in their order and section', async (t) => {
  const { sync, writes } = await sampleHarness(t);
  await sync();
  const put = writes().find(({ method }) => method === 'PUT');
  const { schema } = put!.body as {
    schema: {
      json: { properties: object };
      ui: { order: string[]; sections: Record<string, { leftColumn: { name: string }[] }> };
    };
  };
  const names = ['objective', 'mandate', 'station', 'patrol_class', 'armed', 'comment', 'ext_weather', 'ext_crew'];
  t.deepEqual(Object.keys(schema.json.properties), names);
  t.deepEqual(schema.ui.order, ['section-ext']);
  t.deepEqual(
    schema.ui.sections['section-ext']?.leftColumn.map(({ name }) => name),
    names,
  );
});

test('subjects of the sample carry who they are and who made them; the login that was on no patrol is left out', async (t) => {
  const { sync, writes } = await sampleHarness(t);
  await sync();
  const subjects = writes()
    .filter(({ path }) => path === 'subjects/')
    .map(({ body }) => body as { additional: Record<string, unknown> });
  t.deepEqual(subjects.map(({ additional }) => additional['ext_member_id']).sort(), [
    dashed('f1'),
    dashed('f3'),
    dashed('f4'),
  ]);
  for (const { additional } of subjects) {
    t.is(additional['ext_managed_by'], 'patrol-datamodel');
    t.is(additional['ext_conservation_area'], id('aa'));
    t.regex(String(additional['ext_employee_id']), /^\d{3}$/);
  }
});

test('a second run writes nothing and leaves no second record', async (t) => {
  const { sync, writes, records } = await sampleHarness(t);
  await sync();
  writes();
  const before = records();
  t.is((await sync()).code, 0);
  t.deepEqual(writes(), []);
  t.deepEqual(records(), before);
});

test('undo of the sample sends exactly its requests, last change first', async (t) => {
  const { sync, writes, records, folder, run, onSite } = await sampleHarness(t);
  await sync();
  writes();
  const { code, err } = await run('undo', join(folder, records()[0]!), ...onSite);
  t.is(code, 0, err);
  const all = writes();
  t.is(all.length, 1 + 3 + 7 + 1 + 2);
  t.regex(named(all[0]!), /^DELETE subjectgroup\/<id>\/subjects\/$/);
  t.is((all[0]!.body as unknown[]).length, 3);
  t.deepEqual(new Set(all.slice(1, 4).map(named)), new Set(['PATCH subject/<id>/ false']));
  t.deepEqual(new Set(all.slice(4, 11).map(named)), new Set(['PATCH choices/<id>/ false']));
  t.is(named(all[11]!), 'PUT activity/patrols/segments/types/default/');
  t.deepEqual((all[11]!.body as { schema: { json: { properties: object } } }).schema.json.properties, {});
  t.deepEqual(all.slice(12).map(named).sort(), [
    'DELETE activity/patrols/types/patrol_boat/',
    'DELETE activity/patrols/types/patrol_foot/',
  ]);
});

test('a run after the undo brings back what was active with twelve writes', async (t) => {
  const { sync, writes, records, folder, run, onSite } = await sampleHarness(t);
  await sync();
  await run('undo', join(folder, records()[0]!), ...onSite);
  writes();
  t.is((await sync()).code, 0);
  const all = writes().map(named);
  t.is(all.length, 12);
  t.is(all.filter((each) => each === 'PATCH choices/<id>/ true').length, 6);
  t.is(all.filter((each) => each === 'PATCH subject/<id>/ true').length, 2);
});

test('a bundle from before logins were flagged leaves nobody out, and the next one deactivates the login alone', async (t) => {
  const { sync, writes, bundle } = await openHarness(t, (folder) =>
    writeContractSample(folder, { formatVersion: '1.0' }),
  );
  t.is((await sync()).code, 0);
  t.is(writes().length, 15);
  await writeContractSample(bundle);
  t.is((await sync()).code, 0);
  t.deepEqual(writes().map(named), ['PATCH subject/<id>/ false']);
});

test('the record of the sample lists every write in order with what it wrote', async (t) => {
  const { sync, records, read, files } = await sampleHarness(t);
  await sync();
  t.is(records().length, 1);
  const record = runRecordSchema.parse(JSON.parse(read(records()[0]!)));
  t.is(record.status, 'complete');
  t.deepEqual(
    record.changes.map(({ kind, action }) => `${kind} ${action}`),
    [
      ...Array.from({ length: 2 }, () => 'patrol_type created'),
      'universal_patrol_fields written',
      ...Array.from({ length: 7 }, () => 'choice created'),
      ...Array.from({ length: 3 }, () => 'subject created'),
      'roster added',
    ],
  );
  t.true(
    record.changes.every(
      (change) => change.kind === 'universal_patrol_fields' || change.kind === 'roster' || change.id !== '',
    ),
  );
  t.deepEqual(
    files().filter((name) => !records().includes(name)),
    ['checklist.md'],
  );
});

test('the checklist of the sample names two icons, the station without a name, the team, permissions and the roster group', async (t) => {
  const { sync, read } = await sampleHarness(t);
  await sync();
  const list = read('checklist.md');
  t.is(list.match(/Pick an icon/g)?.length, 2);
  t.true(list.includes(id('c3')));
  t.false(list.includes(id('c2')));
  t.regex(list, /Team Alpha/);
  t.regex(list, /permissions/);
  t.regex(list, /roster group/);
});
