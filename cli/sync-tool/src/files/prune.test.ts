import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { call } from '../show/test/call.ts';
import { checklist, plan } from './test/content.ts';
import { outlived, type RunFolder } from './prune.ts';

const run = (number: number, more: Partial<RunFolder> = {}): RunFolder => ({ number, ran: true, whole: true, ...more });
const none = new Set<number>();

test('of runs and of plans the newest stay, each kind by itself', (t) => {
  const plans = [2, 4, 6].map((number) => run(number, { ran: false }));
  t.deepEqual(outlived([run(1), run(3), run(5), ...plans], { keep: 2, spare: none }), [1, 2]);
  t.deepEqual(
    outlived([run(1), ...[2, 3, 4, 5].map((n) => run(n, { ran: false }))], { keep: 1, spare: none }),
    [2, 3, 4],
  );
});

test('what was not finished and what is spared stays', (t) => {
  const folders = [run(1, { whole: false }), run(2), run(3), run(4)];
  t.deepEqual(outlived(folders, { keep: 1, spare: new Set([2]) }), [3]);
});

const folders = fc.uniqueArray(
  fc.record({ number: fc.integer({ min: 1, max: 50 }), ran: fc.boolean(), whole: fc.boolean() }),
  {
    selector: ({ number }) => number,
    maxLength: 30,
  },
);

testProp(
  'the newest run, the newest plan, what is spared and what is not whole never go; and a second call finds nothing',
  [folders, fc.integer({ min: 1, max: 5 }), fc.uniqueArray(fc.integer({ min: 1, max: 50 }))],
  (t, all, keep, spared) => {
    const keeping = { keep, spare: new Set(spared) };
    const gone = new Set(outlived(all, keeping));
    for (const ran of [true, false]) {
      const newest = Math.max(...all.filter((each) => each.ran === ran).map(({ number }) => number));
      t.false(gone.has(newest));
    }
    for (const { number, whole } of all) if (!whole || spared.includes(number)) t.false(gone.has(number));
    t.deepEqual(
      outlived(
        all.filter(({ number }) => !gone.has(number)),
        keeping,
      ),
      [],
    );
  },
);

const recordName = 'patrol-datamodel-run-20260131T140311Z.json';
const record = (status: string): string =>
  JSON.stringify({
    format: 'patrol-datamodel-run',
    format_version: '1.0',
    tool: 'sync-tool test',
    status,
    started_at: '2026-01-31T14:03:11.000Z',
    finished_at: '2026-01-31T14:03:12.000Z',
    site: 'site.example',
    conservation_area: { id: 'a', uuid: '00000000-0000-4000-8000-000000000001', name: 'A' },
    bundle: { path: 'x', sha256: 'a'.repeat(64), exported_at: '2026-01-01T00:00:00Z' },
    options: {
      language: 'en',
      subject_name_suffix: false,
      roster_group: null,
      replace_segment_schema: false,
      modernize_form: false,
      word: 'ext',
    },
    plan_hash: 'a'.repeat(64),
    checklist: '/output/checklist.md',
    needs: { patrol_types: [], choices: {}, fields: {}, subjects: {}, unused: { patrol_types: [], fields: [] } },
    changes: [],
  });

const volume = (t: ExecutionContext, runs: Readonly<Record<string, Readonly<Record<string, string>>>>): string => {
  const path = mkdtempSync(join(tmpdir(), 'sync-tool-prune-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, files] of Object.entries(runs)) {
    mkdirSync(join(path, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, name, file), text);
  }
  return path;
};

const whole = { 'plan.json': plan, 'checklist.md': checklist, [recordName]: record('complete') };

test('folders of older runs go with what the tool has made there', async (t) => {
  const path = volume(t, {
    '1': { ...whole, 'patrol-datamodel-undo-20260201T000000Z.json': '{}' },
    '2': whole,
    '10': whole,
  });
  const { code, out } = await call('files', 'prune', path, '--keep', '1');
  t.is(code, 0);
  t.regex(out, /deleted: 1\ndeleted: 2\n2 deleted, 1 left/);
  t.deepEqual(readdirSync(path), ['10']);
});

test('the operator’s form of the options is understood, and a summary is left', async (t) => {
  const path = volume(t, { '1': whole, '2': whole, '3': whole });
  const { code, out } = await call(
    '--summary-file',
    join(path, 's.json'),
    'files',
    'prune',
    '--keep=1',
    '--spare=1',
    path,
  );
  t.is(code, 0);
  t.regex(out, /^deleted: 2\n/);
  t.like(JSON.parse(readFileSync(join(path, 's.json'), 'utf8')), { command: 'files prune', outcome: 'done', exit: 0 });
});

test('a run that failed, that goes on, or that cannot be read stays whole', async (t) => {
  const runs = {
    '1': { ...whole, [recordName]: record('failed') },
    '2': { ...whole, [recordName]: record('interrupted'), [recordName.replace('.json', '.journal.jsonl')]: '' },
    '3': { ...whole, [recordName]: 'no record' },
    '4': { ...whole, '.patrol-datamodel-site.lock': 'host:1 x' },
    '5': whole,
  };
  const path = volume(t, runs);
  t.regex((await call('files', 'prune', path, '--keep', '1')).out, /^0 deleted, 5 left/);
  for (const [name, files] of Object.entries(runs))
    t.deepEqual(readdirSync(join(path, name)), Object.keys(files).toSorted(), name);
});

test('what a person has put there stays, and so does what is no numbered folder, or a link to one', async (t) => {
  const path = volume(t, { '1': { ...whole, 'notes.txt': 'mine' }, '2': whole, archive: whole });
  const elsewhere = volume(t, { '1': whole });
  symlinkSync(elsewhere, join(path, '7'));
  t.is((await call('files', 'prune', path, '--keep', '1')).code, 0);
  t.deepEqual(readdirSync(join(path, '1')), ['notes.txt']);
  t.is(readdirSync(join(path, 'archive')).length, 3);
  t.true(existsSync(join(elsewhere, '1', recordName)));
});

test('what a killed process left of a file goes with it, and a folder that holds nothing of a run any more is not deleted twice', async (t) => {
  const half = Object.fromEntries(['checklist.md', recordName].map((name) => [`${name}.1.tmp`, '{']));
  const path = volume(t, { '1': { ...whole, ...half }, '2': { ...whole, 'notes.txt': 'mine' }, '3': whole });
  t.regex((await call('files', 'prune', path, '--keep', '1')).out, /^deleted: 1\ndeleted: 2\n2 deleted, 1 left/);
  t.deepEqual(readdirSync(path), ['2', '3']);
  t.regex((await call('files', 'prune', path, '--keep', '1')).out, /^0 deleted, 2 left/);
});

test('a folder that is not there has nothing to delete, and none is kept is no answer', async (t) => {
  t.is((await call('files', 'prune', join(tmpdir(), 'sync-tool-not-there'), '--keep', '3')).code, 0);
  t.is((await call('files', 'prune', '.', '--keep', '0')).code, 2);
  t.is((await call('files', 'prune', '.')).code, 2);
});

test('a record of the importer makes no folder one of a run, and is not deleted', async (t) => {
  const name = 'patrol-datamodel-run-20260131T140311000000Z.json';
  const planned = { 'plan.json': plan };
  const path = volume(t, { '1': { ...planned, [name]: '{"run_at":"","changes":[]}' }, '2': planned, '3': whole });
  t.regex((await call('files', 'prune', path, '--keep', '1')).out, /^deleted: 1$/m);
  t.deepEqual(readdirSync(join(path, '1')), [name]);
});
