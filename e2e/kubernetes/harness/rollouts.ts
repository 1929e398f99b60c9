import type { V1Deployment } from '@kubernetes/client-node';
import type { KubeObject } from './wire.ts';
import { until } from '../../src/harness/until.ts';
import { chart, components, nameOf, release, type Release } from './release.ts';

type Deployment = KubeObject<V1Deployment>;

const rolloutMs = 240_000;

/** No pod of an earlier form is left. Whether those of the new one are ready is another question: somebody may be killing them. */
const isReplaced = ({ metadata, spec, status }: Deployment): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
  status?.updatedReplicas === spec?.replicas &&
  status?.replicas === spec?.replicas;

/** Waits until every pod of these components is of the present form. */
export const untilReplaced = async ({ kubectl }: Release, names: readonly string[]): Promise<void> => {
  for (const name of names) {
    const replaced = async (): Promise<boolean> =>
      isReplaced(await kubectl.get<Deployment>('deployment', nameOf(name)));
    await until(`every pod of ${name} is replaced`, replaced, rolloutMs, 500);
  }
};

/** Replaces every pod of components, one after the other within each. */
export const restartAll = async (here: Release, names: readonly string[]): Promise<void> => {
  await here.kubectl.must('rollout', 'restart', ...names.map((name) => `deployment/${nameOf(name)}`));
  await untilReplaced(here, names);
};

/** `helm upgrade` with values beside those of the installation. */
export const upgrade = async (here: Release, values: object): Promise<void> => {
  await here.helm.must(['upgrade', release, chart, '--reuse-values', '--timeout', '240s'], values);
  await untilReplaced(here, components);
};

/** `helm rollback` to a revision. */
export const rollBack = async (here: Release, revision: number): Promise<void> => {
  await here.helm.must(['rollback', release, String(revision), '--timeout', '240s']);
  await untilReplaced(here, components);
};
