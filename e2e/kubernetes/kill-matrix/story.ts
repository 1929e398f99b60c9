import { commandLabel, patrolSyncs, rollbacks } from '@ranger-relay/operator';
import { siteFaults } from '@ranger-relay/simulators';
import { inUse } from '../../src/harness/sync.ts';
import { at } from '../charts/place.ts';
import { until } from '../../src/harness/until.ts';
import type { Replicas } from './replicas.ts';
import { appears, conditionOf, type Expectation, reaches, says, waitMs, waitsAt } from './look.ts';
import { giveToken, makeRollback, makeSync, type Place } from './place.ts';
import type { Invariants } from './invariants.ts';

/** In whose lives the story happens. */
export interface Cast {
  readonly place: Place;
  readonly crew: Replicas;
  readonly witness: Invariants;
}

const sync = 'north';
const rollback = 'back';
const lost = 'lost';
/** Longer than a run that was broken off waits before it is resumed. */
const retryMs = 70_000;
/** Each of its writes after the first; there are five in a row, and the end of its pod comes before the last of them. */
const slowMs = 4_000;

const change = ({ place }: Cast, spec: object): Promise<void> => place.change(patrolSyncs, sync, { spec });
const syncReaches = ({ witness }: Cast, expectation: Expectation) => reaches(witness, patrolSyncs, sync, expectation);

/** Deletes the Job of a command by hand. */
const deleteJob = async ({ place: { client, namespace }, witness }: Cast, command: string): Promise<void> => {
  const isMeant: Parameters<typeof appears>[2] = ({ metadata }) => metadata.labels?.[commandLabel] === command;
  const name = await appears(`the Job of ${command}`, witness.jobs, isMeant);
  await client.batch.deleteNamespacedJob({ namespace, name, body: { propagationPolicy: 'Background' } });
};

/** Suspended, then without a Secret; then two plans whose bundle is not there: one Job is deleted by hand, nobody wants the other any more. */
const begin = async (cast: Cast): Promise<void> => {
  const rest = { mode: 'apply', retries: 0, keepRuns: 1, driftCheckInterval: '0s' };
  await makeSync(cast.place, sync, { ...rest, suspend: true, bundle: { configMap: 'later' } });
  await syncReaches(cast, says('Suspended'));
  await change(cast, { suspend: false });
  await syncReaches(cast, says('SecretMissing'));
  await giveToken(cast.place);
  // Nobody watches Secrets; a new generation would race with a look that comes by itself.
  await cast.place.change(patrolSyncs, sync, { metadata: { annotations: { note: 'the Secret is there' } } });
  await syncReaches(cast, waitsAt('WaitJob'));
  await deleteJob(cast, 'plan');
  await syncReaches(cast, says('PlanFailed'));
  await change(cast, { retries: 1, bundle: { configMap: 'not-yet' } });
  await syncReaches(cast, waitsAt('WaitJob'));
  await change(cast, { bundle: { configMap: 'bundle' } });
};

/** Approved, and broken off while it writes, as the Job is deleted by hand. */
const applyHalf = async (cast: Cast): Promise<void> => {
  const { site } = cast.place;
  const { status } = await syncReaches(cast, says('ApprovalRequired'));
  site.faults.set({ ...siteFaults.slow(slowMs), method: 'POST', skip: 1 });
  await change(cast, { approve: at(status, 'plan.hash') });
  await until('writes are under way', () => site.log.writes().length > 1, waitMs, 20);
  await deleteJob(cast, 'apply');
  await syncReaches(cast, waitsAt('WaitRetry'));
  site.faults.clear();
};

/** Writes a holder into the Lease of the site; null for nobody. */
const hold = async ({ place: { client, namespace }, witness }: Cast, holderIdentity: string | null): Promise<void> => {
  const name = await appears('the Lease of the site', witness.siteLocks);
  const body = { spec: { holderIdentity } };
  await client.coordination.patchNamespacedLease({ namespace, name, body }, client.merge);
};

/**
 * It waits while an object of another namespace has the site; then the run is resumed and looked at, and older ones are deleted.
 * @returns the record
 */
const resume = async (cast: Cast): Promise<string> => {
  await hold(cast, 'PatrolSync/elsewhere/south/5f0c1a52');
  await cast.crew.handOver(retryMs);
  await syncReaches(cast, says('SiteBusy'));
  await hold(cast, null);
  await cast.crew.handOver(0);
  const { status } = await syncReaches(cast, {
    what: 'applied, and older runs are deleted',
    holds: (object) => says('Applied').holds(object) && at(object.status, 'pruned') !== undefined,
  });
  return String(at(status, 'lastRun.record'));
};

/** One rollback names a PatrolSync that is not there and waits for it; the other takes back what was applied. */
const takeBack = async (cast: Cast, record: string): Promise<void> => {
  const { place, witness } = cast;
  await makeRollback(place, lost, { syncRef: { name: 'nobody' }, records: [record], mode: 'plan' });
  await reaches(witness, rollbacks, lost, says('SyncMissing'));
  await makeRollback(place, rollback, { syncRef: { name: sync }, records: [record], mode: 'apply', approve: 'auto' });
  await reaches(witness, rollbacks, rollback, says('Undone'));
  await syncReaches(cast, {
    what: 'RolledBack, and nothing goes on',
    holds: (object) => says('RolledBack').holds(object) && conditionOf(object, 'Reconciling')?.status === 'False',
  });
  const held = () => witness.siteLocks.cache.values().filter(({ spec }) => (spec?.holderIdentity ?? '') !== '');
  await until('the site is free', () => held().length === 0, waitMs, 50);
};

/**
 * From the first plan over an approved run that is broken off, a resume and a check to a rollback.
 * @returns what the site had in use when all was applied
 */
export const story = async (cast: Cast): Promise<ReturnType<typeof inUse>> => {
  await begin(cast);
  await applyHalf(cast);
  const record = await resume(cast);
  const applied = inUse(cast.place);
  await takeBack(cast, record);
  return applied;
};
