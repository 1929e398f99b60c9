/** Selects by labels. Everything when empty. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** One side that a rule names. */
export interface Peer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

/** One port or range that a rule names; TCP and all ports unless it says otherwise. */
export interface PolicyPort {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}

/** One rule of a policy, for one direction. */
export interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly PolicyPort[];
}

/** A NetworkPolicy of networking.k8s.io/v1. */
export interface Policy {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly podSelector: LabelSelector;
    readonly policyTypes?: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

/** One end of a connection: a pod, or an address outside the cluster when it has no namespace. */
export interface End {
  readonly name: string;
  readonly address: string;
  readonly namespace?: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly labels?: Readonly<Record<string, string>>;
  /** Its ports by name. */
  readonly ports?: Readonly<Record<string, number>>;
}
