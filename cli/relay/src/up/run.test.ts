import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { addressAt, measureStore, settingsToRepeat } from './run.ts';

test('only what differs from the defaults is repeated, quoted for a shell', (t) => {
  t.deepEqual(settingsToRepeat({ DATA_DIR: '.data' }), []);
  t.deepEqual(settingsToRepeat({ DATA_DIR: "/the park's data" }), [`DATA_DIR='/the park'\\''s data'`]);
});

const valueOf = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

test('a store that works no more is shown', async (t) => {
  const context = testContext();
  let works = true;
  measureStore(context, { ready: () => works });
  const shown = async () => valueOf(await context.metrics.render(), 'relay_store_ready{store="file"}');
  t.is(await shown(), 1);
  works = false;
  t.is(await shown(), 0);
});

test('addresses are those that a caller on this machine reaches', (t) => {
  for (const [host, address] of [
    ['127.0.0.1', 'http://127.0.0.1:8081'],
    ['::', 'http://127.0.0.1:8081'],
    ['0.0.0.0', 'http://127.0.0.1:8081'],
    ['10.1.2.3', 'http://10.1.2.3:8081'],
    ['fd00::1', 'http://[fd00::1]:8081'],
  ] as const)
    t.is(addressAt(host, 8081), address);
});
