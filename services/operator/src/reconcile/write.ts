import { isDeepStrictEqual } from 'node:util';
import { isRelayError } from '@ranger-relay/errors';
import { type PlanStatus, withoutEmpty } from '../api/run-status.ts';
import type { Decision } from '../decide/decision.ts';
import { type Condition, conditionNamed, type Said, withConditions } from '../kube/conditions.ts';
import { fieldManager } from '../kube/client.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../kube/object.ts';
import type { ReconcileDependencies } from './dependencies.ts';

const yes = (is: boolean): 'True' | 'False' => (is ? 'True' : 'False');

const planned = (plan: PlanStatus | undefined): Pick<Said, 'status' | 'reason' | 'message'> => {
  if (!plan) return { status: 'False', reason: 'NoPlan', message: 'There is no plan for this spec yet' };
  if (plan.outcome !== 'done')
    return { status: 'False', reason: 'PlanFailed', message: plan.message ?? 'The plan failed' };
  const { hash, writes, path } = plan;
  return { status: 'True', reason: 'Planned', message: `${hash ? `Plan ${hash}: ` : ''}${writes} writes; ${path}` };
};

/** Conditions of an object from a decision. Ready and the condition that is true share their reason and message. */
export const conditionsOf = (
  { status: statusUpdate, plan }: Pick<Decision<unknown>, 'status' | 'plan'>,
  before: readonly Condition[] | undefined,
  { generation, now }: { readonly generation: number; readonly now: number },
): readonly Condition[] => {
  const { reason, message } = statusUpdate;
  const flag = (type: string, is: boolean): Said => ({
    type,
    status: yes(is),
    reason: is ? reason : 'None',
    message: is ? message : '',
    observedGeneration: generation,
  });
  const said: Said[] = [
    { type: 'Ready', status: yes(statusUpdate.ready), reason, message, observedGeneration: generation },
    flag('Reconciling', statusUpdate.state === 'working'),
    { type: 'Planned', observedGeneration: generation, ...planned(plan) },
    flag('ApprovalRequired', statusUpdate.state === 'approval'),
    flag('Stalled', statusUpdate.state === 'stalled'),
  ];
  return withConditions(before, said, now);
};

const generationOf = ({ metadata }: KubeObject): number => metadata.generation ?? 0;

/** Status that results from a decision. */
const statusOf = <Facts>(
  object: KubeObject,
  decision: Decision<Facts>,
  before: readonly Condition[] | undefined,
  now: number,
): object => ({
  ...decision.facts,
  observedGeneration: generationOf(object),
  step: decision.step,
  conditions: conditionsOf(decision, before, { generation: generationOf(object), now }),
});

const tell = <Facts>(
  { recorder }: ReconcileDependencies,
  resource: Resource,
  object: KubeObject,
  { status: statusUpdate }: Decision<Facts>,
  before: readonly Condition[] | undefined,
): void => {
  if (conditionNamed(before, 'Ready')?.reason === statusUpdate.reason) return;
  recorder.record(resource, object, {
    type: statusUpdate.state === 'stalled' ? 'Warning' : 'Normal',
    reason: statusUpdate.reason,
    message: statusUpdate.message,
  });
};

/**
 * Writes the status of an object at the observed version, once and only when it changed: another operator or a
 * stale copy cannot overwrite a newer status.
 * @returns false when another writer was faster
 */
export const writeStatus = async <Facts>(
  deps: ReconcileDependencies,
  { resource, object, before }: { resource: Resource; object: KubeObject; before: readonly Condition[] | undefined },
  decision: Decision<Facts>,
): Promise<boolean> => {
  const status = statusOf(object, decision, before, deps.clock.now());
  if (isDeepStrictEqual(withoutEmpty(object.status), withoutEmpty(status))) return true;
  const { name, namespace = '', uid, resourceVersion } = object.metadata;
  const metadata = {
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
  try {
    const { group, version, plural } = resource;
    const about = { group, version, plural, namespace, name, fieldManager, force: true, fieldValidation: 'Strict' };
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, status };
    await deps.client.custom.patchNamespacedCustomObjectStatus({ ...about, body }, deps.client.apply);
  } catch (error) {
    if (isRelayError(error, 'kube_conflict', 'kube_not_found')) return false;
    throw error;
  }
  tell(deps, resource, object, decision, before);
  return true;
};
