import { accessSync, constants } from 'node:fs';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ClientNode } from './client.ts';
import { accessMissing, loginError } from './errors.ts';

/** A kubeconfig, and its context. */
export interface KubeConfigFile {
  /** Path of a kubeconfig. */
  readonly file: string;
  /** Default: the current context of the file. */
  readonly context?: string | undefined;
}

const inPod = 'run in a pod with a service account and its token mounted, or give a kubeconfig';
const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Loads the access of a pod: its service account, whose token client-node reads again each minute.
 * @param root prefix of the mounted files; default: where Kubernetes mounts them
 * @throws RelayError `kube_access_missing`
 */
export const loadFromPod = async ({ KubeConfig }: Pick<ClientNode, 'KubeConfig'>, root = ''): Promise<KubeConfig> => {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (!host || !port) throw accessMissing('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set', inPod);
  for (const name of ['token', 'ca.crt'])
    try {
      accessSync(`${root}${mounted}/${name}`, constants.R_OK);
    } catch {
      throw accessMissing(`the file ${name} of the service account cannot be read`, inPod);
    }
  const config = new KubeConfig();
  config.loadFromCluster(root);
  return config;
};

/**
 * Loads the access that a kubeconfig describes: certificates, a token, a user name with a password, or the token of an exec plugin or an
 * identity provider. The plugin runs once here, so that the calls that follow find its token.
 * @throws RelayError `kube_access_missing`
 */
export const loadFromFile = async (
  { KubeConfig }: Pick<ClientNode, 'KubeConfig'>,
  { file, context }: KubeConfigFile,
): Promise<KubeConfig> => {
  const chosen = context === undefined ? '' : ` --context ${context}`;
  const remedy = `see whether "kubectl --kubeconfig ${file}${chosen} get namespaces" works`;
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
  } catch (error) {
    throw loginError(file, remedy, error);
  }
  if (context !== undefined) config.setCurrentContext(context);
  const { currentContext } = config;
  if (!config.getContextObject(currentContext))
    throw accessMissing(`${file}: it has no context "${currentContext}"`, remedy);
  if (!config.getCurrentCluster())
    throw accessMissing(`${file}: it has no cluster for the context "${currentContext}"`, remedy);
  try {
    await config.applyToHTTPSOptions({});
  } catch (error) {
    throw loginError(file, remedy, error);
  }
  return config;
};
