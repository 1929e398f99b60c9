import { type StepName, steps } from '@ranger-relay/operator';
import type { Lived } from './life.ts';
import type { Kill } from './killer.ts';

/** Every step of the operator. */
export const names = Object.keys(steps) as readonly StepName[];

/**
 * The lives that are disturbed, by the name of the namespace that they are lived in: a Job is made, or let go, and nobody hears of it; whatever
 * else brings something about is not done. Every other call is died of against the API server in memory.
 */
export const kills: ReadonlyMap<string, Kill> = new Map<string, Kill>([
  ['life-createjob-after', { steps: ['CreateJob'], when: 'after' }],
  ['life-releasejob-after', { steps: ['ReleaseJob'], when: 'after' }],
  [
    'life-removejob-before',
    { steps: ['RemoveJob', 'AcquireSiteLock', 'ReleaseSiteLock', 'StepAside'], when: 'before' },
  ],
]);

/** What the calls of a step were about, each once. */
export const aboutOf = (step: StepName, points: Lived['done']): readonly string[] =>
  [...new Set(points.filter((point) => point.step === step).map(({ what }) => what))].toSorted();
