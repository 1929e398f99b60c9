import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { addressAt, measureStore, notesOf, settingsToRepeat } from './run.ts';

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

test('a store that answers and takes no writes is shown as one that works no more', async (t) => {
  const context = testContext();
  const { service, conditions, metrics } = context;
  measureStore(context, { ready: () => true });
  const shown = async () => valueOf(await metrics.render(), 'relay_store_ready{store="file"}');
  conditions.set('store_write_failing', service);
  t.is(await shown(), 0);
  conditions.clear('store_write_failing', service);
  t.is(await shown(), 1);
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

test('a start notes what its configuration leaves out, as a check warns of it', async (t) => {
  const path = join(await temporaryFolder(t), 'tokens.json');
  await writeFile(path, '{}');
  const notes = notesOf({ WEBHOOK_AUTH: 'token', WEBHOOK_TOKENS_FILE: path }, ['of a store'], false);
  t.is(notes.length, 3);
  t.regex(notes[1] ?? '', /^In WEBHOOK_TOKENS_FILE no integration has a token/);
  t.regex(notes[2] ?? '', /AUTH_TOKEN is not set/);
});
