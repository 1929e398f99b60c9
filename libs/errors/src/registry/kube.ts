import { entries } from '../entry.ts';

/** Failures of calls to the Kubernetes API server. `{target}` is method and path, never the query. */
export const kubeErrors = entries({
  kube_access_missing: {
    next: 'alert',
    status: 500,
    text: 'There is no access to the cluster: {problem}; {remedy}',
    check: 'The service account of the pod and its mounted token, or the kubeconfig.',
  },
  kube_unreachable: {
    next: 'retry',
    status: 503,
    text: '{target}: the API server gave no usable answer ({reason})',
    check: 'The API server, its load, and network policies between the two.',
  },
  kube_throttled: {
    next: 'retry',
    status: 503,
    text: '{target}: the API server asks to wait ({status})',
    check: 'The load of the API server and its priority and fairness rules.',
  },
  kube_unauthorized: {
    next: 'alert',
    status: 401,
    text: '{target}: the API server refuses the credentials; renew the token of the service account',
    check: 'Whether the service account still exists and its token is mounted.',
  },
  kube_forbidden: {
    next: 'alert',
    status: 403,
    text: '{target}: the service account lacks this right; add it to its role ({reason})',
    check: 'The Role or ClusterRole and its binding.',
  },
  kube_not_found: {
    next: 'skip',
    status: 404,
    text: '{target}: there is nothing there; it was deleted, or its kind is not installed',
    check: 'Whether the namespace and the definition of the kind exist.',
  },
  kube_exists: {
    next: 'retry',
    status: 409,
    text: '{target}: the object already exists; read it and continue with it',
    check: 'Who made the object: its owner references and managed fields.',
  },
  kube_conflict: {
    next: 'retry',
    status: 409,
    text: '{target}: the object has changed since it was read; read it again',
    check: 'Who else writes to the object: its managed fields.',
  },
  kube_version_gone: {
    next: 'retry',
    status: 410,
    text: '{target}: the version asked for is gone; list again',
    check: 'Nothing: the API server keeps a few minutes of history.',
  },
  kube_refused: {
    next: 'dead',
    status: 400,
    text: '{target}: the API server refuses this ({status}): {reason}; fix what it names',
    check: 'The message of the API server, and whether the custom resource definition is current.',
  },
  kube_answer_unreadable: {
    next: 'retry',
    status: 502,
    text: '{target}: the response is not one of an API server ({problem})',
    check: 'Whether a proxy answers in place of the API server.',
  },
});
