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

/** The lock of one area on a site, in the folder that holds the run records. */
export const lockOf = ({ clock, random }: Shell, site: Site, area: string, folder: string): LockOptions => ({
  folder,
  site: site.host,
  area,
  holder: holder(),
  clock,
  random,
});
