import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import { recordingShell } from '@ranger-relay/terminal/testing';
import type { ExecutionContext } from 'ava';
import { temporaryFolder } from '../../data-dir/test/folder.ts';

/** The integration that has a token. */
export const park = '5e0c3c5e-0000-4000-8000-000000000001';
/** Nothing is lost or damaged here. */
export const allowed = { acceptEmptyBus: false, salvageBus: false };
const ports = ['STATUS_PORT', 'INGESTER_PORT', 'FORWARDER_PORT', 'PUSHER_PORT', 'RUNNER_PORT'] as const;

/** A port that another server has. */
export const listening = async (t: ExecutionContext): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** A free port outside of the range from which systems choose, so that no other test gets it in between. */
export const quietPort = async (): Promise<string> => {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await Promise.race([once(server, 'listening'), once(server, 'error')]).then(
    () => server.listening,
    () => false,
  );
  if (!isFree) return quietPort();
  await once(server.close(), 'close');
  return String(port);
};

/** A complete configuration of a real platform that does not answer, with files and a directory of its own. */
export const complete = async (t: ExecutionContext) => {
  const folder = await temporaryFolder(t);
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const env: Readonly<Record<string, string>> = {
    ...Object.fromEntries(ports.map((name) => [name, '0'])),
    DATA_DIR: join(folder, 'data'),
    WEBHOOK_TOKENS_FILE: await file('tokens.json', JSON.stringify({ [park]: ['first-token'] })),
    AUTH_TOKEN: 'callers-token',
    LOG_LEVEL: 'silent',
    // Our own would ask the platform for a minute, and the process would live as long.
    SCHEDULER: 'platform',
    PLATFORM_API_BASE_URL: 'https://127.0.0.1:1',
    PLATFORM_SENSORS_BASE_URL: 'https://127.0.0.1:1',
    PLATFORM_TOKEN_URL: 'https://127.0.0.1:1/token',
    PLATFORM_CLIENT_ID: 'relay',
    PLATFORM_CLIENT_SECRET: 'relay-secret',
    HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  return { folder, file, env };
};

export type Complete = Awaited<ReturnType<typeof complete>>;

/** A shell on the clock of the system, whose lines can be read. */
export const shellOf = (env: NodeJS.ProcessEnv) => ({
  ...recordingShell({ env }),
  clock: systemClock,
  random: systemRandom,
});

/** A process that gets no signal. */
export const hostOf = () =>
  Object.assign(new EventEmitter(), {
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  }) as unknown as NodeJS.Process;
