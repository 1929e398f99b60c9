import { tmpdir } from 'node:os';
import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createContexts } from './contexts.ts';
import { measureStore, measureVolume } from './measure-stores.ts';

const valueOf = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

test('the volume of the data directory shows its size and what is left', async (t) => {
  const context = testContext();
  measureVolume(context, tmpdir());
  const text = await context.metrics.render();
  const size = valueOf(text, 'relay_volume_size_bytes{volume="data"}') ?? 0;
  const free = valueOf(text, 'relay_volume_free_bytes{volume="data"}') ?? -1;
  t.true(size > 0);
  t.true(free >= 0 && free <= size);
});

test('a directory that cannot be looked at shows nothing, and the scrape goes on', async (t) => {
  const context = testContext();
  measureVolume(context, '/no/such/place');
  t.is(valueOf(await context.metrics.render(), 'relay_volume_size_bytes{volume="data"}'), undefined);
});

test('a store that works no more is shown', async (t) => {
  const context = testContext();
  let works = true;
  measureStore(context, { ready: () => works });
  const shown = async () => valueOf(await context.metrics.render(), 'relay_store_ready{store="file"}');
  t.is(await shown(), 1);
  works = false;
  t.is(await shown(), 0);
});

test('what bus, store and platform count is shown on the forwarder’s port, and nowhere twice', async (t) => {
  const contexts = createContexts({ LOG_LEVEL: 'silent' } as Parameters<typeof createContexts>[0], () => undefined);
  contexts.of('platform').metrics.count('relay_config_stale_total');
  contexts.of('up').metrics.set('relay_store_ready', 1, { store: 'file' });
  const forwarder = await contexts.of('observation-forwarder').metrics.render();
  t.is(valueOf(forwarder, 'relay_config_stale_total'), 1);
  t.is(valueOf(forwarder, 'relay_store_ready{store="file"}'), 1);
  for (const service of ['webhook-ingester', 'message-pusher', 'action-runner']) {
    const text = await contexts.of(service).metrics.render();
    t.is(valueOf(text, 'relay_config_stale_total'), 0, service);
    t.is(valueOf(text, 'relay_store_ready{store="file"}'), undefined, service);
  }
});
