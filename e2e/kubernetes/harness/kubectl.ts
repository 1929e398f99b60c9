import type { Finished } from '../../src/harness/product.ts';
import { call, must } from './call.ts';
import type { KubernetesNode } from './node.ts';

/** Speaks with the API server, in one namespace. */
export interface Kubectl {
  readonly namespace: string;
  /** Runs `kubectl <args>`; a refusal is an answer too. */
  run(...args: readonly string[]): Promise<Finished>;
  /** Runs `kubectl <args>`; what it printed. @throws with what it said when it fails */
  must(...args: readonly string[]): Promise<string>;
  /** Runs `kubectl get <args>`; the object or the list. */
  get<T>(...args: readonly string[]): Promise<T>;
  /** Creates or changes objects. */
  apply(...objects: readonly object[]): Promise<void>;
}

/** A kubectl for a namespace. */
export const kubectlIn = (node: Pick<KubernetesNode, 'env'>, namespace: string): Kubectl => {
  const full = (args: readonly string[]): string[] => ['--namespace', namespace, ...args];
  const { env } = node;
  return {
    namespace,
    run: (...args) => call('kubectl', full(args), { env }),
    must: (...args) => must('kubectl', full(args), { env, timeoutMs: 300_000 }),
    async get<T>(...args: readonly string[]) {
      return JSON.parse(await must('kubectl', full(['get', ...args, '--output', 'json']), { env })) as T;
    },
    async apply(...objects) {
      const list = { apiVersion: 'v1', kind: 'List', items: objects };
      await must('kubectl', full(['apply', '--server-side', '--filename', '-']), { env, input: JSON.stringify(list) });
    },
  };
};
