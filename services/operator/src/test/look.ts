import { conditionNamed, type KubeObject } from '@ranger-relay/operator-kit';
import type { Job } from './cluster.ts';
import type { World } from './world.ts';

/** The condition Ready of a PatrolSync. */
export const ready = (world: World, name = 'north') =>
  conditionNamed(world.sync(name).status?.conditions as never, 'Ready');

/** Every apply that got as far as its first write. */
export const applies = ({ site }: World): readonly string[] => site.writes.filter((each) => each.startsWith('apply'));

/** What a Job does. */
export const commandOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.['ranger-relay.dev/command'];

/** Jobs that were made for a command. */
export const jobsTo = (world: World, command: string): readonly KubeObject[] =>
  world.objects('batch/v1/jobs').filter((job) => commandOf(job) === command);

/** Lets everything go well until a Job for a command runs. */
export const runTo = async (world: World, command: string): Promise<Job> => {
  for (let n = 0; n < 100; n += 1) {
    await world.reconcile();
    world.startPods();
    for (const job of world.running()) {
      if (commandOf(job) === command) return job;
      world.finish(job, 'ok');
    }
    world.pass(60_000);
  }
  throw new Error(`no Job ${command}`);
};
