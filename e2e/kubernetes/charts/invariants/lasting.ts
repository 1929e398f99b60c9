import type { KubeObject } from '../objects.ts';
import { titleOf } from './pods.ts';

/** What is on a topic outlives the object that asks for it: its operator would delete both. */
export const lastingTopics = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(
      ({ kind, metadata }) => kind === 'KafkaTopic' && metadata.annotations?.['helm.sh/resource-policy'] !== 'keep',
    )
    .map((object) => `${titleOf(object)}: goes with the release, and what is on the topic with it`);
