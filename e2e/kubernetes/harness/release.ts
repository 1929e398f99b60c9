import { fileURLToPath } from 'node:url';
import type { V1Service } from '@kubernetes/client-node';
import type { KubeObject, Pod } from './wire.ts';
import type { Finished } from '../../src/harness/product.ts';
import { until } from '../../src/harness/until.ts';
import { writeDown } from './diagnose.ts';
import { helmIn, type Helm } from './helm.ts';
import { loadImages } from './images.ts';
import type { Kubectl } from './kubectl.ts';
import { openNamespace, removeNamespace } from './namespace.ts';
import type { KubernetesNode } from './node.ts';
import { servicesTo, startOutside, type Outside, type OutsideOptions } from './outside.ts';
import { podsOf } from './pods.ts';
import { installSettings } from './readme.ts';

/** The product on the cluster, with a broker, a store and a platform outside. */
export interface Release {
  readonly node: KubernetesNode;
  readonly outside: Outside;
  readonly platform: Outside['platform'];
  readonly kubectl: Kubectl;
  readonly helm: Helm;
  /** What the webhook wants to see. */
  readonly token: string;
  /** Address of the webhook through the Service; known once it is installed. */
  readonly webhookUrl: string;
  /** Installs the chart as the README says and waits until everything is ready, unless told not to; ms that it took. */
  install(values?: Values, wait?: boolean): Promise<number>;
  remove(): Promise<void>;
}

/** The chart of the product. */
export const chart = fileURLToPath(new URL('../../../charts/ranger-relay', import.meta.url));

/** Name of a release, and of its Secret. */
export const release = 'ranger-relay';

/** Services of a release, as its deployments end in. */
export const components = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'] as const;

/** The block of values of each of them. */
export const blocks: Readonly<Record<(typeof components)[number], string>> = {
  'webhook-ingester': 'ingester',
  'observation-forwarder': 'forwarder',
  'message-pusher': 'pusher',
  'action-runner': 'runner',
};

/** Name of the deployment and of the Service of a component. */
export const nameOf = (component: string): string => `${release}-${component}`;

/** Bearer token of those who run actions. */
export const actionsToken = 'e2e-caller-token';
/** Token of the vendor's webhooks. */
export const webhookToken = 'e2e-webhook-token';

/** The Secret that the README makes. */
export const secretOf = ({ platform }: Pick<Outside, 'platform'>, integrations: readonly string[]): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: release },
  stringData: {
    PLATFORM_CLIENT_SECRET: platform.env['PLATFORM_CLIENT_SECRET'],
    AUTH_TOKEN: actionsToken,
    WEBHOOK_TOKENS_FILE: JSON.stringify(Object.fromEntries(integrations.map((id) => [id, [webhookToken]]))),
  },
});

/** What `helm test` of the release printed, and whether it passed. */
export const testOf = (helm: Helm): Promise<Finished> => helm.run(['test', release, '--logs', '--timeout', '180s']);

/** Pods of every service of a release. */
export const everyPod = async (kubectl: Kubectl): Promise<readonly Pod[]> =>
  (await Promise.all(components.map((component) => podsOf(kubectl, component)))).flat();

/** Address of the webhook through a Service. */
export const webhookOf = async (kubectl: Kubectl, service = nameOf('webhook-ingester')): Promise<string> => {
  const { spec } = await kubectl.get<KubeObject<V1Service>>('service', service);
  return `http://${spec?.clusterIP}/webhooks`;
};

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values with others on top, key by key, as helm lays several files over each other. */
export const overlay = (below: Values, above: Values): Values => ({
  ...below,
  ...Object.fromEntries(
    Object.entries(above).map(([key, value]) => {
      const under = below[key];
      return [key, isValues(under) && isValues(value) ? overlay(under, value) : value];
    }),
  ),
});

/** What differs from a real installation: the simulated platform is in a private network, and speaks plain HTTP. */
export const ofThisHarness = ({ networks }: Pick<KubernetesNode, 'networks'>): Values => ({
  config: { HTTP_ALLOWED_NETWORKS: networks },
  // There is one broker.
  kafka: { topics: { replication: 1 } },
});

/** A namespace with what the chart wants to find there, the world outside, and nothing installed yet. */
export const prepareRelease = async (
  node: KubernetesNode,
  namespace: string,
  integrations: readonly string[],
  harness: OutsideOptions = {},
): Promise<Release> => {
  await loadImages(node);
  const [kubectl, outside] = await Promise.all([
    openNamespace(node, namespace),
    startOutside(node, integrations, harness),
  ]);
  await kubectl.apply(...servicesTo(outside), secretOf(outside, integrations));
  const helm = helmIn(node, namespace);
  let webhookUrl = '';

  return {
    node,
    outside,
    platform: outside.platform,
    kubectl,
    helm,
    token: webhookToken,
    get webhookUrl() {
      return webhookUrl;
    },
    async install(values = {}, wait = true) {
      const began = performance.now();
      const settings = [...(wait ? ['--wait', '--timeout', '180s'] : []), ...installSettings(outside)];
      await helm.must(['install', release, chart, ...settings], overlay(ofThisHarness(node), values));
      const ms = performance.now() - began;
      webhookUrl = await webhookOf(kubectl);
      // kube-proxy learns of a new Service a little later than helm.
      const answers = async (): Promise<boolean> => (await fetch(webhookUrl, { method: 'POST' })).status > 0;
      if (wait) await until('the Service answers', answers);
      return ms;
    },
    async remove() {
      await writeDown(kubectl);
      await removeNamespace(node, namespace);
      await outside.end();
    },
  };
};
