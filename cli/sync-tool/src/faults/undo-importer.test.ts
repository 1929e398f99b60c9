import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import { type Harness, openSampleHarness } from '../test/harness.ts';
import { prepareAsImporter } from '../test/importer/prepare.ts';

/** Before every run of ours. */
const now = new Date('2020-01-02T08:09:10.123Z');

interface Prepared extends Harness {
  /** The importer's record. */
  readonly path: string;
  undo(...more: readonly string[]): ReturnType<Harness['run']>;
}

/** A site that the importer prepared, its writes forgotten. */
const prepared = async (t: ExecutionContext, options: FreshSiteOptions = {}, word = 'ext'): Promise<Prepared> => {
  const here = await openSampleHarness(t, { format: 'exported' }, options);
  const path = (await prepareAsImporter(here.site, here.bundle, word, here.folder, { now })) ?? '';
  here.writes();
  return { ...here, path, undo: (...more) => here.run('undo', path, ...here.onSite, ...more) };
};

interface Change {
  readonly kind: string;
  readonly [member: string]: unknown;
}

const contentOf = (path: string) =>
  JSON.parse(readFileSync(path, 'utf8')) as { changes: Change[]; [member: string]: unknown };

const edit = (path: string, change: (record: ReturnType<typeof contentOf>) => void): void => {
  const record = contentOf(path);
  change(record);
  writeFileSync(path, JSON.stringify(record));
};

const kinds = ['patrol_type', 'universal_patrol_fields', 'choice', 'subject'];

test('of a record of the importer the roster is undone, and what may have changed since is left until it is forced', async (t) => {
  const here = await prepared(t);
  const text = readFileSync(here.path, 'utf8');
  const { code, out } = await here.undo();
  t.is(code, 3, out);
  t.regex(
    out,
    /^left: choice .*: by force: .*the importer's record does not tell what it wrote.*--force choice undoes it/m,
  );
  for (const kind of kinds) t.regex(out, new RegExp(`--force ${kind} `));
  t.notRegex(out, /^failed/m);
  t.deepEqual(
    here.writes().filter(({ path }) => !path.startsWith('subjectgroup/')),
    [],
  );
  const forced = await here.undo('--force', ...kinds, '--delete-subjects');
  t.is(forced.code, 0, forced.out);
  const { types, choices, subjects, form } = here.site.state();
  t.deepEqual([types, choices.filter(({ is_active }) => is_active), subjects], [[], [], []]);
  t.deepEqual((form as unknown as { json: { properties: object } }).json.properties, {});
  t.is(readFileSync(here.path, 'utf8'), text);
  t.true(here.files().some((name) => name.startsWith('patrol-datamodel-undo-')));
});

test('an update of the activity alone, and what is as before the run, need no force', async (t) => {
  const here = await prepared(t);
  const [subject, other] = here.site.state().subjects;
  edit(here.path, (record) => {
    record.changes = [
      { kind: 'subject', action: 'updated', id: subject!.id, name: subject!.name, before: { is_active: false } },
      { kind: 'subject', action: 'updated', id: other!.id, before: { name: other!.name } },
      {
        kind: 'choice',
        action: 'updated',
        id: null,
        field: 'patrol_mandate',
        value: 'routine',
        before: { display: 'Before' },
      },
    ];
  });
  const { code, out } = await here.undo();
  t.is(code, 3, out);
  t.regex(out, /^undone: subject .*: is_active true → false$/m);
  t.regex(out, /^already undone: subject /m);
  t.regex(
    out,
    /^left: choice patrol_mandate routine "Task 0": by force: display "Task 0" → "Before" \(.*--force choice /m,
  );
  t.is((await here.undo('--force', 'choice')).code, 0);
  t.is(here.site.state().choices.find(({ value }) => value === 'routine')?.display, 'Before');
});

test('a forced undo takes what the importer put into the form out, and keeps what an admin has there', async (t) => {
  const own = { type: 'string', title: 'Own', deprecated: false };
  const form = {
    json: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { own },
      required: [],
      unevaluatedProperties: false,
    },
    ui: {
      fields: { own: { type: 'TEXT', inputType: 'SHORT_TEXT', parent: 'section-own' } },
      headers: {},
      order: ['section-own'],
      sections: {
        'section-own': {
          columns: 1,
          isActive: true,
          leftColumn: [{ name: 'own', type: 'field' }],
          rightColumn: [],
        },
      },
    },
  };
  const here = await prepared(t, { state: { form: form as never } });
  const edited = structuredClone(here.site.state().form) as unknown as typeof form;
  edited.json.properties.own.title = 'Edited';
  here.site.seed({ form: edited as never });
  const force = ['--force', 'universal_patrol_fields'];
  t.deepEqual((await here.undo()).out.match(/^left: universal patrol fields: .*$/gm)?.length, 1);
  t.deepEqual(here.site.state().form as unknown, edited);
  await here.undo(...force);
  const expected = structuredClone(form);
  expected.json.properties.own.title = 'Edited';
  t.deepEqual(here.site.state().form as unknown, expected);
});

test('the form of before is looked for where the record says, then beside it; without it the entry fails and the form stays', async (t) => {
  const here = await prepared(t, { switches: {} });
  const form = here.site.state().form;
  const moved = join(here.folder, 'moved');
  mkdirSync(moved);
  const [record, before] = [join(moved, basename(here.path)), join(moved, 'before.json')];
  edit(here.path, (content) => {
    content.changes = [
      { kind: 'universal_patrol_fields', action: 'written', before_file: join(here.folder, 'before.json') },
    ];
  });
  renameSync(here.path, record);
  const undo = () => here.run('undo', record, ...here.onSite, '--force', 'universal_patrol_fields');
  const failed = await undo();
  t.is(failed.code, 1);
  t.regex(failed.out, /^failed: universal patrol fields \(.*moved.before\.json cannot be used/m);
  t.deepEqual(here.site.state().form, form);
  writeFileSync(before, JSON.stringify(form));
  t.regex((await undo()).out, /^already undone: universal patrol fields/m);
});

test('the records of a folder are those of the importer too, by the time in their names', async (t) => {
  const here = await prepared(t);
  const again = here.path.replace('Z.json', 'Z-2.json');
  writeFileSync(again, readFileSync(here.path, 'utf8'));
  const undo = () => here.run('undo', here.folder, ...here.onSite);
  t.regex((await undo()).err, /Run record: .*123000Z-2\.json, the newest of 2 in /);
  await here.run('patrol-datamodel', '--bundle', here.bundle, ...here.onSite, '--subject-name-suffix');
  t.regex((await undo()).err, /Run record: .*T\d{6}Z\.json, the newest of 3 in /);
});

test('resume refuses a record of the importer', async (t) => {
  const here = await prepared(t);
  for (const named of [here.path, here.folder]) {
    const { code, err } = await here.run('resume', named, ...here.onSite);
    t.is(code, 1);
    t.regex(err, /is a run record of the importer: only undo takes it/);
  }
});

for (const [what, members, words] of [
  ['no address', { tracker: 'north' }, /has one address of a site, and this one has 0/],
  ['two addresses', { other: 'https://other.example' }, /has one address of a site, and this one has 2/],
  ['the address of another site', { tracker: 'https://other.example/api/v1.0/' }, /of the site other\.example, not of/],
  [
    'an update without what it replaced',
    { changes: [{ kind: 'subject', action: 'updated', id: 'a', before: null }] },
    /changes\.0 is an update, and does not tell/,
  ],
  ['a change of an unknown kind', { changes: [{ kind: 'other' }] }, /whose changes\.0\.kind is not as the importer/],
] as const)
  test(`a record of the importer with ${what} is refused before the first write`, async (t) => {
    const here = await prepared(t);
    edit(here.path, (record) => Object.assign(record, members));
    const { code, err } = await here.undo();
    t.is(code, 1);
    t.regex(err, words);
    t.deepEqual(here.writes(), []);
  });

for (const [what, before, flags] of [
  ['the word that its entries name', { word_member_id: 'OLD', colour: 'red' }, []],
  ['the word that is set, where its entries name none', { colour: 'red' }, ['--ext-word', 'word']],
] as const)
  test(`of a subject only the identity goes back, under ${what}`, async (t) => {
    const here = await prepared(t, {}, 'word');
    const [subject] = here.site.state().subjects;
    edit(here.path, (record) => {
      record.changes = [{ kind: 'subject', action: 'updated', id: subject!.id, before: { additional: before } }];
    });
    here.site.seed({ subjects: [{ ...subject!, additional: { ...subject!.additional, colour: 'blue' } }] });
    await here.undo('--force', 'subject', ...flags);
    t.deepEqual(here.site.state().subjects[0]?.additional, { ...before, colour: 'blue' });
  });

test('a subject that the record of another area needs stays active', async (t) => {
  const here = await prepared(t);
  await here.run('patrol-datamodel', '--bundle', here.bundle, ...here.onSite, '--subject-name-suffix');
  const name = here.records().find((each) => join(here.folder, each) !== here.path) ?? '';
  edit(join(here.folder, name), (record) => {
    record['conservation_area'] = { uuid: 'bb'.repeat(16), id: 'OTHER', name: 'Other area' };
  });
  const { out } = await here.undo('--force', 'subject');
  t.regex(out, /^left: subject .*area Other area \(OTHER\) needs it/m);
  t.true(here.site.state().subjects.some(({ is_active: active }) => active));
});

test('records of both tools are undone together, the newest first, until nothing of either is left', async (t) => {
  const here = await prepared(t);
  await here.run('patrol-datamodel', '--bundle', here.bundle, ...here.onSite, '--subject-name-suffix');
  const ours = here.records().find((each) => join(here.folder, each) !== here.path) ?? '';
  const people = here.site.state().subjects.length;
  const { code, out } = await here.undo(join(here.folder, ours), '--force', ...kinds, '--delete-subjects');
  t.is(code, 0, out);
  t.is(out.match(/^undone: subject .*: name ".*\(051600\)" → /gm)?.length, people);
  const { types, choices, subjects } = here.site.state();
  t.deepEqual([types, choices.filter(({ is_active }) => is_active), subjects], [[], [], []]);
});
