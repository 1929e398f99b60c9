import type { V1Condition } from '@kubernetes/client-node';
import { cleanText } from '@ranger-relay/errors';

/** A condition as it is stored: with its time as text. */
export type Condition = Omit<V1Condition, 'lastTransitionTime' | 'observedGeneration'> & {
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
};

/** A condition without its transition time, which follows from the previous condition. */
export type Said = Omit<Condition, 'lastTransitionTime'>;

/** Maximum lengths in the definition of conditions. */
const maxMessageLength = 32_768;
const maxReasonLength = 1_024;

/** RFC 3339 in UTC with whole seconds, as in Kubernetes. */
export const kubeTime = (now: number): string => new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');

const conditionOf = (said: Said, before: Condition | undefined, now: number): Condition => ({
  ...said,
  reason: cleanText(said.reason, maxReasonLength),
  message: cleanText(said.message, maxMessageLength),
  lastTransitionTime: before?.status === said.status ? before.lastTransitionTime : kubeTime(now),
});

/**
 * Sets conditions: each replaces the one of its type or is added; the others stay. `lastTransitionTime` changes only with the status, so
 * that setting an equal condition changes nothing.
 */
export const withConditions = (
  before: readonly Condition[] | undefined,
  said: readonly Said[],
  now: number,
): readonly Condition[] => {
  const old = before ?? [];
  const fresh = new Map(said.map((each) => [each.type, each]));
  const replaced = old.map((each) => {
    const next = fresh.get(each.type);
    fresh.delete(each.type);
    return next ? conditionOf(next, each, now) : each;
  });
  return [...replaced, ...[...fresh.values()].map((each) => conditionOf(each, undefined, now))];
};

/** Returns the condition of a type. */
export const conditionNamed = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((each) => each.type === type);
