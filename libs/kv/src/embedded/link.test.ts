import { isRelayError, RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createLink } from './link.ts';
import { fakeFile, type FakeFile } from './test/fake-file.ts';

const unit = [{ sql: 'SELECT 1', params: [[]] }];

const harness = async () => {
  const files: FakeFile[] = [];
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const open = async (): Promise<FakeFile> => {
    const file = fakeFile();
    files.push(file);
    return file;
  };
  const link = await createLink({ open, clock, log, deadlineMs: 2_000 });
  const file = files[0] as FakeFile;
  const fail = (error: unknown): void => {
    file.answer = async () => {
      throw error;
    };
  };
  const messages = (level: string): unknown[] => lines.filter((line) => line['level'] === level).map((l) => l['msg']);
  return { link, file, files, clock, fail, messages };
};

test('a failure is kv_unavailable, whatever the file said, with its reason and cause', async (t) => {
  const { link, fail } = await harness();
  const cause = new RelayError('store_full', { details: { path: '/d/kv.sqlite' } });
  fail(cause);
  const error = await t.throwsAsync(link.carry(unit), { message: /The disk of \/d\/kv\.sqlite is full/ });
  t.true(isRelayError(error, 'kv_unavailable'));
  t.is(error?.cause, cause);
});

test('the reason of an unexpected error is the error of the file', async (t) => {
  const { link, fail } = await harness();
  fail(new RelayError('internal', { cause: new Error('no such table: entries') }));
  await t.throwsAsync(link.carry(unit), { message: /no such table: entries/ });
});

test('from a failure until a unit works again the store is not ready', async (t) => {
  const { link, file, fail } = await harness();
  const works = file.answer;
  t.true(link.ready());
  fail(new RelayError('deadline_exceeded', { details: { what: 'x', ms: 1 } }));
  await t.throwsAsync(link.carry(unit));
  t.false(link.ready());
  file.answer = works;
  await link.carry(unit);
  t.true(link.ready());
});

test('the store recovers by itself, without calls', async (t) => {
  const { link, file, fail, clock } = await harness();
  const works = file.answer;
  fail(new Error('away'));
  await t.throwsAsync(link.carry(unit));
  await clock.advance(3_000);
  t.false(link.ready());
  t.is(file.units.length, 4);
  file.answer = works;
  await clock.advance(1_000);
  t.true(link.ready());
  await clock.advance(60_000);
  t.is(file.units.length, 5, 'a working store is not probed');
});

test('an outage is said once when it begins and once when it ends', async (t) => {
  const { link, file, fail, clock, messages } = await harness();
  const works = file.answer;
  fail(new Error('away'));
  for (let call = 0; call < 3; call++) await t.throwsAsync(link.carry(unit));
  await clock.advance(5_000);
  t.deepEqual(messages('warn'), ['the key-value store does not answer; events are sent without deduplication']);
  file.answer = works;
  await clock.advance(1_000);
  t.deepEqual(messages('info'), ['the key-value store works again']);
  fail(new Error('away'));
  await t.throwsAsync(link.carry(unit));
  t.is(messages('warn').length, 1, 'one that comes and goes is a line a minute');
  await clock.advance(60_000);
  file.answer = works;
  await clock.advance(1_000);
  fail(new Error('away'));
  await t.throwsAsync(link.carry(unit));
  t.is(messages('warn').length, 2);
});

for (const [what, lose] of [
  ['whose worker died', (file: FakeFile) => file.die()],
  ['that turned out damaged', () => undefined],
] as const)
  test(`a file ${what} is opened again`, async (t) => {
    const { link, file, files, fail, clock } = await harness();
    fail(new RelayError('store_damaged', { details: { path: 'p', problem: 'x', remedy: 'y' } }));
    lose(file);
    await t.throwsAsync(link.carry(unit));
    await clock.advance(1_000);
    t.is(files.length, 2);
    t.true(file.closed());
    t.true(link.ready());
    await link.carry(unit);
    t.is(files[1]?.units.length, 2);
  });

test('a file that only failed stays open', async (t) => {
  const { link, files, fail, clock } = await harness();
  fail(new RelayError('store_full', { details: { path: 'p' } }));
  await t.throwsAsync(link.carry(unit));
  await clock.advance(10_000);
  t.is(files.length, 1);
});

test('a closed link is not ready, closes its file and probes no more', async (t) => {
  const { link, file, fail, clock } = await harness();
  fail(new Error('away'));
  await t.throwsAsync(link.carry(unit));
  await link.close();
  t.false(link.ready());
  t.true(file.closed());
  await clock.advance(10_000);
  t.is(file.units.length, 1);
  t.is(clock.pending(), 0);
});
