import type { Bus } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import { type Context, runProbe } from '@ranger-relay/runtime';
import { identityOf } from '../data-dir/index.ts';

/** Files that the process has open. */
export interface HeldFiles {
  /** Without them what is accepted now is lost: the bus, its journal and the lock. */
  readonly vital: readonly string[];
  readonly others: readonly string[];
}

/** Why nothing more may be accepted, because a file is not where it was opened; null when it may. */
export type FileProblem = () => string | null;

const everyMs = 1_000;

const found = async (paths: readonly string[], identify: typeof identityOf): Promise<ReadonlyMap<string, string>> => {
  const identities = await Promise.all(paths.map(async (path) => [path, await identify(path)] as const));
  return new Map(identities.flatMap(([path, identity]) => (identity === undefined ? [] : [[path, identity]])));
};

/**
 * Compares device and inode of the files with those at the start, every second: a file that was removed, moved or replaced still takes writes,
 * and all of them are gone at the end of the process. A file that is put back is right again.
 */
export const watchHeldFiles = async (
  { clock, conditions, lifecycle }: Pick<Context, 'clock' | 'conditions' | 'lifecycle'>,
  { vital, others }: HeldFiles,
  identify: typeof identityOf = identityOf,
): Promise<FileProblem> => {
  const opened = await found([...vital, ...others], identify);
  let lost: readonly string[] = [];
  const ask = async () => {
    const now = await found([...opened.keys()], identify);
    lost = [...opened].flatMap(([path, identity]) => (now.get(path) === identity ? [] : [path]));
    return lost.length > 0 ? { files: lost.join(', ') } : null;
  };
  const stop = runProbe({ clock, conditions }, { name: 'file_replaced', subject: '', everyMs, ask });
  lifecycle.onStop('held files', () => void stop());
  return () => {
    const file = lost.find((path) => vital.includes(path));
    return file === undefined ? null : `${file} was removed or replaced while it is open`;
  };
};

/** A bus that accepts no record while a file of it is not in its place; what it has is still delivered. */
export const refuseWhileLost = <B extends Bus>(bus: B, problem: FileProblem): B => {
  const publish: Bus['publish'] = async (...call) => {
    const reason = problem();
    if (reason !== null) throw new RelayError('bus_unavailable', { details: { reason } });
    return bus.publish(...call);
  };
  return { ...bus, publish };
};
