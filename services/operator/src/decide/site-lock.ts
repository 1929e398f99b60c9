import { type Decision, waitDecision, type Wanted, working } from './decision.ts';
import { writes } from './job-lifecycle.ts';
import type { Observed } from './observed.ts';

const busyMs = 15_000;
/** Delay until the caches show a written Lease, ms. */
const unseenMs = 1_000;

/** Acquires the site lock, so that one object at a time writes to a site. Undefined when the Job does not write, or this object holds it. */
export const acquireSiteLock = <Facts>(
  { siteLock }: Pick<Observed<unknown, unknown>, 'siteLock'>,
  facts: Facts,
  job: Pick<Wanted, 'command'>,
): Decision<Facts> | undefined => {
  if (!writes(job.command) || siteLock.mine) return undefined;
  if (!siteLock.free) {
    const busy = working('SiteBusy', `${siteLock.holder} writes to the site; this object is next`);
    return waitDecision(facts, 'WaitForSiteLock', busy, busyMs);
  }
  const status = working('JobStarting', 'The Lease of the site is acquired');
  return { ...waitDecision(facts, 'AcquireSiteLock', status, unseenMs), action: { kind: 'acquireLock' } };
};

/** Releases the site lock; a ready object stays ready. */
export const releaseSiteLock = <Facts>(facts: Facts, ready = false): Decision<Facts> => {
  const status = working('Finishing', 'The Lease of the site is released', ready);
  return { ...waitDecision(facts, 'ReleaseSiteLock', status, unseenMs), action: { kind: 'releaseLock' } };
};
