import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { ConsumeOptions, Outcome } from '../port.ts';
import { done, recordAt, start } from './test/small-partition.ts';

test('a call waits until the announcement is stored, and a commit announces no less', async (t) => {
  const gate = Promise.withResolvers<boolean>();
  const stored: string[] = [];
  const w = start(2, async ({ records, announce }) => {
    await announce();
    stored.push(records.map(({ offset }) => offset).join());
    return done(records.length);
  });
  w.source.commitNow = () => gate.promise;
  await w.clock.advance(0);
  t.deepEqual(stored, []);
  gate.resolve(true);
  await w.clock.advance(0);
  t.deepEqual(stored, ['0,1']);
  t.deepEqual([w.commits, w.announced], [[2n], [2n]]);
});

test('what one lane has done takes back no announcement of another one whose call is under way', async (t) => {
  const gate = Promise.withResolvers<void>();
  const w = start(
    1,
    async ({ records, announce, lane }) => {
      await announce();
      await (lane === 'k' ? gate.promise : new Promise<never>(() => undefined));
      return done(records.length);
    },
    { lane: ({ key }) => key },
  );
  w.records.push({ ...recordAt(1), key: 'other' });
  w.partition.notify();
  await w.clock.advance(0);
  t.is(w.announced.at(-1), 2n);
  gate.resolve();
  await w.clock.advance(0);
  t.deepEqual([w.commits.at(-1), w.announced.at(-1)], [1n, 2n]);
});

test('a call waits until its own announcement is stored, also while that of a later record is under way', async (t) => {
  const gate = Promise.withResolvers<boolean>();
  const called: string[] = [];
  const w = start(
    1,
    async ({ records, announce, lane }) => {
      if (lane === 'earlier') await w.clock.sleep(10);
      await announce();
      called.push(lane);
      return done(records.length);
    },
    { lane: ({ key }) => key },
  );
  await w.clock.advance(0);
  w.source.commitNow = () => gate.promise;
  w.records.push({ ...recordAt(1), key: 'earlier' }, { ...recordAt(2), key: 'later' });
  w.partition.notify();
  await w.clock.advance(10);
  t.deepEqual(called, ['k']);
  gate.resolve(true);
  await w.clock.advance(0);
  t.deepEqual(called.toSorted(), ['earlier', 'k', 'later']);
});

test('an announcement that is not stored rejects, and is tried again by the next delivery', async (t) => {
  const failures: unknown[] = [];
  const w = start(1, async ({ announce }) => {
    await announce().catch((error: unknown) => failures.push(error));
    return [{ kind: 'retry', afterMs: 10 }];
  });
  w.faults.store = new RelayError('bus_unavailable', { details: { reason: 'test' } });
  await w.clock.advance(25);
  t.true(failures.length >= 2);
});

test('a handler that throws after its announcement leaves its records as maybe sent', async (t) => {
  const marks: boolean[] = [];
  const w = start(1, async ({ maybeSent, announce }) => {
    marks.push(...maybeSent);
    if (marks.length === 1) throw new Error('before');
    if (marks.length > 2) return done(1);
    await announce();
    throw new Error('after');
  });
  await w.clock.advance(5_000);
  t.deepEqual(marks, [false, false, true]);
});

test('records that an earlier owner had announced are maybe sent', async (t) => {
  const marks: boolean[] = [];
  const w = start(
    3,
    async ({ records, maybeSent }) => (marks.push(...maybeSent), done(records.length)),
    {},
    { maybeSentBelow: 2n },
  );
  await w.clock.advance(0);
  t.deepEqual(marks, [true, true, false]);
});

test('a handler that outlives the deadline of a stop keeps its announcement', async (t) => {
  const w = start(1, async ({ announce }) => {
    await announce();
    return new Promise<never>(() => undefined);
  });
  await w.clock.advance(0);
  const stopping = w.partition.stop(100);
  await w.clock.advance(100);
  await stopping;
  t.is(w.announced.at(-1), 1n);
});

test('an announced batch that is delivered again much later proves again that its partition is owned', async (t) => {
  let refused = 0;
  const w = start(1, async ({ announce, attempt }) => {
    if (attempt === 1) w.faults.store = new RelayError('bus_unavailable', { details: { reason: 'taken over' } });
    await announce().catch(() => (refused += 1));
    return [{ kind: 'retry', afterMs: attempt === 0 ? 60_000 : 600_000 }];
  });
  await w.clock.advance(61_000);
  t.is(refused, 1);
});

test('an announcement says whether the partition is still owned, also where nothing is announced', async (t) => {
  for (const maybeSentAtTakeOver of ['announced', 'undone'] as const) {
    const answers: boolean[] = [];
    const handle = async ({ announce }: Parameters<ConsumeOptions['handle']>[0]): Promise<Outcome[]> => {
      answers.push(await announce());
      return [{ kind: 'retry', afterMs: 10 }];
    };
    const w = start(1, handle, { maybeSentAtTakeOver });
    await w.clock.advance(5);
    w.faults.lost = true;
    await w.clock.advance(10);
    t.deepEqual(answers, [true, false], maybeSentAtTakeOver);
  }
});

test('a record whose commit waits is committed once that ends, and stays maybe sent until then', async (t) => {
  const logged = Promise.withResolvers<void>();
  const w = start(3, async ({ records, announce }) => {
    await announce();
    return records.map(({ offset }) => ({ kind: 'done', ...(offset === 1n && { after: logged.promise }) }));
  });
  await w.clock.advance(0);
  t.is(w.commits.at(-1), 1n);
  logged.resolve();
  await w.clock.advance(0);
  t.is(w.commits.at(-1), 3n);
  const left = start(3, async ({ records, announce }) => {
    await announce();
    return records.map(({ offset }) => ({ kind: 'done', ...(offset === 1n && { after: new Promise<void>(() => 0) }) }));
  });
  await left.clock.advance(0);
  await left.partition.stop(0);
  t.deepEqual([left.commits.at(-1), left.announced.at(-1)], [1n, 2n]);
});
