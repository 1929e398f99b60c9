import type { V1NetworkPolicy, V1NetworkPolicySpec } from '@kubernetes/client-node';
import type { KubeObject, Wire } from '../harness/wire.ts';

export type Policy = KubeObject<V1NetworkPolicy> & { readonly spec: Wire<V1NetworkPolicySpec> };

/** One end of a connection: a pod, or an address outside the cluster when it has no namespace. */
export interface End {
  readonly name: string;
  readonly address: string;
  readonly namespace?: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly labels?: Readonly<Record<string, string>>;
  /** Its ports by name. */
  readonly ports?: Readonly<Record<string, number>>;
}
