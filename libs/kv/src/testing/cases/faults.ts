import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isRelayError } from '@ranger-relay/errors';
import type { KvCase } from '../contract.ts';

const acknowledgedBeforeKill = 100;

/** Closing, killing, and a store that does not answer. */
export const faultCases: readonly KvCase[] = [
  {
    name: 'entries and their TTL survive closing and opening again',
    run: async (t, store) => {
      await store.kv.state.set('stays', 'one');
      await store.kv.config.set('long', 'two', { ttlMs: 60_000 });
      await store.kv.state.set('short', 'three', { ttlMs: 1_000 });
      const kv = await store.reopen();
      t.is(await kv.state.get('stays'), 'one');
      t.is(await kv.config.get('long'), 'two');
      await store.advance(1_000);
      t.is(await kv.state.get('short'), null);
      t.is(await kv.config.get('long'), 'two');
    },
  },
  {
    name: 'every answered write survives kill -9 of the process that wrote it',
    run: async (t, store) => {
      if (!store.writer) return void t.pass('the entries end with their process');
      const child = await store.writer();
      const exited = once(child, 'exit');
      const acknowledged: number[] = [];
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
        acknowledged.push(Number(line));
        if (acknowledged.length === acknowledgedBeforeKill) child.kill('SIGKILL');
      }
      t.deepEqual((await exited)[1], 'SIGKILL');
      t.true(acknowledged.length >= acknowledgedBeforeKill);
      const kv = await store.reopen();
      for (const n of acknowledged) t.is(await kv.state.get(`child.${n}`), `${n}`);
    },
  },
  {
    name: 'a call on a store that does not answer rejects at its deadline, and the store works again later',
    run: async (t, store, { deadlineMs }) => {
      await store.kv.state.set('a', 'one');
      t.true(store.kv.ready());
      const release = await store.stall();
      const calls = [store.kv.state.get('a'), store.kv.config.setIfAbsent('b', 'two')];
      const outcomes = Promise.allSettled(calls);
      await store.advance(deadlineMs);
      for (const outcome of await outcomes)
        t.true(outcome.status === 'rejected' && isRelayError(outcome.reason, 'kv_unavailable'));
      t.false(store.kv.ready());
      await release();
      t.is(await store.kv.state.get('a'), 'one');
      t.true(store.kv.ready());
    },
  },
  {
    name: 'after closing, calls reject and the store is not ready',
    run: async (t, { kv }) => {
      await kv.state.set('a', 'one');
      await kv.close();
      t.false(kv.ready());
      const error = await t.throwsAsync(kv.state.get('a'));
      t.true(isRelayError(error, 'kv_unavailable'));
      await t.notThrowsAsync(kv.close());
    },
  },
  {
    name: 'closing answers the calls that were made before',
    run: async (t, store) => {
      const calls = [store.kv.state.set('a', 'one'), store.kv.state.setIfAbsent('b', 'two')];
      await Promise.all([...calls, store.kv.close()]);
      t.is(await (await store.reopen()).state.get('b'), 'two');
    },
  },
];
