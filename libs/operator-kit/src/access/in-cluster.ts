import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { Access, Credentials } from './access.ts';

/** Where a pod finds its service account. */
export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Folder of token, certificate and namespace; where Kubernetes mounts them when left out. */
  readonly folder?: string;
}

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Mounted tokens are replaced while a pod runs, hours before they run out. */
const readAgainMs = 60_000;

const missing = (problem: string): RelayError =>
  new RelayError('kube_access_missing', {
    details: { problem, remedy: 'run in a pod with a service account and its token mounted, or give a kubeconfig' },
  });

const serverOf = ({
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port,
}: InClusterOptions['environment']) => {
  if (!host || !port) throw missing('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
};

const readText = async (folder: string, name: string): Promise<string> => {
  const text = await readFile(join(folder, name), 'utf8').catch(() => '');
  if (text.trim() === '') throw missing(`the file ${name} of the service account cannot be read, or is empty`);
  return text.trim();
};

/**
 * The access of a pod by its service account.
 * @throws RelayError `kube_access_missing`
 */
export const inClusterAccess = async (options: InClusterOptions): Promise<Access> => {
  const { environment, clock, folder = mounted } = options;
  const server = serverOf(environment);
  const read = async (): Promise<Credentials> => {
    const [ca, token] = await Promise.all([readText(folder, 'ca.crt'), readText(folder, 'token')]);
    return { headers: { authorization: `Bearer ${token}` }, tls: { ca } };
  };
  let known = await read();
  let readAt = clock.monotonic();

  return {
    server,
    namespace: await readText(folder, 'namespace').catch(() => undefined),
    async credentials() {
      if (clock.monotonic() - readAt < readAgainMs) return known;
      readAt = clock.monotonic();
      // While files are being swapped the last ones still hold.
      known = await read().catch(() => known);
      return known;
    },
    refused() {
      readAt = -Infinity;
    },
  };
};
