import test from 'ava';
import { settingsToRepeat } from './repeat.ts';

test('only what differs from the defaults is repeated, quoted for a shell', (t) => {
  t.deepEqual(settingsToRepeat({ DATA_DIR: '.data', PUSHER_PORT: 8082 }), []);
  t.deepEqual(settingsToRepeat({ DATA_DIR: "/the park's data", PUSHER_PORT: 18_082 }), [
    `DATA_DIR='/the park'\\''s data'`,
    'PUSHER_PORT=18082',
  ]);
});
