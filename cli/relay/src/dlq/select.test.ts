import test from 'ava';
import { checkChoice, chooseLetters, liveLetters } from './select.ts';
import { letter, harness } from './test/harness.ts';

const none = { integration: undefined, kind: undefined, reason: undefined };

const stores = async () => {
  const { bus, kv, clock, store } = harness();
  await store(letter({ id: 'a' }), letter({ id: 'b', kind: 'webhook_body' }), letter({ id: 'c' }));
  await kv.state.set('dlq.c', '{"state":"dropped","at":"2026-01-01T00:00:00.000Z","attempts":1}');
  return { bus, state: kv.state, clock };
};

test('only live letters can be chosen', async (t) => {
  const { heads } = await liveLetters(await stores());
  t.deepEqual(
    heads.map(({ id }) => id),
    ['a', 'b'],
  );
});

test('named letters come oldest first whatever the order of their names, each once', async (t) => {
  const { heads, unknown } = await chooseLetters(await stores(), { ids: ['b', 'a', 'b'], all: false, ...none });
  t.deepEqual(
    heads.map(({ id }) => id),
    ['a', 'b'],
  );
  t.deepEqual(unknown, []);
});

test('names that no live letter has are told, those of dropped letters too', async (t) => {
  const { heads, unknown } = await chooseLetters(await stores(), { ids: ['c', 'x', 'a'], all: false, ...none });
  t.deepEqual(
    heads.map(({ id }) => id),
    ['a'],
  );
  t.deepEqual(unknown, ['c', 'x']);
});

test('all that fit every given member are chosen', async (t) => {
  const of = { ids: [], all: true, ...none };
  const ids = async (more: object) =>
    (await chooseLetters(await stores(), { ...of, ...more })).heads.map(({ id }) => id);
  t.deepEqual(await ids({}), ['a', 'b']);
  t.deepEqual(await ids({ kind: 'webhook_body' }), ['b']);
  t.deepEqual(await ids({ kind: 'webhook_body', reason: 'other' }), []);
});

test('a choice must be names or all, and a filter goes with all', (t) => {
  t.notThrows(() => checkChoice({ ids: ['a'], all: false }));
  t.notThrows(() => checkChoice({ ids: [], all: true, kind: 'message' }));
  t.throws(() => checkChoice({ ids: [], all: false }), { message: /pass --all/ });
  t.throws(() => checkChoice({ ids: ['a'], all: true }), { message: /not both/ });
  t.throws(() => checkChoice({ ids: ['a'], all: false, integration: 'x' }), { message: /require --all/ });
  t.throws(() => checkChoice({ ids: [], all: false, reason: 'x' }), { message: /pass --all/ });
});
