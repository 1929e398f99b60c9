import type { KubeObject } from '../api/object.ts';
import { readLease } from './record.ts';

/** A lease as it was seen, and since when, by the own monotonic clock. */
export interface Sighting {
  /** Undefined when there was none. */
  readonly lease: KubeObject | undefined;
  /** Since when it is like that. */
  readonly since: number;
  /** Since when it is this very object, whatever was written to it. */
  readonly born: number;
}

/** Takes note of what an answer showed that came at `now`; what was like that before keeps its time. */
export const sight = (before: Sighting | undefined, lease: KubeObject | undefined, now: number): Sighting => {
  const [was, is] = [before?.lease?.metadata, lease?.metadata];
  if (!before || was?.uid !== is?.uid) return { lease, since: now, born: now };
  return was?.resourceVersion === is?.resourceVersion ? before : { lease, since: now, born: before.born };
};

/**
 * Whether the lease may be written: it is one's own, it was given back, it is not there, or it has not changed for as long as its holder may
 * rely on it. Only the time since one saw it change counts, never what it says about time.
 */
export const mayWrite = ({ lease, since }: Sighting, identity: string, ownMs: number, now: number): boolean => {
  if (!lease) return true;
  const { holder, durationMs } = readLease(lease);
  return holder === identity || holder === '' || now - since >= Math.max(ownMs, durationMs);
};
