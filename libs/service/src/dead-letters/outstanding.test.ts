import { memoryBus } from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { markLetter } from './stored.ts';
import { createOutstandingCount, watchOutstandingLetters } from './outstanding.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const iso = new Date(start).toISOString();

interface Letter {
  readonly id: string;
  readonly kind?: string;
  readonly body?: unknown;
}

const letterText = ({ id, kind = 'message', body = {} }: Letter): string =>
  JSON.stringify({
    v: 1,
    id,
    kind,
    integration_id: null,
    reason: 'item_refused',
    detail: '',
    received_at: iso,
    failed_at: iso,
    attempts: 1,
    origin: null,
    headers: {},
    body_base64: Buffer.from(JSON.stringify(body)).toString('base64'),
  });

const harness = (limit?: number) => {
  const clock = manualClock(start);
  const bus = memoryBus(clock);
  const state = memorySpace(clock);
  const count = createOutstandingCount({ bus, state, clock }, limit);
  return {
    clock,
    bus,
    state,
    count,
    numbers: async () => (await count()).map(({ group, letters }) => `${group.kind} ${group.sos} ${letters}`),
    store: (...letters: (Letter | string)[]) =>
      bus.publish(
        topics.deadLetters.name,
        letters.map((each) => ({ key: 'origin', value: typeof each === 'string' ? each : letterText(each) })),
      ),
  };
};

test('a letter is outstanding until a person has replayed or dropped it, and its group then counts 0', async (t) => {
  const { store, numbers, state, clock } = harness();
  await store({ id: 'a' }, { id: 'b' }, { id: 'c', kind: 'command' });
  t.deepEqual(await numbers(), ['message false 2', 'command false 1']);
  await markLetter(state, clock, { id: 'a', attempts: 1 }, 'replayed');
  await markLetter(state, clock, { id: 'c', attempts: 1 }, 'dropped');
  t.deepEqual(await numbers(), ['message false 1', 'command false 0']);
});

test('a letter that holds an SOS is told apart', async (t) => {
  const { store, numbers } = harness();
  await store({ id: 'a', kind: 'webhook_event', body: { imei: '1', messageCode: 4 } });
  await store({ id: 'b', kind: 'webhook_event', body: { imei: '1', messageCode: 0 } });
  t.deepEqual(await numbers(), ['webhook_event true 1', 'webhook_event false 1']);
});

test('what came since the last count is added; a letter stored twice, and what is no letter, count once and not at all', async (t) => {
  const { store, numbers } = harness();
  await store({ id: 'a' }, { id: 'a' }, 'no JSON');
  t.deepEqual(await numbers(), ['message false 1']);
  await store({ id: 'b' });
  t.deepEqual(await numbers(), ['message false 2']);
});

test('letters beyond the retention of their topic are not counted, and no more of them than fit into memory', async (t) => {
  const { store, numbers, clock } = harness(2);
  await store({ id: 'a' }, { id: 'b' }, { id: 'c' });
  t.deepEqual(await numbers(), ['message false 2']);
  clock.jump(topics.deadLetters.retentionMs + 1);
  t.deepEqual(await numbers(), ['message false 0']);
});

test('the gauge follows each minute, also after a store that was away, and ends with the process', async (t) => {
  const clock = manualClock(start);
  const state = memorySpace(clock);
  const { log, lines } = recordingLogger();
  const context = testContext({ clock, log });
  const bus = memoryBus(clock);
  const put = (id: string): Promise<void> =>
    bus.publish(topics.deadLetters.name, [{ key: 'k', value: letterText({ id }) }]);
  watchOutstandingLetters(context, { bus, state });
  const shown = async (): Promise<string | undefined> =>
    /relay_outstanding_dead_letters\{.*\} (\d+)/.exec(await context.metrics.render())?.[1];
  await put('0');
  t.is(await shown(), undefined);
  state.away = true;
  await clock.advance(60_000);
  t.is(lines.length, 1);
  state.away = false;
  await clock.advance(60_000);
  t.is(await shown(), '1');
  await context.lifecycle.stop();
  await put('1');
  await clock.advance(120_000);
  t.is(await shown(), '1');
});
