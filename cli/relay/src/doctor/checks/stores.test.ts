import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { harness } from '../test/harness.ts';

const elsewhere = { env: { KV_HOST: 'store.example' } };

test('a bus file that takes no records fails, although it can be read', async (t) => {
  const { found, stores } = await harness(t, null);
  const refusal = new RelayError('store_full');
  Object.assign(stores.bus, { publish: () => Promise.reject(refusal) });
  const { ok, of } = await found();
  t.false(ok);
  t.like(of('bus'), [{ status: 'failed', detail: refusal.message }]);
});

test('a store that does not keep what it is given, or has one space for both, fails', async (t) => {
  const { found, stores } = await harness(t, elsewhere);
  const { kv } = stores;
  Object.assign(kv, { config: kv.state });
  t.regex((await found()).of('key-value store')[0]?.remedy ?? '', /must differ/);
  Object.assign(kv, { state: { ...kv.state, get: async () => null } });
  t.regex((await found()).of('key-value store')[0]?.detail ?? '', /cannot be read back/);
});

test('the round trip leaves nothing behind', async (t) => {
  const { found, kv } = await harness(t, elsewhere);
  t.regex((await found()).of('key-value store')[0]?.detail ?? '', /^stores and returns values; databases 0 and 1$/);
  t.deepEqual(await kv.state.list(''), []);
});

const roomy = { maxMemoryBytes: 1_000, evictionPolicy: 'noeviction', appendOnly: null };

for (const [what, server, status, detail] of [
  ['drops keys', { maxMemoryBytes: 1_000, evictionPolicy: 'allkeys-lru' }, 'failed', /allkeys-lru/],
  ['drops keys that have a time', { maxMemoryBytes: 1_000, evictionPolicy: 'volatile-ttl' }, 'failed', /volatile-ttl/],
  ['would drop keys', { maxMemoryBytes: 0, evictionPolicy: 'allkeys-lfu' }, 'warning', /would drop/],
  ['refuses when it is full', { maxMemoryBytes: 1_000, evictionPolicy: 'noeviction' }, 'ok', /stores and returns/],
  ['does not log its writes', { ...roomy, appendOnly: false }, 'warning', /appendonly no/],
  ['logs its writes', { ...roomy, appendOnly: true }, 'ok', /stores and returns/],
  [
    'has another time',
    { maxMemoryBytes: 0, evictionPolicy: 'noeviction', ahead: 120_000 },
    'warning',
    /2 min.* behind/,
  ],
] as const)
  test(`a store whose server ${what} is told of`, async (t) => {
    const { found, stores, shell } = await harness(t, elsewhere);
    const now = shell.clock.now() + ('ahead' in server ? server.ahead : 0);
    Object.assign(stores.kv, { server: async () => ({ ...server, now }) });
    const last = (await found()).of('key-value store').at(-1);
    t.is(last?.status, status);
    t.regex(last?.detail ?? '', detail);
  });
