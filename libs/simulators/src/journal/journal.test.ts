import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { scratch } from '../test/harness.ts';
import { fileJournal } from './file-journal.ts';
import { memoryJournal } from './journal.ts';

const batches = fc.array(
  fc.array(
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    { maxLength: 300 },
  ),
  {
    maxLength: 8,
  },
);

testProp(
  'a file journal reads like the list of its lines, also after it was opened again',
  [batches, fc.nat(1_500), fc.integer({ min: 1, max: 600 })],
  (t, groups, since, limit) => {
    const path = join(scratch(t), 'journal');
    const journal = fileJournal(path);
    for (const group of groups) journal.append(group);
    const all = groups.flat();
    t.is(journal.count, all.length);
    t.deepEqual(journal.read(since, limit), all.slice(since, since + limit));
    journal.close();
    const replayed: string[] = [];
    const again = fileJournal(path, (line) => replayed.push(line));
    t.deepEqual(replayed, all);
    t.deepEqual(again.read(since, limit), all.slice(since, since + limit));
    again.append(['"more"']);
    t.deepEqual(again.read(all.length, 5), ['"more"']);
    again.close();
  },
  { numRuns: 40 },
);

test('a line torn by a kill is cut off, the whole lines before it stay', (t) => {
  const path = join(scratch(t), 'journal');
  const journal = fileJournal(path);
  journal.append(['{"a":1}', '{"a":2}']);
  journal.close();
  appendFileSync(path, '{"a":3');
  const again = fileJournal(path);
  t.is(again.count, 2);
  again.append(['{"a":4}']);
  again.close();
  t.is(readFileSync(path, 'utf8'), '{"a":1}\n{"a":2}\n{"a":4}\n');
});

test('lines longer than a read chunk are read whole', (t) => {
  const journal = fileJournal(join(scratch(t), 'journal'));
  const long = 'x'.repeat(700_000);
  journal.append(['first', long, 'last']);
  t.deepEqual(journal.read(0, 10), ['first', long, 'last']);
  journal.close();
});

test('a line with a break inside is refused, because it would count twice', (t) => {
  const journal = fileJournal(join(scratch(t), 'journal'));
  journal.append(['fine']);
  t.notThrows(() => journal.append(['also fine']));
  t.is(journal.read(0, 10).length, 2);
  t.throws(() => journal.append(['a\nb']), { message: /line break/ });
  journal.close();
});

test('a memory journal forgets the oldest lines and says from where it can be read', (t) => {
  const journal = memoryJournal(100);
  for (let n = 0; n < 1_000; n += 1) journal.append([String(n)]);
  t.is(journal.count, 1_000);
  t.true(journal.first >= 1_000 - 125 && journal.first <= 900);
  t.deepEqual(journal.read(990, 100), ['990', '991', '992', '993', '994', '995', '996', '997', '998', '999']);
  t.is(journal.read(0, 1)[0], String(journal.first));
});
