import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { measureStore, settingsToRepeat } from './run.ts';

test('only what differs from the defaults is repeated, quoted for a shell', (t) => {
  t.deepEqual(settingsToRepeat({ DATA_DIR: '.data', PUSHER_PORT: 8082 }), []);
  t.deepEqual(settingsToRepeat({ DATA_DIR: "/the park's data", PUSHER_PORT: 18_082 }), [
    `DATA_DIR='/the park'\\''s data'`,
    'PUSHER_PORT=18082',
  ]);
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
