import type { KubeObject } from '../objects.ts';
import { handlers, rules, tables } from '../services.ts';
import { drainable, gapless, graceful } from './availability.ts';
import { labelled, steadySelectors, uniqueNames } from './naming.ts';
import { titleOf } from './pods.ts';
import { boundedResources, boundedScratch, namedPorts, pinnedImages, threeProbes } from './running.ts';
import { namedRights, noSecretInPlain, quietAccounts, restrictedPods } from './security.ts';
import { acceptedVariables, knownVariables } from './variables.ts';
import { routesLead, ownPods, scalersReach, selectorsMatch, servicesReach } from './wiring.ts';

/** What is on a topic outlives the object that asks for it: its operator would delete both. */
export const lastingTopics = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(
      ({ kind, metadata }) => kind === 'KafkaTopic' && metadata.annotations?.['helm.sh/resource-policy'] !== 'keep',
    )
    .map((object) => `${titleOf(object)}: goes with the release, and what is on the topic with it`);

/** A rule about a rendering; a sentence for each breach. */
export type Invariant = (objects: readonly KubeObject[]) => string[];

/** Everything that every rendering of every chart keeps. @param folder of this machine for what stands in for Secrets */
export const invariants = (folder: string): Readonly<Record<string, Invariant>> => ({
  'pods meet the restricted standard': restrictedPods,
  'accounts keep their tokens': quietAccounts,
  'rights are named': namedRights,
  'no secret stands in plain': noSecretInPlain,
  'images are pinned': pinnedImages,
  'resources are bounded': boundedResources,
  'scratch volumes are bounded': boundedScratch,
  'three probes ask what they should': threeProbes,
  'ports have names': namedPorts,
  'selectors fit their own pods': ownPods,
  'Services reach pods': servicesReach,
  'budgets, policies and monitors select something': selectorsMatch,
  'scalers scale something': scalersReach,
  'routes lead to Services': routesLead,
  'objects and pods are labelled': labelled,
  'selectors never change': steadySelectors,
  'names are unique': uniqueNames,
  'nodes can be drained': drainable,
  'rollouts leave no gap': gapless,
  'work ends inside the grace': graceful({ ...handlers, 'ranger-relay': handlers['action-runner']! }),
  'topics outlive their objects': lastingTopics,
  'variables are those of the service': knownVariables(tables),
  'services start with their variables': acceptedVariables(tables, rules, folder),
});
