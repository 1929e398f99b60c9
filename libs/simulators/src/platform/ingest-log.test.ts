import { join } from 'node:path';
import test from 'ava';
import { bodyOf, first, message, observation, scratch, second, startHarness, until } from '../test/harness.ts';
import type { IngestLogPage } from './ingest-log.ts';

test('the ingest log writes down everything that comes, in order, before dedup', async (t) => {
  const harness = await startHarness(t);
  await harness.post('/v2/observations/', [observation(1), observation(1)]);
  await harness.post('/v2/messages/', [message(1)], 'key-2');
  await harness.post('/v2/observations/', [observation(2)], 'wrong');
  const { entries, next, end } = harness.platform.ingestLog.read();
  t.deepEqual(
    entries.map(({ seq, request, integration, kind, outcome, status }) => [
      seq,
      request,
      integration,
      kind,
      outcome,
      status,
    ]),
    [
      [0, 0, first, 'observation', 'stored', 200],
      [1, 0, first, 'observation', 'duplicate', 200],
      [2, 1, second, 'message', 'stored', 200],
      [3, 2, null, 'observation', 'refused', 401],
    ],
  );
  t.deepEqual(entries[2]?.item, message(1));
  t.is(entries[0]?.at, harness.clock.now());
  t.deepEqual([next, end], [4, 4]);
});

test('the ingest log knows when an answer had left', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'slow', ms: 500 });
  const asked = harness.post('/v2/observations/', [observation()]);
  await harness.clock.toNextTimer();
  await asked;
  await until(() => harness.platform.ingestLog.read().entries[0]?.answered === true);
  t.is(harness.platform.ingestLog.read().entries[0]?.answered_at, harness.clock.now());
});

test('the ingest log knows where a call came from', async (t) => {
  const harness = await startHarness(t);
  await harness.post('/v2/observations/', [observation()]);
  t.is(harness.platform.ingestLog.read().entries[0]?.caller, '127.0.0.1');
});

test('pages lead through the whole log, also with a narrow filter', async (t) => {
  const harness = await startHarness(t, { stateFile: join(scratch(t), 'ingest-log') });
  for (let chunk = 0; chunk < 12; chunk += 1)
    await harness.post(
      '/v2/observations/',
      Array.from({ length: 100 }, (_, n) => observation(chunk * 100 + n)),
    );
  await harness.post('/v2/messages/', [message(1)]);
  const seen: number[] = [];
  for (let since = 0; ;) {
    const page = bodyOf<IngestLogPage>(await harness.call('GET', `/_sim/ingest-log?since=${since}&limit=250`));
    seen.push(...page.entries.map(({ seq }) => seq));
    since = page.next;
    if (page.next === page.end) break;
  }
  t.deepEqual(
    seen,
    Array.from({ length: 1_201 }, (_, n) => n),
  );
  const messages = bodyOf<IngestLogPage>(await harness.call('GET', '/_sim/ingest-log?kind=message'));
  t.deepEqual(
    messages.entries.map(({ seq }) => seq),
    [1_200],
  );
});

test('items of one outcome and integration are read apart from others', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'status', status: 500, count: 1 });
  await harness.post('/v2/observations/', [observation(1)]);
  await harness.post('/v2/observations/', [observation(1)]);
  const { entries } = bodyOf<IngestLogPage>(
    await harness.call('GET', `/_sim/ingest-log?outcome=stored&integration=${first}`),
  );
  t.deepEqual(
    entries.map(({ seq, status }) => [seq, status]),
    [[1, 200]],
  );
});

test('the latest lines are at hand, filtered', async (t) => {
  const harness = await startHarness(t);
  await harness.post('/v2/observations/', [observation(1), observation(2), observation(3)]);
  await harness.post('/v2/messages/', [message(1)]);
  t.deepEqual(
    harness.platform.ingestLog.recent(2).map(({ seq }) => seq),
    [2, 3],
  );
  t.deepEqual(
    harness.platform.ingestLog.recent(2, { kind: 'observation' }).map(({ seq }) => seq),
    [1, 2],
  );
});

test('without a file the log is bounded and says what it forgot', async (t) => {
  const harness = await startHarness(t, { ingestLogLimit: 100 });
  for (let chunk = 0; chunk < 5; chunk += 1)
    await harness.post(
      '/v2/observations/',
      Array.from({ length: 100 }, (_, n) => observation(chunk * 100 + n)),
    );
  const page = harness.platform.ingestLog.read();
  t.is(page.end, 500);
  t.true(page.first > 0);
  t.is(page.entries[0]?.seq, page.first);
  t.is(harness.platform.stats().items['observation']?.arrived, 500);
});
