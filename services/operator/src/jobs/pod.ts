import type {
  V1Container,
  V1PodSecurityContext,
  V1PodSpec,
  V1SecretProjection,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';
import type { Kind } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { Command } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import { writes } from '../decide/job-lifecycle.ts';
import { places } from './command.ts';

const texts = z.record(z.string(), z.string());

/** Pod settings of an installation. The API server validates the structure below the top-level names. */
const podOptionsSchema = z.strictObject({
  labels: texts.optional(),
  annotations: texts.optional(),
  nodeSelector: texts.optional(),
  tolerations: z.array(z.looseObject({})).optional(),
  affinity: z.looseObject({}).optional(),
  priorityClassName: z.string().optional(),
  env: z.array(z.looseObject({ name: z.string() })).default([]),
  /** User and group ID; null where the cluster assigns one to each namespace. */
  runAsUser: z.int().min(1).nullable().default(65_532),
});

type PodOptions = z.infer<typeof podOptionsSchema>;

const parsed = (text: string, context: z.RefinementCtx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'it is no JSON' });
    return z.NEVER;
  }
};

/** Reads pod options from an environment variable that holds JSON. */
export const podOptions: Kind<PodOptions> = {
  schema: z.string().max(20_000).transform(parsed).pipe(podOptionsSchema),
  format: 'a JSON object with options of a pod',
};

/** Settings that all Job pods share. */
export interface JobSettings {
  readonly image: string;
  readonly pullPolicy: string;
  readonly pullSecrets: readonly string[];
  readonly serviceAccount: string | undefined;
  /** Memory limit in MiB; determines the heap size of Node. */
  readonly memoryMiB: number;
  /** Active deadline of a pod, in seconds. */
  readonly deadlineS: number;
  readonly pod: PodOptions;
}

/** Termination grace period in seconds; a write in progress may take 120 of them. */
const graceS = 150;
/** Memory that Node needs in addition to its heap, in MiB. */
const besideHeapMiB = 112;
/** Time allowed for scheduling, mounting volumes and pulling the image, in seconds. */
const startS = 900;

/** Active deadline of a Job, in seconds. The pod's own deadline expires first, so that its termination message is kept. */
export const jobDeadlineS = ({ deadlineS }: JobSettings): number => startS + deadlineS + graceS + 60;

const readsBundle = (command: Command): boolean => !['apply', 'undo', 'undo-plan', 'prune'].includes(command);
const asksSite = (command: Command): boolean => command !== 'prune';

const secretItem = (
  { name, key }: SyncSpec['site']['token'],
  path: string,
): { readonly secret: V1SecretProjection } => ({
  secret: { name, items: [{ key, path }] },
});

const bundleVolume = ({ bundle, output }: SyncSpec): V1Volume => {
  if (bundle.claim === undefined) return { name: 'bundle', configMap: { name: bundle.configMap ?? '' } };
  const claimName = bundle.claim.name;
  // A claim that is mounted twice must be requested with the same access mode.
  const readOnly = claimName === output.claimName ? {} : { readOnly: true };
  return { name: 'bundle', persistentVolumeClaim: { claimName, ...readOnly } };
};

const siteVolume = ({ site: { token, ca } }: SyncSpec): V1Volume => ({
  name: 'site',
  projected: {
    defaultMode: 0o440,
    sources: [secretItem(token, 'token'), ...(ca ? [secretItem(ca, 'ca.pem')] : [])],
  },
});

const volumes = (spec: SyncSpec, command: Command): V1Volume[] => [
  { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
  ...(asksSite(command) ? [siteVolume(spec)] : []),
  ...(readsBundle(command) ? [bundleVolume(spec)] : []),
  { name: 'output', persistentVolumeClaim: { claimName: spec.output.claimName } },
];

const mounts = (command: Command): V1VolumeMount[] => [
  { name: 'tmp', mountPath: '/tmp' },
  ...(asksSite(command) ? [{ name: 'site', mountPath: places.site, readOnly: true }] : []),
  ...(readsBundle(command) ? [{ name: 'bundle', mountPath: places.bundle, readOnly: true }] : []),
  { name: 'output', mountPath: places.output, ...(command === 'undo-plan' ? { readOnly: true } : {}) },
];

/** Escapes an argument for the kubelet, which would otherwise expand $(NAME) and turn $$ into $. */
const literal = (arg: string): string => arg.replaceAll('$', '$$$$');

const container = (settings: JobSettings, command: Command, args: readonly string[]): V1Container => ({
  name: 'sync-tool',
  image: settings.image,
  imagePullPolicy: settings.pullPolicy,
  command: ['/usr/local/bin/node'],
  args: [
    `--max-old-space-size=${Math.floor(((settings.memoryMiB - besideHeapMiB) * 4) / 5)}`,
    '/app/sync-tool.mjs',
    ...args.map(literal),
  ],
  env: [...settings.pod.env, { name: 'SUMMARY_FILE', value: places.termination }],
  terminationMessagePath: places.termination,
  terminationMessagePolicy: 'File',
  resources: {
    requests: { cpu: '50m', memory: '128Mi', 'ephemeral-storage': '16Mi' },
    limits: { memory: `${settings.memoryMiB}Mi`, 'ephemeral-storage': '64Mi' },
  },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: mounts(command),
});

/** User fields of the pod. A cluster that assigns users to each namespace rejects a pod that names another user. */
const user = ({ runAsUser }: PodOptions): V1PodSecurityContext =>
  runAsUser === null ? {} : { runAsUser, runAsGroup: runAsUser, fsGroup: runAsUser };

const placement = ({ nodeSelector, tolerations, affinity, priorityClassName }: PodOptions): Partial<V1PodSpec> => ({
  ...(nodeSelector ? { nodeSelector } : {}),
  ...(tolerations ? { tolerations } : {}),
  ...(affinity ? { affinity } : {}),
  ...(priorityClassName ? { priorityClassName } : {}),
});

/** Builds the pod of a Job: it meets Pod Security `restricted`, has no API server token and reads the site token from a file. */
export const podOf = (spec: SyncSpec, settings: JobSettings, command: Command, args: readonly string[]): V1PodSpec => ({
  restartPolicy: 'Never',
  activeDeadlineSeconds: settings.deadlineS,
  terminationGracePeriodSeconds: writes(command) ? graceS : 30,
  ...(settings.serviceAccount === undefined ? {} : { serviceAccountName: settings.serviceAccount }),
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  ...(settings.pullSecrets.length > 0 ? { imagePullSecrets: settings.pullSecrets.map((name) => ({ name })) } : {}),
  ...placement(settings.pod),
  securityContext: {
    runAsNonRoot: true,
    ...user(settings.pod),
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containers: [container(settings, command, args)],
  volumes: volumes(spec, command),
});
