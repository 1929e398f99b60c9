import type { StepName } from '@ranger-relay/operator';
import { createPoints, type KubeRequest, type Point } from './points.ts';

/** Of which calls the operator dies: before each of them is sent, or once it is done and before the answer is heard. */
export interface Kill {
  readonly steps: readonly StepName[];
  readonly when: 'before' | 'after';
}

/** Stands between the replicas of an operator and the API server. */
export interface Killer {
  /** Calls of steps that were done, in order. */
  readonly done: readonly Point[];
  /** Those of which a replica died. */
  readonly deaths: readonly Point[];
  /** Sends a request, unless whoever makes it dies of it: then `die` is called, whose error is thrown. */
  pass<T>(request: KubeRequest, send: () => Promise<T>, die: () => Error): Promise<T>;
}

/** Makes the reaper of one life: each call is died of once, so that the next replica gets over it. */
export const createReaper = (kill?: Kill): Killer => {
  const points = createPoints();
  const done: Point[] = [];
  const deaths: Point[] = [];
  const isDue = ({ step, key }: Point, when: Kill['when']): boolean =>
    kill?.when === when && kill.steps.includes(step) && deaths.every((death) => death.key !== key);

  return {
    done,
    deaths,
    async pass(request, send, die) {
      const point = points.of(request);
      if (!point) return send();
      if (isDue(point, 'before')) {
        deaths.push(point);
        throw die();
      }
      const answer = await send();
      points.done(request);
      done.push(point);
      if (!isDue(point, 'after')) return answer;
      deaths.push(point);
      throw die();
    },
  };
};
