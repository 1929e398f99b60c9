import type { Finished } from '../../src/harness/product.ts';
import { call, must } from './call.ts';
import type { KubernetesNode } from './node.ts';

/** helm, in one namespace. */
export interface Helm {
  /** Runs `helm <args>` with values on top; a failure is an answer too. */
  run(args: readonly string[], values?: object): Promise<Finished>;
  /** Runs `helm <args>` with values on top; what it printed. @throws with what it said when it fails */
  must(args: readonly string[], values?: object): Promise<string>;
}

const timeoutMs = 300_000;

const input = (values?: object): { input?: string } => (values ? { input: JSON.stringify(values) } : {});

/** A helm for a namespace. Values come in as one more file. */
export const helmIn = ({ env }: Pick<KubernetesNode, 'env'>, namespace: string): Helm => {
  const full = (args: readonly string[], values?: object): string[] => [
    ...args,
    '--namespace',
    namespace,
    ...(values ? ['--values', '-'] : []),
  ];
  return {
    run: (args, values) => call('helm', full(args, values), { env, timeoutMs, ...input(values) }),
    must: (args, values) => must('helm', full(args, values), { env, timeoutMs, ...input(values) }),
  };
};
