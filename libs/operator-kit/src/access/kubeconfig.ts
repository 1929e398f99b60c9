import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { cutText, isRelayError, RelayError } from '@ranger-relay/errors';
import { redactText } from '@ranger-relay/runtime';
import type { Access, Credentials } from './access.ts';

/** Selects a cluster. */
export interface KubeConfigOptions {
  /** Path of a kubeconfig. */
  readonly file: string;
  /** Default: the current context of the file. */
  readonly context?: string | undefined;
}

/** Only the first line, without a snippet of the file: the rest of the message may contain a token. */
const reasonOf = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'its exec plugin printed no JSON';
  const [line = ''] = (error instanceof Error ? error.message : '').split('\n');
  return cutText(redactText(line), 300);
};

const missing = ({ file, context }: KubeConfigOptions, problem: string): RelayError => {
  const chosen = context === undefined ? '' : ` --context ${context}`;
  const remedy = `see whether "kubectl --kubeconfig ${file}${chosen} get namespaces" works`;
  return new RelayError('kube_access_missing', { details: { problem: `${file}: ${problem}`, remedy } });
};

/** Imports the module on demand and not through the index, which would also load every model of the API. A pod needs neither. */
const newConfig = async (): Promise<KubeConfig> => {
  const client = await import('@kubernetes/client-node/dist/config.js');
  return new client.KubeConfig();
};

const load = async (options: KubeConfigOptions): Promise<KubeConfig> => {
  const config = await newConfig();
  try {
    config.loadFromFile(options.file);
  } catch (error) {
    throw missing(options, reasonOf(error));
  }
  if (options.context !== undefined) config.setCurrentContext(options.context);
  const { currentContext } = config;
  if (!config.getContextObject(currentContext)) throw missing(options, `it has no context "${currentContext}"`);
  if (!config.getCurrentCluster()) throw missing(options, `it has no cluster for the context "${currentContext}"`);
  return config;
};

const credentialsOf = async (config: KubeConfig): Promise<Credentials> => {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { agent, auth, headers, ...tls } = options;
  return {
    headers: {
      ...(headers as Record<string, string> | undefined),
      ...(auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {}),
    },
    tls,
    ...(config.getCurrentCluster()?.proxyUrl ? { agent: agent as Agent } : {}),
  };
};

/**
 * Creates the access from a kubeconfig: certificates, a token, a user name with a password, or the token of an exec plugin or an identity
 * provider.
 * @throws RelayError `kube_access_missing`
 */
export const kubeConfigAccess = async (options: KubeConfigOptions): Promise<Access> => {
  let config = await load(options);
  let isRefused = false;
  let pending: Promise<Credentials> | undefined;
  const read = async (): Promise<Credentials> => {
    try {
      // A new object has no cached tokens.
      if (isRefused) config = await load(options);
      isRefused = false;
      return await credentialsOf(config);
    } catch (error) {
      throw isRelayError(error) ? error : missing(options, reasonOf(error));
    } finally {
      pending = undefined;
    }
  };
  return {
    server: config.getCurrentCluster()?.server ?? '',
    namespace: config.getContextObject(config.currentContext)?.namespace,
    // Concurrent calls run an exec plugin once, because it may open a browser.
    credentials: () => (pending ??= read()),
    refused() {
      isRefused = true;
    },
  };
};
