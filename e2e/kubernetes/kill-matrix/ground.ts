import { definitions, installDefinitions } from '../harness/syncs.ts';
import { openSyncHarness } from '../../src/harness/sync.ts';
import { adminConfig, clientOf } from '../harness/api.ts';
import { loadImages } from '../harness/images.ts';
import { kubectlIn } from '../harness/kubectl.ts';
import type { KubernetesNode } from '../harness/node.ts';
import { live, type Lived } from './life.ts';
import type { Kill } from './killer.ts';

/** The cluster with both definitions, on which lives go on side by side. */
export interface OpenGround {
  /** How a life went, once it is over. @throws what went wrong in it */
  lived(name: string): Promise<Lived>;
  /** Ends when all lives have. */
  close(): Promise<void>;
}

/** Opens the cluster and begins all lives. */
export const openGround = async (
  node: KubernetesNode,
  kills: ReadonlyMap<string, Kill | undefined>,
): Promise<OpenGround> => {
  await loadImages(node);
  const kubectl = kubectlIn(node, 'default');
  await installDefinitions(kubectl);
  const harness = await openSyncHarness(['--contract']);
  const config = adminConfig(node);
  const ground = { node, config, client: await clientOf(config), bundle: harness.bundle };
  const lives = new Map([...kills].map(([name, kill]) => [name, live(ground, name, kill)] as const));
  // Whoever asks for a life hears how it failed, perhaps later.
  for (const life of lives.values()) life.catch(() => undefined);
  return {
    lived: (name) => lives.get(name) ?? Promise.reject(new Error(`there is no ${name}`)),
    async close() {
      await Promise.allSettled(lives.values());
      await kubectl.must('delete', 'customresourcedefinitions', '--ignore-not-found', ...definitions);
      await harness.remove();
    },
  };
};
