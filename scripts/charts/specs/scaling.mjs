import { asIn, flag, orNull, whole } from '../entry.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry */

const hpa = { 'autoscaling.enabled': true };
const keda = { 'keda.enabled': true };
const trigger = 'ScaledObject#spec.triggers[0].metadata';

/** @type {readonly Entry[]} */
const budgetEntries = [
  {
    ...flag,
    path: 'podDisruptionBudget.enabled',
    about: 'Whether drains of nodes take only so many pods at a time',
    default: true,
    probe: { set: false, at: 'PodDisruptionBudget#' },
  },
  {
    ...orNull(whole(1, 100), 'not used'),
    path: 'podDisruptionBudget.maxUnavailable',
    about: 'Pods that may be away at a time',
    default: 1,
    probe: { set: 2, at: 'PodDisruptionBudget#spec.maxUnavailable' },
  },
  {
    ...orNull(whole(1, 100), 'not used'),
    path: 'podDisruptionBudget.minAvailable',
    about: 'Pods that must stay, instead; fewer than there are, or no node can be drained',
    default: null,
    probe: {
      set: 1,
      with: { replicas: 3, 'podDisruptionBudget.maxUnavailable': null },
      at: 'PodDisruptionBudget#spec.minAvailable',
    },
  },
];

/** @type {readonly Entry[]} */
const autoscalerEntries = [
  {
    ...flag,
    path: 'autoscaling.enabled',
    about: 'Whether a HorizontalPodAutoscaler sets the replicas by load',
    default: false,
    probe: { set: true, at: 'HorizontalPodAutoscaler#' },
  },
  {
    ...whole(1, 100),
    path: 'autoscaling.minReplicas',
    about: 'Fewest pods',
    default: 2,
    probe: { set: 3, with: hpa, at: 'HorizontalPodAutoscaler#spec.minReplicas' },
  },
  {
    ...whole(1, 100),
    path: 'autoscaling.maxReplicas',
    about: 'Most pods; where a topic is read, not above its partitions',
    default: 6,
    probe: { set: 7, with: hpa, at: 'HorizontalPodAutoscaler#spec.maxReplicas' },
  },
  {
    ...orNull(whole(1, 10_000), 'not used'),
    path: 'autoscaling.targetCPU',
    about:
      'Processor time to aim at, percent of what is set aside: 1400 of 50m is 0.7 of a core, and a pod uses little more than one',
    default: 1_400,
    probe: { set: 150, with: hpa, at: 'HorizontalPodAutoscaler#spec.metrics[0].resource.target.averageUtilization' },
  },
  {
    ...orNull(whole(1, 1_000), 'not used'),
    path: 'autoscaling.targetMemory',
    about: 'Memory to aim at, percent of what is set aside',
    default: null,
    probe: {
      set: 90,
      with: { ...hpa, 'autoscaling.targetCPU': null },
      at: 'HorizontalPodAutoscaler#spec.metrics[0].resource.target.averageUtilization',
    },
  },
  {
    ...asIn('object', 'a behavior as in a HorizontalPodAutoscaler'),
    path: 'autoscaling.behavior',
    about: 'How fast it scales; also KEDA’s',
    default: {},
    probe: {
      set: { scaleDown: { stabilizationWindowSeconds: 77 } },
      with: hpa,
      at: 'HorizontalPodAutoscaler#spec.behavior',
    },
  },
];

/** @param {number} partitions of the topic with the fewest that a replica each is worth @returns {Entry[]} */
const kedaEntries = (partitions) => [
  {
    ...flag,
    path: 'keda.enabled',
    about: 'Whether a ScaledObject of KEDA sets the replicas by what waits on the topics',
    default: false,
    probe: { set: true, at: 'ScaledObject#' },
  },
  {
    ...whole(0, 100),
    path: 'keda.minReplicas',
    about: 'Fewest pods; 0 only where nothing but the topics asks for work',
    default: 1,
    probe: { set: 2, with: keda, at: 'ScaledObject#spec.minReplicaCount' },
  },
  {
    ...whole(1, 100),
    path: 'keda.maxReplicas',
    about: 'Most pods, not above the partitions: one more would have nothing to read',
    default: 6,
    probe: { set: 5, with: keda, at: 'ScaledObject#spec.maxReplicaCount' },
  },
  {
    ...whole(1, 1_000),
    path: 'keda.partitions',
    about: 'Partitions of the topics that are read, when they were made with others than the catalogue says',
    default: partitions,
    probe: {
      set: partitions + 20,
      with: { ...keda, 'keda.maxReplicas': partitions + 10 },
      at: 'ScaledObject#spec.maxReplicaCount',
      shows: partitions + 10,
    },
  },
  {
    ...whole(1, 1_000_000),
    path: 'keda.lagThreshold',
    about: 'Records that wait for each pod',
    default: 500,
    probe: { set: 501, with: keda, at: `${trigger}.lagThreshold`, shows: '501' },
  },
  {
    ...whole(0, 1_000_000),
    path: 'keda.activationLagThreshold',
    about: 'Records that must wait before the first pod is started, with minReplicas 0',
    default: 0,
    probe: { set: 9, with: keda, at: `${trigger}.activationLagThreshold`, shows: '9' },
  },
  {
    ...flag,
    path: 'keda.excludePersistentLag',
    about: 'Whether partitions that do not move (a broken integration waits there) are left out',
    default: true,
    probe: { set: false, with: keda, at: `${trigger}.excludePersistentLag`, shows: 'false' },
  },
  {
    ...flag,
    path: 'keda.limitToPartitionsWithLag',
    about: 'Whether there are never more pods than partitions on which something waits',
    default: true,
    probe: { set: false, with: keda, at: `${trigger}.limitToPartitionsWithLag`, shows: 'false' },
  },
  {
    ...whole(1, 3_600),
    path: 'keda.pollingInterval',
    about: 'How often KEDA looks, seconds',
    default: 15,
    probe: { set: 16, with: keda, at: 'ScaledObject#spec.pollingInterval' },
  },
  {
    ...whole(0, 86_400),
    path: 'keda.cooldownPeriod',
    about: 'How long nothing must wait before the last pod is stopped, seconds',
    default: 300,
    probe: { set: 301, with: keda, at: 'ScaledObject#spec.cooldownPeriod' },
  },
];

/**
 * How many pods there are.
 * @param {{ partitions: number | undefined }} service undefined when it reads no topic
 * @returns {Entry[]}
 */
export const scalingEntries = ({ partitions }) => [
  ...budgetEntries,
  ...autoscalerEntries,
  ...(partitions === undefined
    ? [
        {
          ...flag,
          path: 'keda.enabled',
          about: 'Stays false: this service reads no topic that could lag',
          default: false,
        },
      ]
    : kedaEntries(partitions)),
];
