import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as disk from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedChange } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { filesOf, newRunFiles, openLines, replaceDurably } from '../run/files.ts';
import { keepFormBefore } from '../run/record.ts';
import { changesOf, createWrites, type Journal, openJournal, readJournal } from '../run/journal.ts';

const folder = (t: ExecutionContext): string => {
  const path = mkdtempSync(join(tmpdir(), 'sync-journal-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

const change: RecordedChange = { kind: 'roster', action: 'added', group_id: 'g', group_name: 'G', subject_ids: ['s'] };

const journalIn = async (
  t: ExecutionContext,
): Promise<{ journal: Journal; entries: () => ReturnType<typeof readJournal> }> => {
  const path = join(folder(t), 'journal.jsonl');
  const journal = await openJournal({ ...filesOf(disk, ''), journal: path });
  t.teardown(() => journal.close());
  return { journal, entries: () => readJournal(readFileSync(path, 'utf8')) };
};

test('the intent is on the disk before the request leaves, and the result before the next thing happens', async (t) => {
  const { journal, entries } = await journalIn(t);
  await journal.write(change, () => {
    t.deepEqual(
      entries().map(({ outcome }) => outcome),
      [undefined],
    );
    return Promise.resolve('id');
  });
  t.deepEqual(
    entries().map(({ outcome }) => outcome),
    [{ outcome: 'done', id: 'id' }],
  );
});

for (const [name, error, outcome, listed] of [
  ['a refusal', new RelayError('site_refused'), 'refused', 0],
  ['a lost answer', new RelayError('site_unavailable', { ambiguous: true }), 'unknown', 1],
  ['a request that never left', new RelayError('site_unavailable'), 'refused', 0],
  ['what nobody has foreseen', new TypeError('x'), 'unknown', 1],
] as const)
  test(`${name} is written down as ${outcome}`, async (t) => {
    const { journal, entries } = await journalIn(t);
    await t.throwsAsync(
      journal.write(change, () => Promise.reject(error)),
      { is: error },
    );
    t.is(entries()[0]?.outcome?.outcome, outcome);
    t.is(changesOf(entries()).length, listed);
  });

test('a write whose result cannot be written down is never taken for one that was refused', async (t) => {
  const results: string[] = [];
  const writes = createWrites({
    append(line) {
      const { outcome } = JSON.parse(line) as { outcome?: string };
      if (outcome === undefined) return Promise.resolve();
      results.push(outcome);
      return results.length === 1 ? Promise.reject(new Error('disk full')) : Promise.resolve();
    },
  });
  await t.throwsAsync(
    writes.write(change, () => Promise.resolve('id')),
    { message: 'disk full' },
  );
  t.deepEqual(results, ['done']);
});

test('a write whose intent cannot be written down is not sent', async (t) => {
  const writes = createWrites({ append: () => Promise.reject(new Error('disk full')) });
  await t.throwsAsync(
    writes.write(change, () => {
      t.fail('sent');
      return Promise.resolve(null);
    }),
    { message: 'disk full' },
  );
});

test('after a line that did not fit on the disk no other is begun', async (t) => {
  // Only some systems have a device that is always full.
  const lines = existsSync('/dev/full') ? await openLines(disk, '/dev/full') : undefined;
  if (!lines) return t.pass();
  t.teardown(() => lines.close());
  const first = await t.throwsAsync(lines.append('one'));
  t.is(await t.throwsAsync(lines.append('other')), first);
});

test('lines of calls that come together are whole and in order', async (t) => {
  const path = join(folder(t), 'lines');
  const lines = await openLines(disk, path);
  await Promise.all(Array.from({ length: 50 }, (_, i) => lines.append(`${i}`)));
  await lines.close();
  t.is(readFileSync(path, 'utf8'), Array.from({ length: 50 }, (_, i) => `${i}\n`).join(''));
});

test('a file that is replaced is whole, also when an earlier try was broken off', async (t) => {
  const path = join(folder(t), 'record.json');
  writeFileSync(`${path}.1.tmp`, 'half of');
  await replaceDurably(disk, path, 'whole');
  t.is(readFileSync(path, 'utf8'), 'whole');
  t.is(readFileSync(`${path}.1.tmp`, 'utf8'), 'half of');
});

test('runs that begin in one second have names of their own, whatever of an earlier one is left', async (t) => {
  const here = folder(t);
  writeFileSync(join(here, 'patrol-datamodel-run-20260131T140311Z.journal.jsonl'), '');
  writeFileSync(join(here, 'patrol-datamodel-run-20260131T140312Z.form-before.json'), '');
  const now = Date.UTC(2026, 0, 31, 14, 3, 11);
  const made = await Promise.all(Array.from({ length: 5 }, () => newRunFiles(disk, here, now, '{}')));
  t.is(new Set(made.map(({ record }) => record)).size, 5);
  t.is(made.map(({ record }) => record).toSorted()[0], join(here, 'patrol-datamodel-run-20260131T140313Z.json'));
  for (const { record, journal } of made) t.true(existsSync(record) && existsSync(journal));
});

test('each form that a run replaces has a file of its own; the same one has the same', async (t) => {
  const here = folder(t);
  const files = await newRunFiles(disk, here, Date.UTC(2026, 0, 31, 14, 3, 11), '{}');
  const keep = (title: string): Promise<string> => keepFormBefore(files, { json: { title }, ui: {} });
  const names = [await keep('one'), await keep('other'), await keep('one'), await keep('third')];
  const base = 'patrol-datamodel-run-20260131T140311Z.form-before';
  t.deepEqual(names, [`${base}.json`, `${base}-2.json`, `${base}.json`, `${base}-3.json`]);
  t.deepEqual(JSON.parse(readFileSync(join(here, `${base}-2.json`), 'utf8')), { json: { title: 'other' }, ui: {} });
});
