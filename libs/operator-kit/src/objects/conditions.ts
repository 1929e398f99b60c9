import type { V1Condition } from '@kubernetes/client-node';
import { cleanText } from '@ranger-relay/errors';
import type { Wire } from '../api/object.ts';

export type Condition = Wire<V1Condition>;

/** A condition as a controller says it: when it became true is found by comparing. */
export type Said = Omit<Condition, 'lastTransitionTime'>;

/** Longest message and reason that the definition of conditions allows. */
const maxMessageLength = 32_768;
const maxReasonLength = 1_024;

/** RFC 3339 in UTC with whole seconds, as Kubernetes has it. */
export const kubeTime = (now: number): string => new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');

const conditionOf = (said: Said, before: Condition | undefined, now: number): Condition => ({
  ...said,
  reason: cleanText(said.reason, maxReasonLength),
  message: cleanText(said.message, maxMessageLength),
  lastTransitionTime: before?.status === said.status ? before.lastTransitionTime : kubeTime(now),
});

/**
 * Says conditions: each replaces the one of its type, or is added; the others stay. `lastTransitionTime` changes with the status alone, so
 * that saying the same again changes nothing.
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

/** What is said about an object by type. */
export const conditionNamed = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((each) => each.type === type);
