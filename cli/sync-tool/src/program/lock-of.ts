import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { Site } from '@ranger-relay/site';
import type { Shell } from '@ranger-relay/terminal';
import type { LockOptions } from '../run/lock.ts';
import { thisProcess } from '../run/process.ts';

/** Aborted when the call is interrupted or its lock is lost; a run then ends before its next write. */
export const endSignal = (shell: Shell, lost: AbortSignal): AbortSignal => {
  const tell = (): void => shell.err('Another run has taken the lock, since this one stood still: it ends here.');
  lost.addEventListener('abort', tell, { once: true });
  return AbortSignal.any([shell.interrupted(), lost]);
};

/** The input of the locks of a call. */
export interface LockCall {
  readonly shell: Shell;
  readonly site: Site;
  /** Folders of the run records. */
  readonly folders: readonly string[];
  /** Whether to wait for a lock whose holder may have ended. */
  readonly patient?: boolean | undefined;
}

/** A folder shared by all runs of a user on this machine, wherever their records are; undefined when it cannot be created. */
const machineFolder = async ({ env }: Shell): Promise<string | undefined> => {
  const { uid, username } = userInfo();
  const folder = join(env['TMPDIR'] || tmpdir(), `patrol-datamodel-${uid < 0 ? username : uid}`);
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const there = await lstat(folder).catch(() => undefined);
  return there?.isDirectory() && (uid < 0 || there.uid === uid) ? folder : undefined;
};

/** The locks of a site: one for this machine, and one beside the records for other machines that share the volume. */
export const siteLocks = async ({
  shell,
  site,
  folders,
  patient = false,
}: LockCall): Promise<readonly LockOptions[]> => {
  const machine = await machineFolder(shell);
  const all = new Set([...(machine === undefined ? [] : [machine]), ...folders.map((folder) => resolve(folder))]);
  const { clock, random } = shell;
  const holder = thisProcess();
  return [...all].map((folder) => ({ folder, site: site.identity, holder, patient, clock, random }));
};
