import test from 'ava';
import type { KubeObject } from '@ranger-relay/operator-kit';
import { patrolSyncs } from '../api/group.ts';
import { settled, stalled, type Decision } from '../decide/decision.ts';
import { startWorld, type World } from '../test/world.ts';
import type { ReconcileParts } from './parts.ts';
import { writeStatus } from './write.ts';

const signal = new AbortController().signal;
const decision: Decision<object> = { step: 'Idle', facts: {}, say: settled(true, 'Applied', 'All is there') };

const partsOf = (world: World) => {
  const told: string[] = [];
  const parts = {
    ...world,
    clock: { now: world.now },
    recorder: {
      record: (_r: unknown, _o: unknown, { type, reason }: { type: string; reason: string }) =>
        void told.push(`${type} ${reason}`),
    },
  };
  return { parts: parts as unknown as ReconcileParts, told };
};

const write = (world: World, parts: ReconcileParts, object: KubeObject, made: Decision<object> = decision) =>
  writeStatus(
    parts,
    { resource: patrolSyncs, object, before: (object.status as { conditions?: never } | undefined)?.conditions },
    made,
    signal,
  );

test('a status over an old copy is not written: whoever was faster has written something down', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  const { parts } = partsOf(world);
  const old = world.sync('north');
  t.true(await write(world, parts, old));
  const { step } = world.sync('north').status ?? {};
  t.is(step, 'Idle');
  t.false(await write(world, parts, old, { ...decision, step: 'Stalled' }));
  t.is(world.sync('north').status?.step, 'Idle');
});

test('a status that says the same costs no call, and what changes is told once', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  const { parts, told } = partsOf(world);
  t.true(await write(world, parts, world.sync('north')));
  const calls = world.server.requests.length;
  world.pass(60_000);
  t.true(await write(world, parts, world.sync('north')));
  t.is(world.server.requests.length, calls);
  t.true(await write(world, parts, world.sync('north'), { ...decision, say: stalled('RunFailed', 'It is not whole') }));
  t.true(await write(world, parts, world.sync('north'), { ...decision, say: stalled('RunFailed', 'Still not') }));
  t.deepEqual(told, ['Normal Applied', 'Warning RunFailed']);
});

test('an object that is gone, or another one of its name, is left alone', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  const { parts } = partsOf(world);
  const old = world.sync('north');
  const path = '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north';
  world.server.call('DELETE', path);
  t.false(await write(world, parts, old));
  world.make('north');
  t.false(await write(world, parts, old));
  t.is(world.sync('north').status, undefined);
});
