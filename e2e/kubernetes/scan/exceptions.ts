import type { Exception } from './findings.ts';

const cpu =
  'A limit on CPU slows a service down when it has most to do; requests share the CPU, and memory, which cannot be shared, is limited.';
const pull =
  'Images are named by version or digest and never change; with Always a park with a poor link could not start a pod again.';

const once =
  'The Pod of a helm test runs once and ends: nobody waits for it to be ready, and Helm sees whether it lives.';

const assigned =
  'This file of values is for a cluster that gives each namespace its users, as OpenShift does; a user of the chart would be refused there.';

/** Every check that does not count, each with its reason. One that nothing trips over is an error too. */
export const exceptions: readonly Exception[] = [
  { scanner: 'kube-score', check: 'container-resources', why: cpu },
  { scanner: 'checkov', check: 'CKV_K8S_11', why: cpu },
  { scanner: 'kube-score', check: 'container-image-pull-policy', why: pull },
  { scanner: 'checkov', check: 'CKV_K8S_15', why: pull },
  {
    scanner: 'checkov',
    check: 'CKV_K8S_43',
    why: 'A digest is a value (image.digest); the default is the version of the chart, for installations without a registry.',
  },
  {
    scanner: 'checkov',
    check: 'CKV_K8S_38',
    kind: 'Deployment',
    why: 'The operator works by the API server; an invariant holds that its pods alone have a token, and no others.',
  },
  {
    scanner: 'kube-score',
    check: 'deployment-strategy',
    kind: 'Deployment',
    why: 'The operator is replaced and never doubled: a second one would repeat its calls, and nobody waits for the seconds between.',
  },
  {
    scanner: 'kube-score',
    check: 'service-type',
    kind: 'Service',
    why: 'The default is ClusterIP; a value chooses NodePort for a cluster without a load balancer, and one file of values here does.',
  },
  {
    scanner: 'kube-score',
    check: 'container-security-context-user-group-id',
    rendering: 'operator-namespaces-values',
    why: assigned,
  },
  { scanner: 'checkov', check: 'CKV_K8S_40', rendering: 'operator-namespaces-values', why: assigned },
  { scanner: 'checkov', check: 'CKV_K8S_8', kind: 'Pod', why: once },
  { scanner: 'checkov', check: 'CKV_K8S_9', kind: 'Pod', why: once },
  {
    scanner: 'kube-score',
    check: 'deployment-replicas',
    kind: 'Deployment',
    why: 'A small installation runs one process of a service; nothing is lost while it restarts. More are a value, or autoscaling.',
  },
];
