import {
  type Condition,
  conditionNamed,
  type Informers,
  type KubeObject,
  type Resource,
  type StepName,
} from '@ranger-relay/operator';
import { at } from '../charts/place.ts';
import { until } from '../../src/harness/until.ts';
import type { Invariants } from './invariants.ts';

/** What is waited for of an object. */
export interface Expectation {
  readonly what: string;
  readonly holds: (object: KubeObject) => boolean;
}

/** How long one of several lives on a small machine may take for its next stretch, ms. */
export const waitMs = 150_000;

/** A condition of an object, when it speaks about the present spec. */
export const conditionOf = ({ metadata, status }: KubeObject, type: string): Condition | undefined => {
  const found = conditionNamed(at(status, 'conditions') as readonly Condition[] | undefined, type);
  return found?.observedGeneration === metadata.generation ? found : undefined;
};

/** The object is in a state, as its condition Ready names it. */
export const says = (reason: string): Expectation => ({
  what: reason,
  holds: (object) => conditionOf(object, 'Ready')?.reason === reason,
});

/** The operator has said what the object waits for. */
export const waitsAt = (step: StepName): Expectation => ({
  what: `at ${step}`,
  holds: ({ status }) => at(status, 'step') === step,
});

/** Waits for what an object says of itself; one that never does is told with what it says instead. */
export const reaches = async (
  witness: Invariants,
  resource: Resource,
  name: string,
  { what, holds }: Expectation,
): Promise<KubeObject> => {
  const look = (): KubeObject => witness.find(resource, name) ?? { metadata: { name } };
  await until(`${name}: ${what}`, () => holds(look()), waitMs, 50).catch((error: unknown) => {
    throw new Error(`${name} is never ${what}: ${JSON.stringify(look().status, undefined, 1)}`, { cause: error });
  });
  return look();
};

/** Waits for an object that is there. */
export const appears = async (
  what: string,
  { cache }: Informers['jobs' | 'siteLocks'],
  holds: (object: Pick<KubeObject, 'metadata'>) => boolean = () => true,
): Promise<string> => {
  const find = () => (cache.values() as readonly Pick<KubeObject, 'metadata'>[]).find(holds);
  await until(`${what} is there`, () => find() !== undefined, waitMs, 50);
  return find()?.metadata.name ?? '';
};
