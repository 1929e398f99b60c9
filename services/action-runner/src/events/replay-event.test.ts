import { createRuntime, discoverActions, type ExecuteOutcome } from '@ranger-relay/actions';
import { deadLetterOf } from '@ranger-relay/bus';
import { memoryBus } from '@ranger-relay/bus/testing';
import { runActionCommandSchema, type DeadLetter } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { seededRandom, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { factsOf, type DeadLetterRequest } from './dead-letter.ts';
import { action_replay_event, replaySiteEvent } from './replay-event.ts';
import { livingSpace } from '../test/life.ts';
import { createLife } from './test/life.ts';
import { integrationId, harness, type Harness } from './test/harness.ts';

const letterOf = (burial: DeadLetterRequest): DeadLetter =>
  deadLetterOf(factsOf(burial, { integrationId, receivedAt: 0 }), { now: 0, random: seededRandom(1) });

/** The dead letters of the events and changes that were refused so far. */
const lettersOf = ({ deadLettered }: Harness): DeadLetter[] => deadLettered.map(letterOf);

/** Runs the command that a replay of a letter puts on the commands topic. */
const replay = (w: Harness, letter: DeadLetter | undefined): Promise<ExecuteOutcome> => {
  if (!letter) throw new Error('no letter');
  const life = createLife();
  const runtime = createRuntime({
    slug: 'site_connector',
    catalogue: discoverActions({ action_replay_event }),
    integrations: {
      integration: async (id) => ({ id, enabled: true, type: { value: 'site_connector' } }),
      actionConfig: async () => null,
      reload: async () => true,
    },
    activity: { action: () => undefined },
    state: livingSpace(w.store, { live: life.exchange }),
    bus: memoryBus(w.clock),
    context: testContext({ clock: w.clock }),
    tools: { events: w.platform.connect(life) },
    commandsTopic: 'site_connector-actions-topic',
  });
  const command = runActionCommandSchema.parse(JSON.parse(String(replaySiteEvent(letter, w.clock).value)));
  return runtime.execute({
    integration: { id: command.integration_id },
    wanted: { actionId: command.action_id },
    overrides: command.config_overrides ?? null,
    triggeredBy: 'manual',
  });
};

test('an event that the platform refused is sent once its cause is fixed, and later changes go to it', async (t) => {
  const w = harness();
  w.write('e1');
  w.platform.refuses = () => 'its type is not known';
  await w.run();
  const [letter] = lettersOf(w);
  t.is(letter?.kind, 'site_event');
  w.platform.refuses = () => undefined;
  t.like(await replay(w, letter), { kind: 'complete', result: { status: 'created' } });
  t.is(w.platform.ofEvent('e1').length, 1);
  w.write('e1', { state: 'active' });
  await w.run();
  t.is(w.platform.ofEvent('e1').length, 1);
  t.deepEqual(w.platform.ofEvent('e1')[0]?.changes, [{ status: 'active' }]);
  t.like(await replay(w, letter), { kind: 'complete', result: { status: 'known' } });
  t.is(w.platform.ofEvent('e1').length, 1);
});

test('a change that the platform refused is sent to the event that it is of', async (t) => {
  const w = harness();
  w.write('e1');
  await w.run();
  w.write('e1', { title: 'Snare' });
  w.platform.refuses = (item) => ('title' in item && !('recorded_at' in item) ? 'no titles' : undefined);
  await w.run();
  w.platform.refuses = () => undefined;
  t.like(await replay(w, lettersOf(w)[0]), { kind: 'complete', result: { status: 'changed' } });
  t.deepEqual(w.platform.ofEvent('e1')[0]?.changes, [{ title: 'Snare' }]);
});

test('a change that the platform refused does not overwrite what the site has had since', async (t) => {
  const w = harness();
  w.write('e1');
  await w.run();
  w.platform.refuses = (item) => (item['status'] === 'active' ? 'no such state' : undefined);
  w.write('e1', { state: 'active' });
  await w.run();
  w.write('e1', { state: 'resolved' });
  await w.run();
  w.platform.refuses = () => undefined;
  t.like(await replay(w, lettersOf(w)[0]), { kind: 'complete', result: { status: 'outdated' } });
  t.deepEqual(w.platform.ofEvent('e1')[0]?.changes, [{ status: 'resolved' }]);
});

test('of an event that was refused in several versions the last values stand, whatever the order of the replays', async (t) => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const w = harness();
    w.platform.refuses = () => 'its type is not known';
    for (const [title, state, priority] of [
      ['A', 'new', 300],
      ['B', 'resolved', 0],
    ] as const) {
      w.write('e1', { title, state, priority });
      await w.run();
    }
    w.platform.refuses = () => undefined;
    for (const n of order) await replay(w, lettersOf(w)[n]);
    const [stored, ...more] = w.platform.ofEvent('e1');
    t.like(Object.assign({}, stored?.item, ...(stored?.changes ?? [])), {
      title: 'B',
      status: 'resolved',
      priority: 0,
    });
    t.deepEqual(more, []);
  }
});

test('an event whose replayed post the platform dropped as a repeat is posted once more', async (t) => {
  const w = harness();
  w.platform.refuses = () => 'its type is not known';
  w.write('e1', { title: 'A' });
  await w.run();
  w.platform.refuses = () => undefined;
  w.platform.after = () => {
    w.platform.stored.length = 0;
    throw new RelayError('platform_unavailable', { details: { reason: '500' }, ambiguous: true });
  };
  t.like(await replay(w, lettersOf(w)[0]), { kind: 'failed' });
  w.platform.after = () => undefined;
  t.like(await replay(w, lettersOf(w)[0]), { result: { status: 'created' } });
  t.is(w.platform.ofEvent('e1').length, 1);
  w.write('e1', { state: 'active' });
  await w.run();
  t.like(w.platform.ofEvent('e1')[0]?.changes.at(-1), { status: 'active' });
});

test('a change that is refused again in a later version is another letter', async (t) => {
  const w = harness();
  w.write('e1');
  await w.run();
  w.platform.refuses = (item) => (item['status'] === 'active' ? 'no such state' : undefined);
  for (const state of ['active', 'new', 'active']) {
    w.write('e1', { state });
    await w.run();
  }
  t.is(new Set(lettersOf(w).map(({ id }) => id)).size, 2);
});

test('what is refused still fails for good, so that its command is a dead letter', async (t) => {
  const w = harness();
  w.write('e1');
  w.platform.refuses = () => 'its type is not known';
  await w.run();
  for (const namesOffenders of [true, false]) {
    w.platform.namesOffenders = namesOffenders;
    t.like(await replay(w, lettersOf(w)[0]), { kind: 'failed', transient: false });
  }
  t.deepEqual(w.platform.stored, []);
});

test('while a pull of events is under way a replay waits: it may be sending the same event', async (t) => {
  const w = harness();
  w.write('e1');
  w.platform.refuses = () => 'its type is not known';
  await w.run();
  w.platform.refuses = () => undefined;
  const lease = `integration_state.${integrationId}.pull_events.backfill-lock`;
  await w.store.set(lease, 'a pull');
  t.like(await replay(w, lettersOf(w)[0]), { kind: 'refused', error: { code: 'action_already_running' } });
  t.deepEqual(w.platform.stored, []);
  await w.store.delete(lease);
  t.like(await replay(w, lettersOf(w)[0]), { kind: 'complete' });
});

test('a letter that keeps no event can only be dropped', (t) => {
  const w = harness();
  const letter = letterOf({ event: { id: 'e1', updatedAt: null }, item: { a: 1 }, reason: '' });
  for (const bad of [{ headers: {} }, { integration_id: null }, { body_base64: 'bm8=' }, { truncated: true }])
    t.true(
      isRelayError(
        t.throws(() => replaySiteEvent({ ...letter, ...bad }, w.clock)),
        'dead_letter_not_replayable',
      ),
    );
});
