import { isRelayError } from '@ranger-relay/errors';
import {
  apiVersionOf,
  conditionNamed,
  isSameJson,
  type Condition,
  type KubeObject,
  type Resource,
} from '@ranger-relay/operator-kit';
import { withoutEmpty } from '../api/read-status.ts';
import type { Decision } from '../decide/decision.ts';
import { conditionsOf } from '../status/conditions.ts';
import { fieldManager, type ReconcileParts } from './parts.ts';

const generationOf = ({ metadata }: KubeObject): number => metadata.generation ?? 0;

/** The status that a decision leads to. */
export const statusOf = <Facts>(
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
  { recorder }: ReconcileParts,
  resource: Resource,
  object: KubeObject,
  { say }: Decision<Facts>,
  before: readonly Condition[] | undefined,
): void => {
  if (conditionNamed(before, 'Ready')?.reason === say.reason) return;
  recorder.record(resource, object, {
    type: say.state === 'stalled' ? 'Warning' : 'Normal',
    reason: say.reason,
    message: say.message,
  });
};

/**
 * Writes the status of an object over the version that was seen, once and only when it changed: a process that leads no more, or has an old
 * copy, cannot take back what another one has written down.
 * @returns false when somebody else was faster
 */
export const writeStatus = async <Facts>(
  parts: ReconcileParts,
  { resource, object, before }: { resource: Resource; object: KubeObject; before: readonly Condition[] | undefined },
  decision: Decision<Facts>,
  signal: AbortSignal,
): Promise<boolean> => {
  const status = statusOf(object, decision, before, parts.clock.now());
  if (isSameJson(withoutEmpty(object.status), withoutEmpty(status))) return true;
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const metadata = {
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
  const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, status };
  try {
    await parts.api.apply(resource, body, { fieldManager, force: true, subresource: 'status', signal });
  } catch (error) {
    if (isRelayError(error, 'kube_conflict', 'kube_not_found')) return false;
    throw error;
  }
  tell(parts, resource, object, decision, before);
  return true;
};
