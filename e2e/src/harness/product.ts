import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf, type Form, type Program } from './form.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Below those that the kernel gives to outgoing connections, which take a port while its server is down; above the last one, 10080, that `fetch` calls bad. */
const ports = { from: 10_081, to: 32_000 };

/** The ports that this process has given out: nobody may listen on one of them yet. */
const given = new Set<number>();

/** A port that was free just now, that this process gives out once, and that only a server can come to hold. */
export const freePort = async (host = '127.0.0.1'): Promise<number> => {
  for (;;) {
    const port = randomInt(ports.from, ports.to);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, host, () => resolve(true));
    });
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
};

/** Ports of its own for one machine's whole product, as its variables. */
export const freePorts = async () => ({
  STATUS_PORT: String(await freePort()),
  INGESTER_PORT: String(await freePort()),
  FORWARDER_PORT: String(await freePort()),
  PUSHER_PORT: String(await freePort()),
  RUNNER_PORT: String(await freePort()),
});

/** Output and exit code of a finished command. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started process of the product whose output is collected. */
export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  /** Ends by `signal` and waits for it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  readonly exited: Promise<number | null>;
}

/** How the launcher starts `up`. */
const service = JSON.parse(readFileSync(join(root, 'cli/relay/bin/service-process.json'), 'utf8')) as {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** Environment in which the product runs: nothing of the caller's configuration leaks in. */
const cleanEnv = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  ...service.env,
  NO_COLOR: '1',
  ...env,
});

const relay: Program = { folder: 'cli/relay', name: 'ranger-relay', flags: service.flags };

const maxLength = 20_000_000;

/** Collects what a process prints. */
export const collect = (child: ChildProcess): Started => {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout = (stdout + text).slice(-maxLength)));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-maxLength)));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    output: () => stdout,
    errors: () => stderr,
    exited,
    end(signal) {
      child.kill(signal);
      return exited;
    },
  };
};

/** Waits for the end of a process. */
export const finish = async ({ exited, output, errors }: Omit<Started, 'child' | 'end'>): Promise<Finished> => {
  const code = await exited;
  return { code, stdout: output(), stderr: errors() };
};

/** Ends a child process by a signal, and waits for it; one that has ended is left alone. */
export const endProcess = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
};

/** Starts Node with these arguments in the root of the checkout, with nothing of the caller's environment but where programs and their compiled code lie. */
export const startNode = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Started =>
  collect(spawn(process.execPath, args, { cwd: root, env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] }));

/** Starts `ranger-relay <args>` as a process of its own. */
export const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}, form?: Form): Started =>
  startNode([...commandOf(relay, form), ...args], env);

/** Runs `ranger-relay <args>` to its end. */
export const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> =>
  finish(start(args, env));
