import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { readEvent } from '../mapping/site-event.ts';
import { largestFile } from './files.ts';
import { createLife } from '../events/test/life.ts';
import { siteError } from '../events/test/fake-site.ts';
import { harness, type Harness } from '../events/test/harness.ts';

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
  await w.run(withFiles);
  t.deepEqual(names(w), ['a.jpg', 'b.jpg']);
  t.like(w.platform.stored[0]?.files[0], { type: 'image/jpeg', bytes: Buffer.from('bytes of a') });
  t.deepEqual(w.kept('e1')?.['seen_file_ids'], ['a', 'b']);
  w.site.files['/files/c'] = Buffer.from('c');
  w.write('e1', { files: ['a', 'b', 'c'].map(file) });
  await w.run(withFiles);
  t.deepEqual(names(w), ['a.jpg', 'b.jpg', 'c.jpg']);
  t.deepEqual(w.platform.stored[0]?.changes, []);
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
  await w.run();
  t.deepEqual(names(w), []);
  t.is(w.site.asked.find(({ path }) => path === 'activity/events')?.query['include_files'], 'false');
});

test('20 MB pass; a larger one is told of, counts as seen and is not asked for again', async (t) => {
  const w = start('a', 'b', 'c');
  w.site.files['/files/a'] = Buffer.alloc(largestFile);
  w.site.files['/files/b'] = Buffer.alloc(largestFile + 1);
  await w.run(withFiles);
  t.deepEqual(names(w), ['a.jpg', 'c.jpg']);
  t.deepEqual(w.titles(), ['warning A file is larger than 20 MB and is not copied']);
  w.write('e1');
  await w.run(withFiles);
  t.is(w.entries.length, 1);
});

const failures: readonly (readonly [string, (w: Harness) => void])[] = [
  ['the site does not have it', (w) => delete w.site.files['/files/a']],
  ['the platform refuses it', (w) => (w.platform.refuses = (item) => (item['file'] === 'a.jpg' ? 'no' : undefined))],
];
for (const [what, fail] of failures)
  test(`a file that is not taken is tried again at the next change, and holds up nothing: ${what}`, async (t) => {
    const w = start('a', 'b');
    fail(w);
    await w.run(withFiles);
    t.deepEqual(names(w), ['b.jpg']);
    t.is(w.bus.undone().length, 0);
    w.platform.refuses = () => undefined;
    w.site.files['/files/a'] = Buffer.from('a');
    await w.run({ ...withFiles, force_run_since_start: true });
    t.deepEqual(names(w), ['b.jpg']);
    w.write('e1');
    await w.run(withFiles);
    t.deepEqual(names(w), ['b.jpg', 'a.jpg']);
  });

const minutes = 60_000;
/** Requests of files, all of which the site answers so. */
const answering = (w: Harness, answer: () => void): string[] => {
  const asked: string[] = [];
  w.site.before = (path) => {
    if (!path.startsWith('/files/')) return;
    asked.push(path);
    answer();
  };
  return asked;
};

test('a site that does not answer for files is asked once a pause, delays no event, and its files come once when it does', async (t) => {
  const w = start('a', 'b');
  for (const id of ['e2', 'e3']) w.write(id, { files: [file('a')] });
  const asked = answering(w, () => {
    throw siteError('site_unavailable');
  });
  await w.run(withFiles);
  t.is(asked.length, 1);
  t.is(w.platform.stored.length, 3);
  w.write('e4');
  await w.run(withFiles);
  t.is(w.platform.ofEvent('e4').length, 1);
  t.is(asked.length, 1);
  w.clock.jump(5 * minutes);
  await w.deliver();
  t.is(asked.length, 2, 'by one of the events that wait');
  answering(w, () => undefined);
  w.clock.jump(5 * minutes);
  await w.deliver();
  t.deepEqual(names(w).toSorted(), ['a.jpg', 'a.jpg', 'a.jpg', 'b.jpg']);
  t.is(w.bus.undone().length, 0);
  t.deepEqual(w.deadLettered, []);
});

test('an event whose file the site never returns becomes a dead letter by the limits of all events', async (t) => {
  const w = start('a');
  answering(w, () => {
    throw siteError('site_unavailable');
  });
  for (let n = 0; n < 5; n += 1) {
    t.deepEqual(w.deadLettered, []);
    await w.run(withFiles);
    w.write(`later-${n}`);
    w.clock.jump(5 * minutes);
  }
  t.like(w.deadLettered, [{ kind: 'site_event', reason: 'site_unavailable', headers: { event: 'e1' } }]);
  t.is(w.bus.undone().length, 0);
  t.true(
    w.titles().includes('warning The site does not return a file of an event; replay its dead letter once it does'),
  );
});

test('files wait while the platform does not say how their site is reached', async (t) => {
  const w = start('a');
  const { connect } = w.site;
  let connections = 0;
  w.site.connect = (life) => {
    connections += 1;
    if (connections > 1) throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
    return connect(life);
  };
  await w.run(withFiles);
  t.is(w.bus.undone().length, 1);
  w.site.connect = connect;
  w.clock.jump(5 * minutes);
  await w.deliver();
  t.deepEqual(names(w), ['a.jpg']);
  t.is(w.bus.undone().length, 0);
});

test('a file waits for a platform that is away, and comes once', async (t) => {
  const w = start('a', 'b');
  w.platform.before = (call) => {
    if (call === 'attach') throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
  };
  await w.run(withFiles);
  t.deepEqual(names(w), []);
  w.platform.before = () => undefined;
  await w.deliver();
  t.deepEqual(names(w), ['a.jpg', 'b.jpg']);
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

test('a process that loses its partition while a file goes sends nothing more, and the next owner goes on', async (t) => {
  const w = start('a', 'b');
  const end = new AbortController();
  w.signal = end.signal;
  w.platform.after = (call) => call === 'attach' && end.abort(new Error('over'));
  await w.run(withFiles);
  t.deepEqual(names(w), ['a.jpg']);
  w.platform.after = () => undefined;
  w.signal = new AbortController().signal;
  await w.deliver();
  t.deepEqual(names(w), ['a.jpg', 'a.jpg', 'b.jpg']);
});
