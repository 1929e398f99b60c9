import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { type Certificates, makeCertificates } from './certificates.ts';
import { endProcess, freePort } from './product.ts';
import { until } from './until.ts';

/** Where to talk to. */
export interface TalkTo {
  readonly port: number;
  readonly password?: string;
  /** Certificate authority (PEM) of a server that speaks TLS. */
  readonly ca?: string;
}

const encode = (args: readonly string[]): string =>
  `*${args.length}\r\n${args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')}`;

/** The first answer in the bytes and what follows it; undefined while it is not whole. Lists are not understood. */
const decode = (bytes: Buffer): { text: string; rest: Buffer } | undefined => {
  const end = bytes.indexOf('\r\n');
  if (end < 0) return undefined;
  const line = bytes.toString('utf8', 0, end);
  if (!line.startsWith('$')) return { text: line, rest: bytes.subarray(end + 2) };
  const length = Math.max(0, Number(line.slice(1)));
  if (bytes.length < end + 2 + length + 2) return undefined;
  return { text: ` ${bytes.toString('utf8', end + 2, end + 2 + length)}`, rest: bytes.subarray(end + length + 4) };
};

const answers = async (socket: Socket, count: number): Promise<string[]> => {
  const found: string[] = [];
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    for (let next = decode(bytes); next; next = decode(bytes)) {
      found.push(next.text);
      bytes = next.rest;
    }
    if (found.length >= count) return found;
  }
  throw new Error('the server closed the connection');
};

/** Sends one command on a connection of its own, past the adapter. Its answer as text, without its mark. */
export const talk = async ({ port, password, ca }: TalkTo, ...command: readonly string[]): Promise<string> => {
  const socket = ca
    ? connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost' })
    : connectPlain({ host: '127.0.0.1', port });
  socket.setTimeout(5_000, () => socket.destroy(new Error(`${command[0] ?? ''}: no answer`)));
  const commands = [...(password === undefined ? [] : [['AUTH', password]]), command];
  socket.write(commands.map(encode).join(''));
  const last = (await answers(socket, commands.length).finally(() => socket.destroy())).at(-1) ?? '';
  if (last.startsWith('-')) throw new Error(last.slice(1));
  return last.slice(1);
};

/** Lines of a server's configuration. It keeps nothing on disk. */
const serverLines = (options: {
  readonly host: string;
  readonly port: number;
  readonly dir: string;
  readonly password: string | undefined;
  readonly certificates: Certificates | undefined;
}): readonly string[] => {
  const { host, port, dir, password, certificates } = options;
  return [
    `dir ${dir}`,
    ...(host === '127.0.0.1' ? [`bind ${host}`] : [`bind 127.0.0.1 ${host}`, 'protected-mode no']),
    'save ""',
    'appendonly no',
    'repl-diskless-sync-delay 0',
    ...(password === undefined ? [] : [`requirepass ${password}`, `masterauth ${password}`]),
    ...(certificates
      ? [
          'port 0',
          `tls-port ${port}`,
          `tls-cert-file ${certificates.certFile}`,
          `tls-key-file ${certificates.keyFile}`,
          `tls-ca-cert-file ${certificates.caFile}`,
          'tls-auth-clients no',
        ]
      : [`port ${port}`]),
  ];
};

/** How to start a server. */
export interface RedisOptions {
  /** Address of this machine that it is reached at; 127.0.0.1 when left out. */
  readonly host?: string;
  readonly port?: number;
  /** Its directory; a temporary one when left out, which `end` removes. */
  readonly dir?: string;
  readonly password?: string;
  /** Speaks TLS only, with a certificate of an authority made for it. */
  readonly tls?: boolean;
  /** More lines of its configuration. */
  readonly config?: readonly string[];
}

/** A redis-server in a process of its own, on this machine. */
export interface RedisServer {
  readonly port: number;
  readonly dir: string;
  /** Address as other tools take it; without the password. */
  readonly url: string;
  /** Variables that point the product at it. */
  readonly env: Readonly<Record<string, string>>;
  /** Sends a command past the adapter; its answer as text. */
  ask(...command: readonly string[]): Promise<string>;
  /** Its process, as this machine counts them. */
  process(): number;
  /** Ends it in an orderly way (SIGTERM). */
  stop(): Promise<void>;
  /** Ends it at once (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it again on its port; resolves when it answers. What it held is gone. */
  start(): Promise<void>;
  /** Kills it and starts it again. */
  restartEmpty(): Promise<void>;
  /** Stops it without ending it (SIGSTOP): connections stay open, nothing is answered. */
  pause(): void;
  resume(): void;
  /** Makes it a replica of a nonexistent master, or a master again. */
  readOnly(on: boolean): Promise<void>;
  /** Kills it and removes its directory. */
  end(): Promise<void>;
}

const program = 'redis-server';

const launch = async (configFile: string, ...args: readonly string[]): Promise<ChildProcess> => {
  const child = spawn(program, [configFile, ...args], { stdio: 'ignore' });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new Error(`${program} is not in PATH; on Debian: apt-get install -y redis-server`, { cause: error });
  }
  // Nothing outlives the run, not even one that fails.
  const sweep = (): void => void child.kill('SIGKILL');
  process.once('exit', sweep);
  child.once('exit', () => process.off('exit', sweep));
  return child;
};

/** Starts a redis-server; resolves when it answers. */
export const startRedis = async (options: RedisOptions = {}): Promise<RedisServer> => {
  const { host = '127.0.0.1', password } = options;
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'ranger-relay-redis-'));
  mkdirSync(dir, { recursive: true });
  const port = options.port ?? (await freePort(host));
  const certificates = options.tls ? makeCertificates(dir, host) : undefined;
  const configFile = join(dir, 'redis.conf');
  const lines = [...serverLines({ host, port, dir, password, certificates }), ...(options.config ?? [])];
  const to = {
    port,
    ...(password === undefined ? {} : { password }),
    ...(certificates ? { ca: certificates.ca } : {}),
  };
  const ask: RedisServer['ask'] = (...command) => talk(to, ...command);
  let child: ChildProcess;

  const start = async (): Promise<void> => {
    writeFileSync(configFile, `${lines.join('\n')}\n`);
    child = await launch(configFile);
    try {
      await until(`redis on ${port} answers`, async () => (await ask('PING')) === 'PONG');
    } catch (error) {
      await endProcess(child, 'SIGKILL');
      throw error;
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => endProcess(child, signal);
  await start();

  return {
    port,
    dir,
    url: `${certificates ? 'rediss' : 'redis'}://${host}:${port}`,
    env: {
      KV_HOST: host,
      KV_PORT: String(port),
      ...(password === undefined ? {} : { KV_PASSWORD: password }),
      ...(certificates ? { KV_TLS: 'true', KV_TLS_CA_FILE: certificates.caFile } : {}),
    },
    ask,
    process: () => child.pid as number,
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async restartEmpty() {
      await end('SIGKILL');
      await start();
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async readOnly(on) {
      await ask('REPLICAOF', ...(on ? ['127.0.0.1', '1'] : ['NO', 'ONE']));
    },
    async end() {
      await end('SIGKILL');
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
};

/** A Sentinel in a process of its own. */
interface SentinelServer {
  readonly port: number;
  /** Variables that point the product at it. */
  readonly env: Readonly<Record<string, string>>;
  ask(...command: readonly string[]): Promise<string>;
  end(): Promise<void>;
}

/** How a Sentinel watches a master. */
interface SentinelOptions {
  readonly master: RedisServer;
  readonly name?: string;
  /** Password of master and replicas. */
  readonly masterPassword?: string;
  /** Password of the Sentinel itself. */
  readonly password?: string;
  /** After so many ms without an answer the master counts as down. */
  readonly downAfterMs?: number;
  /** Replicas that it must have found before it counts as started. */
  readonly replicas?: number;
}

/** Starts one Sentinel that may decide alone; resolves when it knows master and replicas. */
export const startSentinel = async (options: SentinelOptions): Promise<SentinelServer> => {
  const { master, name = 'mymaster', masterPassword, password, downAfterMs = 500, replicas = 0 } = options;
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-sentinel-'));
  const port = await freePort();
  const lines = [
    `port ${port}`,
    `dir ${dir}`,
    'bind 127.0.0.1',
    `sentinel monitor ${name} 127.0.0.1 ${master.port} 1`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 2000`,
    ...(masterPassword === undefined ? [] : [`sentinel auth-pass ${name} ${masterPassword}`]),
    ...(password === undefined ? [] : [`requirepass ${password}`]),
  ];
  const configFile = join(dir, 'sentinel.conf');
  writeFileSync(configFile, `${lines.join('\n')}\n`);
  const child = await launch(configFile, '--sentinel');
  const ask: SentinelServer['ask'] = (...command) =>
    talk({ port, ...(password === undefined ? {} : { password }) }, ...command);
  const knows = `status=ok,address=127.0.0.1:${master.port},slaves=${replicas},`;
  await until('the sentinel knows its servers', async () => (await ask('INFO', 'sentinel')).includes(knows), 20_000);
  return {
    port,
    env: {
      KV_SENTINELS: `127.0.0.1:${port}`,
      KV_SENTINEL_MASTER: name,
      ...(masterPassword === undefined ? {} : { KV_PASSWORD: masterPassword }),
      ...(password === undefined ? {} : { KV_SENTINEL_PASSWORD: password }),
    },
    ask,
    async end() {
      await endProcess(child, 'SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
