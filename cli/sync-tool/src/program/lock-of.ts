import { hostname } from 'node:os';
import type { Site } from '@ranger-relay/site';
import type { Shell } from '@ranger-relay/terminal';
import type { LockOptions } from '../run/lock.ts';

/** Names this process to others that find its lock. */
export const holder = (): string => `${hostname()}:${process.pid}`;

/** Aborted when the call is interrupted, or its lock is lost: both end a run at the next write. */
export const endSignal = (shell: Shell, lost: AbortSignal): AbortSignal => {
  const tell = (): void => shell.err('Another run has taken the lock, since this one stood still: it ends here.');
  lost.addEventListener('abort', tell, { once: true });
  return AbortSignal.any([shell.interrupted(), lost]);
};

/** What the lock of a call is about. */
export interface LockCall {
  readonly shell: Shell;
  readonly site: Site;
  readonly area: string;
  /** It holds the run records. */
  readonly folder: string;
  /** Whether a lock is waited for whose holder may be gone. */
  readonly patient?: boolean | undefined;
}

/** The lock of one area on a site. */
export const lockOf = ({ shell, site, area, folder, patient = false }: LockCall): LockOptions => ({
  folder,
  site: site.host,
  area,
  holder: holder(),
  patient,
  clock: shell.clock,
  random: shell.random,
});
