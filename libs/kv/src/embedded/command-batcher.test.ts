import { setImmediate as turn } from 'node:timers/promises';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { SqlRow, SqlWrite } from '@ranger-relay/sqlite';
import test from 'ava';
import { createCommandBatcher } from './command-batcher.ts';

type Rows = readonly SqlRow[];

/** Answers each run with its own parameter, when told to. */
const recordingCarry = () => {
  const units: (readonly SqlWrite[])[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const carry = async (unit: readonly SqlWrite[]): Promise<readonly Rows[]> => {
    units.push(unit);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return unit.flatMap(({ params }) => params.map(([value]) => [{ value: value ?? null }]));
  };
  return { units, gates, carry };
};

test('calls made together are one unit, neighbours of one statement one entry of it', async (t) => {
  const { units, gates, carry } = recordingCarry();
  const turns = createCommandBatcher(carry, 100);
  const calls = [turns.run('A', [1]), turns.run('A', [2]), turns.run('B', [3]), turns.run('A', [4])];
  await turn();
  t.deepEqual(units, [
    [
      { sql: 'A', params: [[1], [2]] },
      { sql: 'B', params: [[3]] },
      { sql: 'A', params: [[4]] },
    ],
  ]);
  gates[0]?.resolve();
  t.deepEqual(await Promise.all(calls), [[{ value: 1 }], [{ value: 2 }], [{ value: 3 }], [{ value: 4 }]]);
});

test('a later turn is a unit of its own that does not wait for the one before', async (t) => {
  const { units, gates, carry } = recordingCarry();
  const turns = createCommandBatcher(carry, 100);
  const first = turns.run('A', [1]);
  await turn();
  const second = turns.run('A', [2]);
  await turn();
  t.is(units.length, 2);
  gates[1]?.resolve();
  t.deepEqual(await second, [{ value: 2 }]);
  gates[0]?.resolve();
  t.deepEqual(await first, [{ value: 1 }]);
});

test('a failing unit rejects its own calls and no others', async (t) => {
  const { gates, carry } = recordingCarry();
  const turns = createCommandBatcher(carry, 100);
  const failing = [turns.run('A', [1]), turns.run('B', [2])];
  const outcomes = Promise.allSettled(failing);
  await turn();
  const next = turns.run('A', [3]);
  await turn();
  const cause = new RelayError('kv_unavailable', { details: { reason: 'x' } });
  gates[0]?.reject(cause);
  gates[1]?.resolve();
  t.deepEqual(
    (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason === cause),
    [true, true],
  );
  t.deepEqual(await next, [{ value: 3 }]);
});

test('more than the permitted number of waiting calls is refused at once, until some are answered', async (t) => {
  const { units, gates, carry } = recordingCarry();
  const turns = createCommandBatcher(carry, 2);
  const taken = [turns.run('A', [1]), turns.run('A', [2])];
  const refused = await t.throwsAsync(turns.run('A', [3]), { message: /2 calls are already waiting/ });
  t.true(isRelayError(refused, 'kv_unavailable'));
  t.is(units[0]?.[0]?.params.length, 2);
  gates[0]?.resolve();
  await Promise.all(taken);
  const later = turns.run('A', [4]);
  await turn();
  gates[1]?.resolve();
  t.deepEqual(await later, [{ value: 4 }]);
});

test('a failed unit gives its places free', async (t) => {
  const { gates, carry } = recordingCarry();
  const turns = createCommandBatcher(carry, 1);
  const first = turns.run('A', [1]);
  await turn();
  gates[0]?.reject(new Error('no'));
  await t.throwsAsync(first);
  const second = turns.run('A', [2]);
  await turn();
  gates[1]?.resolve();
  t.deepEqual(await second, [{ value: 2 }]);
});

test('closing waits for the calls under way and refuses later ones', async (t) => {
  const { gates, carry } = recordingCarry();
  const turns = createCommandBatcher(carry, 100);
  const call = turns.run('A', [1]);
  const closing = turns.close();
  await t.throwsAsync(turns.run('A', [2]), { message: /closed/ });
  t.is(await Promise.race([closing, turn('waiting')]), 'waiting');
  gates[0]?.resolve();
  await closing;
  t.deepEqual(await call, [{ value: 1 }]);
});
