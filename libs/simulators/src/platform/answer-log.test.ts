import { join } from 'node:path';
import test from 'ava';
import { fileJournal } from '../journal/file-journal.ts';
import { manualClock } from '../test/manual-clock.ts';
import { scratch } from '../test/harness.ts';
import { createAnswerLog } from './answer-log.ts';

test('an answer is remembered with its end and its time; an undecided one is unknown', (t) => {
  const clock = manualClock(1_000);
  const log = createAnswerLog(clock);
  log.note(0, true);
  clock.advance(5);
  log.note(1, false);
  t.deepEqual(log.get(0), { sent: true, at: 1_000 });
  t.deepEqual(log.get(1), { sent: false, at: 1_005 });
  t.is(log.get(2), undefined);
  t.is(log.last, 1);
});

test('answers are written together after a moment, and known to the next run', (t) => {
  const path = join(scratch(t), 'answers');
  const clock = manualClock();
  const journal = fileJournal(path);
  const log = createAnswerLog(clock, journal);
  log.note(3, true);
  log.note(4, false);
  t.is(journal.count, 0);
  clock.advance(50);
  t.is(journal.count, 2);
  journal.close();
  const next = createAnswerLog(clock, fileJournal(path));
  t.is(next.last, 4);
  t.true(next.get(3)?.sent);
  t.false(next.get(4)?.sent);
});

test('closing writes what waits; what ends later does not touch the closed file', (t) => {
  const path = join(scratch(t), 'answers');
  const clock = manualClock();
  const journal = fileJournal(path);
  const log = createAnswerLog(clock, journal);
  log.note(0, true);
  log.close();
  journal.close();
  log.note(1, true);
  t.notThrows(() => clock.advance(100));
  t.is(fileJournal(path).count, 1);
  t.true(log.get(1)?.sent);
});
