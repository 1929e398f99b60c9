import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Unpacked } from './image.ts';
import { collect, finish, type Finished, type Started } from './product.ts';
import { until } from './until.ts';

/** The user of the images. */
export const nonRoot = 65_532;

/** A program of an image, run as a cluster runs it. */
export interface Contained extends Omit<Started, 'end'> {
  /** Resolves once the first line of a program has run, which listens to signals: to SIGHUP too, unlike Node. */
  began(): Promise<void>;
  /** Sends it a signal. In its own namespace it is process 1: the system drops what it does not listen to. */
  signal(name: NodeJS.Signals): void;
}

// Isolation of a container runtime: own mounts and processes, a read-only root, a scratch /tmp, the volume, no privilege escalation.
const inside = `
set -e
root=$1 data=$2 folder=$3 user=$4; shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero random urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount --bind "$data" "$root/data"
exec setpriv --no-new-privs unshare --root "$root" --wd "$folder" --setgid "$user" --setuid "$user" "$@"
`;

// A guard process that dies with its parent, and whose end makes the system end all processes below it.
const guard = ['setpriv', '--pdeathsig', 'KILL', 'unshare', '--pid', '--fork', '--kill-child'];
const guarded = 'unshare --mount --pid --fork sh -c "$@"; exit $?';

/** The only child of a process. @throws when it has none */
const childOf = (pid: number | undefined): number => {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  if (!first) throw new Error(`process ${pid} has no child`);
  return Number(first);
};

/** Whether a process listens to SIGHUP. */
const listens = (pid: number): boolean =>
  /^SigCgt:\t[\da-f]*[13579bdf]$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

/** Starts the image's entry point with these arguments on a volume; it is killed when the test or the caller ends. */
export const contain = (
  t: Pick<ExecutionContext, 'teardown'>,
  { root, config }: Unpacked,
  volume: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Contained => {
  const [user = ''] = config.User.split(':');
  const container = [inside, 'sh', root, volume, config.WorkingDir, user, ...config.Entrypoint, ...args];
  const [command = '', ...more] = [...guard, 'sh', '-c', guarded, 'sh', ...container];
  const child = spawn(command, more, {
    env: { ...Object.fromEntries(config.Env.map((each) => each.split('='))), PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  // Below this process stand the guard's shell, then what waits for the container, then its process 1.
  const pid = (): number => childOf(childOf(childOf(child.pid)));
  return {
    ...collect(child),
    began: () => until('the program began', () => listens(pid())),
    signal: (name) => process.kill(pid(), name),
  };
};

/** Runs a program of an image to its end. */
export const runContained = (...start: Parameters<typeof contain>): Promise<Finished> => finish(contain(...start));

/** A folder that the image's user may write to, as a volume; it is removed when the test ends. */
export const volumeFor = (t: Pick<ExecutionContext, 'teardown'>): string => {
  const path = mkdtempSync(join(tmpdir(), 'image-volume-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  chownSync(path, nonRoot, nonRoot);
  return path;
};
