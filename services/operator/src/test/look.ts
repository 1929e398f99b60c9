import { conditionNamed } from '../kube/conditions.ts';
import type { Job, KubeObject } from '../kube/object.ts';
import type { Harness } from './harness.ts';

/** The condition Ready of a PatrolSync. */
export const ready = (harness: Harness, name = 'north') =>
  conditionNamed(harness.sync(name).status?.conditions as never, 'Ready');

/** Every apply that got as far as its first write. */
export const applies = ({ site }: Harness): readonly string[] => site.writes.filter((each) => each.startsWith('apply'));

/** What a Job does. */
export const commandOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.['ranger-relay.dev/command'];

/** Jobs that were made for a command. */
export const jobsTo = (harness: Harness, command: string): readonly KubeObject[] =>
  harness.objects('batch/v1/jobs').filter((job) => commandOf(job) === command);

/** Lets everything go well until a Job for a command runs. */
export const runTo = async (harness: Harness, command: string): Promise<Job> => {
  for (let n = 0; n < 100; n += 1) {
    await harness.reconcile();
    harness.startPods();
    for (const job of harness.running()) {
      if (commandOf(job) === command) return job;
      harness.finish(job, 'ok');
    }
    harness.pass(60_000);
  }
  throw new Error(`no Job ${command}`);
};
