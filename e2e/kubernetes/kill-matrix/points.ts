import { steps, type StepName } from '@ranger-relay/operator';
import { at } from '../charts/place.ts';

/** A request to the API server. */
export interface KubeRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A call that a step of the operator makes. */
export interface Point {
  readonly step: StepName;
  /** What is called, in the words of the table of steps. */
  readonly call: (typeof steps)[StepName]['call'];
  /** The same for every try of the same call, whichever replica makes it. */
  readonly key: string;
  /** The Job that it is about, or that came last before it; empty before any. */
  readonly job: string;
  /** The command of that Job. */
  readonly what: string;
}

/** Tells calls of steps from all others. */
export interface Points {
  /** Undefined for what no step calls: looks, events. */
  of(request: KubeRequest): Point | undefined;
  /** The API server has done it. */
  done(request: KubeRequest): void;
}

const jobName = /-(undo-plan|plan|apply|resume|verify|undo|prune)-[0-9a-f]{12}$/;
const changesOfJobs: Readonly<Record<string, StepName>> = {
  POST: 'CreateJob',
  PATCH: 'ReleaseJob',
  DELETE: 'RemoveJob',
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const last = (path: string, n = 1): string => path.split('/').at(-n) ?? '';

const pointOf = (step: StepName, call: Point['call'], job: string, ...about: readonly string[]): Point => {
  const what = jobName.exec(job)?.[1] ?? 'before any Job';
  return { step, call, key: [step, ...about, job].join(' '), job, what };
};

const ofJob = ({ method, path, body }: KubeRequest): Point | undefined => {
  const step = changesOfJobs[method];
  const name = method === 'POST' ? textOf(at(body, 'metadata.name')) : last(path);
  return step && pointOf(step, steps[step].call, name);
};

/** Makes what tells the calls of one operator apart, all its replicas together. */
export const createPoints = (): Points => {
  /** The Job that each object has written down last, by the path of its status. */
  const written = new Map<string, string>();
  let latest = '';

  const ofStatus = ({ path, body }: KubeRequest): Point => {
    const job = textOf(at(body, 'status.job.name')) || (written.get(path) ?? '');
    return pointOf(at(body, 'status.step') as StepName, 'nothing', job, last(path, 3));
  };

  const ofLease = ({ method, body }: KubeRequest): Point | undefined => {
    if (method === 'GET') return undefined;
    const isTaken = textOf(at(body, 'spec.holderIdentity')) !== '';
    return pointOf(isTaken ? 'AcquireSiteLock' : 'ReleaseSiteLock', 'lease', latest);
  };

  return {
    of(request) {
      const { method, path } = request;
      if (method === 'PATCH' && path.endsWith('/status')) return ofStatus(request);
      if (path.includes('/jobs')) return method === 'GET' ? undefined : ofJob(request);
      return path.includes('/leases') ? ofLease(request) : undefined;
    },
    done({ path, body }) {
      const job = textOf(at(body, 'status.job.name'));
      if (!path.endsWith('/status') || job === '') return;
      written.set(path, job);
      latest = job;
    },
  };
};
