import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { addressAt, measureStore, notesOf, runUp, settingsToRepeat } from './run.ts';
import { allowed, complete, hostOf, quietPort, shellOf } from './test/start.ts';

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

/** Addresses at which other machines call this one. */
const outerAddresses = Object.values(networkInterfaces()).flatMap((each = []) =>
  each.flatMap(({ address, family, internal }) => (family === 'IPv4' && !internal ? [address] : [])),
);

const reaches = async (host: string, port: string): Promise<boolean> => {
  const socket = connect(Number(port), host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

for (const [what, host, isOpen] of [
  ['without HOST only this machine reaches the services', {}, false],
  ['with HOST=:: other machines reach the services, and the start says so', { HOST: '::' }, true],
] as const)
  test(what, async (t) => {
    const ports = { INGESTER_PORT: await quietPort(), PUSHER_PORT: await quietPort() };
    const shell = shellOf({ ...(await complete(t)).env, ...ports, ...host });
    const up = await runUp(shell, allowed, hostOf());
    t.teardown(() => up.stop());
    t.is(/listen on all addresses of this machine/.test(shell.lines.join('\n')), isOpen);
    for (const port of Object.values(ports)) {
      t.true(await reaches('127.0.0.1', port));
      for (const address of outerAddresses) t.is(await reaches(address, port), isOpen, address);
    }
  });

test('no service is ready before all of up has started', async (t) => {
  const INGESTER_PORT = await quietPort();
  const shell = shellOf({ ...(await complete(t)).env, INGESTER_PORT });
  const ask = async (): Promise<number> => (await fetch(`http://127.0.0.1:${INGESTER_PORT}/readyz`)).status;
  const progress = { over: false };
  const starting = runUp(shell, allowed, hostOf()).finally(() => (progress.over = true));
  const early = new Set<number>();
  while (!progress.over) {
    const status = await ask().catch(() => 0);
    // The last answer may be one of after the start.
    if (!progress.over) early.add(status);
  }
  const up = await starting;
  t.teardown(() => up.stop());
  t.false(early.has(200));
  t.is(await ask(), 200);
});
