import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { Access, Credentials } from './access.ts';

/** The location of the service account in a pod. */
export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Folder of token, certificate and namespace; default: where Kubernetes mounts them. */
  readonly folder?: string;
}

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Kubernetes replaces mounted tokens while a pod runs, hours before they expire. */
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

/** Creates the access of a pod from its service account. @throws RelayError `kube_access_missing` */
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
      // The previous credentials remain valid while Kubernetes replaces the files.
      known = await read().catch(() => known);
      return known;
    },
    refused() {
      readAt = -Infinity;
    },
  };
};
