import { runAnnotation } from '../api/group.ts';
import type { Command, PlanStatus, RunStatus } from '../api/run-status.ts';
import type { SyncFacts, SyncStatus } from '../api/sync-status.ts';
import type { Wanted } from './decision.ts';
import { isMadeFor, syncInputs, type MadeFor } from './inputs.ts';
import { planFolder } from './names.ts';
import type { SyncObserved } from './observed.ts';

/** Made for the spec and the run annotation as they are now. */
export const isCurrent = <T extends MadeFor>(
  { generation, run, spec }: SyncObserved,
  made: T | undefined,
  command: Command = 'plan',
): made is T => made !== undefined && isMadeFor(made, { generation, run, inputs: syncInputs(spec, command) });

/** What is made now is made for this. */
export const presentOf = ({ generation, run, spec }: SyncObserved) => ({
  generation,
  run,
  inputs: syncInputs(spec, 'plan'),
});

/** What is known, without what is said about it; an approval that was taken back can be given anew. */
export const factsOf = (o: SyncObserved): SyncFacts => {
  const { conditions: _c, step: _s, observedGeneration: _g, approval, ...facts } = o.status satisfies SyncStatus;
  return { ...facts, ...(approval && approval.value === o.spec.approve ? { approval } : {}) };
};

/** The plan for the present spec, when there is one that holds. */
export const currentPlan = (o: SyncObserved, { plan }: SyncFacts): PlanStatus | undefined =>
  isCurrent(o, plan) && plan.outdated !== true ? plan : undefined;

/** The run that carries out the present plan. */
export const currentRun = (o: SyncObserved, facts: SyncFacts): RunStatus | undefined =>
  facts.lastRun?.number === currentPlan(o, facts)?.number ? facts.lastRun : undefined;

/** Folder of a Job on the output volume: that of its plan; a check looks at the present one. */
export const folderOf = (
  { name, uid }: Pick<SyncObserved, 'name' | 'uid'>,
  { plan }: Pick<SyncFacts, 'plan'>,
  { command, number }: Wanted,
): string => planFolder(name, uid, command === 'verify' ? (plan?.number ?? 0) : number);

/** How a person asks for another run. */
export const askAgain = (o: SyncObserved): string =>
  `kubectl annotate patrolsync ${o.name} -n ${o.namespace} ${runAnnotation}="$(date +%s)" --overwrite`;

/** How a person approves a plan. */
export const askApproval = (o: SyncObserved, hash: string): string =>
  `kubectl patch patrolsync ${o.name} -n ${o.namespace} --type=merge -p '{"spec":{"approve":"${hash}"}}'`;
