import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import type { EnvProblem } from './env/table.ts';
import { listen, type Listener, type ListenOptions, serve, type Serve } from './serve.ts';

/** Ports that a process holds before its services are made. */
export interface HeldPorts {
  /** One for each port that could not be taken, and for a host that is not of this machine. */
  readonly problems: readonly EnvProblem[];
  /** Serves an app on the port that is held for its variable; one without a held port gets a new one. */
  readonly serve: Serve;
  /** Gives back the ports that serve no app. */
  release(): Promise<void>;
}

const listening = '0A';

/** Inodes of the sockets that listen on a port, as Linux tells them. */
const socketsOn = async (port: number): Promise<ReadonlySet<string>> => {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((table) => table.split('\n').slice(1)).map((line) => line.trim().split(/\s+/));
  return new Set(
    rows.flatMap(([, local = '', , state, , , , , , inode = '']) =>
      state === listening && local.endsWith(`:${wanted}`) ? [`socket:[${inode}]`] : [],
    ),
  );
};

const holdsOneOf = async (pid: string, sockets: ReadonlySet<string>): Promise<boolean> => {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return targets.some((target) => sockets.has(target));
};

/** The process that listens on a port, as far as this process may see it; undefined elsewhere than on Linux. */
const holderOf = async (port: number): Promise<string | undefined> => {
  const sockets = await socketsOn(port);
  if (sockets.size === 0) return undefined;
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)))
    if (await holdsOneOf(pid, sockets)) {
      const program = basename(await readlink(`/proc/${pid}/exe`).catch(() => 'a process'));
      return `${program} (pid ${pid})`;
    }
  return undefined;
};

/** Codes that say that the host, not the port, is the problem. */
const ofHost: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is a name without an address',
  EAI_AGAIN: 'is a name that cannot be resolved now',
  EINVAL: 'cannot be listened on',
};

const problemOf = async (
  { host, port, portVariable }: ListenOptions,
  error: unknown,
  held: readonly Listener[],
): Promise<EnvProblem> => {
  const code = isRelayError(error) ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
  if (code === undefined) throw error;
  const wrongHost = ofHost[code];
  if (wrongHost !== undefined) return { variable: 'HOST', problem: `is ${host}, which ${wrongHost} (${code})` };
  const twin = held.find((each) => each.port === port);
  if (twin)
    return { variable: portVariable, problem: `is ${port}, as ${twin.portVariable} is; each takes its own port` };
  if (code === 'EACCES')
    return { variable: portVariable, problem: `is ${port}, which this user may not listen on (${code})` };
  const holder = code === 'EADDRINUSE' ? await holderOf(port) : undefined;
  const why = holder === undefined ? '' : `: ${holder} has it`;
  return { variable: portVariable, problem: `is ${port}, and listening on ${host} failed (${code})${why}` };
};

const oncePerVariable = (problems: readonly EnvProblem[]): readonly EnvProblem[] => [
  ...new Map(problems.map((each) => [each.variable, each])).values(),
];

/** Takes every port that is free, one after the other, so that two equal ones are told apart from one that another process has. */
export const holdPorts = async (wanted: readonly ListenOptions[]): Promise<HeldPorts> => {
  const held: Listener[] = [];
  const problems: EnvProblem[] = [];
  for (const options of wanted)
    try {
      held.push(await listen(options));
    } catch (error) {
      problems.push(await problemOf(options, error, held));
    }
  const waiting = new Map(held.map((listener) => [listener.portVariable, listener]));
  return {
    problems: oncePerVariable(problems),
    async serve(app, options) {
      const listener = waiting.get(options.portVariable);
      waiting.delete(options.portVariable);
      return listener ? listener.serve(app, options) : serve(app, options);
    },
    async release() {
      await Promise.all([...waiting.values()].map((listener) => listener.release()));
      waiting.clear();
    },
  };
};
