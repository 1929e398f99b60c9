import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { readEvent } from './site-event.ts';
import { largestFile } from './take.ts';
import { createLife } from './test/life.ts';
import { harness, type Harness } from './test/harness.ts';

const withFiles = { include_attachments: true };
const file = (id: string) => ({ id, url: `/files/${id}`, filename: `${id}.jpg` });

const names = (w: Harness): string[] => w.platform.stored.flatMap(({ files }) => files.map(({ name }) => name));

const start = (...ids: string[]): Harness => {
  const w = harness();
  for (const id of ids) w.site.files[`/files/${id}`] = Buffer.from(`bytes of ${id}`);
  w.write('e1', { files: ids.map(file) });
  return w;
};

test('one upload for each file, with its name, type and bytes; it is seen then', async (t) => {
  const w = start('a', 'b');
  t.like(await w.run(withFiles), { attachments_forwarded: 2, events_extracted: 1 });
  t.deepEqual(names(w), ['a.jpg', 'b.jpg']);
  t.like(w.platform.stored[0]?.files[0], { type: 'image/jpeg', bytes: Buffer.from('bytes of a') });
  t.deepEqual(w.kept('e1')?.['seen_file_ids'], ['a', 'b']);
  w.site.files['/files/c'] = Buffer.from('c');
  w.write('e1', { files: ['a', 'b', 'c'].map(file) });
  t.like(await w.run(withFiles), { attachments_forwarded: 1, events_updated: 0 });
});

test('a file with an ending that nobody knows is bytes, also when every object has a member of that name', (t) => {
  for (const ending of ['what', 'constructor', 'toString', '__proto__'])
    t.is(
      readEvent({ id: 'e', files: [{ ...file('a'), filename: `a.${ending}` }] })?.files[0]?.type,
      'application/octet-stream',
    );
});

test('without include_attachments no file is asked for or sent', async (t) => {
  const w = start('a');
  t.like(await w.run(), { attachments_forwarded: 0 });
  t.is(w.site.asked.find(({ path }) => path === 'activity/events')?.query['include_files'], 'false');
});

test('20 MB pass; a larger one is told of, counts as seen and is not asked for again', async (t) => {
  const w = start('a', 'b', 'c');
  w.site.files['/files/a'] = Buffer.alloc(largestFile);
  w.site.files['/files/b'] = Buffer.alloc(largestFile + 1);
  t.like(await w.run(withFiles), { attachments_forwarded: 2 });
  t.deepEqual(names(w), ['a.jpg', 'c.jpg']);
  t.deepEqual(w.titles(), ['warning A file is larger than 20 MB and is not copied']);
  w.write('e1');
  await w.run(withFiles);
  t.is(w.entries.length, 1);
});

const failures: readonly (readonly [string, (w: Harness) => void])[] = [
  ['the site does not have it', (w) => delete w.site.files['/files/a']],
  ['the platform refuses it', (w) => (w.platform.refuses = (item) => (item['file'] === 'a.jpg' ? 'no' : undefined))],
  [
    'the platform is away',
    (w) =>
      (w.platform.before = (call, what) => {
        if (call === 'attach' && what['file'] === 'a.jpg')
          throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
      }),
  ],
];
for (const [what, fail] of failures)
  test(`a failed file is tried again at the next change, and holds up nothing: ${what}`, async (t) => {
    const w = start('a', 'b');
    fail(w);
    t.like(await w.run(withFiles), { attachments_forwarded: 1 });
    t.truthy(w.kept(), 'the run is complete');
    w.platform.refuses = () => undefined;
    w.platform.before = () => undefined;
    w.site.files['/files/a'] = Buffer.from('a');
    t.like(await w.run({ ...withFiles, force_run_since_start: true }), { attachments_forwarded: 0 });
    w.write('e1');
    t.like(await w.run(withFiles), { attachments_forwarded: 1 });
    t.deepEqual(names(w), ['b.jpg', 'a.jpg']);
  });

test('a run killed between the files sends the rest in the next run, without a change at the site', async (t) => {
  for (let at = 0; at < 40; at += 1) {
    const w = start('a', 'b', 'c');
    await w.run(withFiles, createLife(at, true));
    await w.run(withFiles);
    t.deepEqual([...new Set(names(w))].toSorted(), ['a.jpg', 'b.jpg', 'c.jpg'], `killed at ${at}`);
    t.true(names(w).length <= 4);
  }
});

test('an event that the platform lost is posted again for its file; while that fails, the run does', async (t) => {
  const w = start('a');
  for (let at = 0; at < 60 && w.platform.stored.length === 0; at += 1) {
    w.store.entries.clear();
    await w.run(withFiles, createLife(at, true));
  }
  let posts = 0;
  w.platform.before = (call) => {
    if (call === 'post' && (posts += 1) === 2)
      throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
  };
  await t.throwsAsync(w.run(withFiles));
  t.is(w.kept(), null);
  t.like(await w.run(withFiles), { attachments_forwarded: 1 });
  t.deepEqual(names(w), ['a.jpg']);
  t.is(w.platform.stored.length, 2);
});

test('a run that is aborted while a file goes fails, and the next one goes on', async (t) => {
  const w = start('a', 'b');
  const end = new AbortController();
  w.signal = end.signal;
  w.platform.after = (call) => call === 'attach' && end.abort(new Error('over'));
  await t.throwsAsync(w.run(withFiles), { message: 'over' });
  t.is(w.kept(), null);
  w.signal = new AbortController().signal;
  t.like(await w.run(withFiles), { attachments_forwarded: 2 });
});
