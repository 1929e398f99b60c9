import type { Resource } from '@ranger-relay/operator-kit';
import type { Kind } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { Command } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import { writes } from '../decide/job-lifecycle.ts';
import { places } from './command.ts';

const texts = z.record(z.string(), z.string());

/** What an installation adds to the pods of its Jobs. Their form below the names is the API server's to check. */
const podOptionsSchema = z.strictObject({
  labels: texts.optional(),
  annotations: texts.optional(),
  nodeSelector: texts.optional(),
  tolerations: z.array(z.looseObject({})).optional(),
  affinity: z.looseObject({}).optional(),
  priorityClassName: z.string().optional(),
  env: z.array(z.looseObject({ name: z.string() })).default([]),
  /** User and group; null where the cluster gives each namespace its own. */
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

/** The same as JSON in a variable. */
export const podOptions: Kind<PodOptions> = {
  schema: z.string().max(20_000).transform(parsed).pipe(podOptionsSchema),
  format: 'a JSON object with options of a pod',
};

/** Pods of a cluster. */
export const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

type Json = Readonly<Record<string, unknown>>;

/** How pods of Jobs are made, the same for all. */
export interface JobSettings {
  readonly image: string;
  readonly pullPolicy: string;
  readonly pullSecrets: readonly string[];
  readonly serviceAccount: string | undefined;
  /** MiB; the heap of Node follows from it. */
  readonly memoryMiB: number;
  /** How long a pod may work, seconds. */
  readonly deadlineS: number;
  readonly pod: PodOptions;
}

/** A write under way may take 120 seconds of them. */
const graceS = 150;
/** Code and buffers of Node beside its heap, MiB. */
const besideHeapMiB = 112;
/** Waiting for a node, volumes and the image, seconds. */
const startS = 900;

/** How long a Job may exist before it is ended, seconds: its pod’s own deadline comes first, so that its last words are kept. */
export const jobDeadlineS = ({ deadlineS }: JobSettings): number => startS + deadlineS + graceS + 60;

const readsBundle = (command: Command): boolean => !['apply', 'undo', 'undo-plan', 'prune'].includes(command);
const asksSite = (command: Command): boolean => command !== 'prune';

const secretItem = ({ name, key }: SyncSpec['site']['token'], path: string): Json => ({
  secret: { name, items: [{ key, path }] },
});

const bundleVolume = ({ bundle, output }: SyncSpec): Json => {
  if (bundle.claim === undefined) return { name: 'bundle', configMap: { name: bundle.configMap } };
  const claimName = bundle.claim.name;
  // One volume that is mounted twice is asked for in one way.
  const readOnly = claimName === output.claimName ? {} : { readOnly: true };
  return { name: 'bundle', persistentVolumeClaim: { claimName, ...readOnly } };
};

const siteVolume = ({ site: { token, ca } }: SyncSpec): Json => ({
  name: 'site',
  projected: {
    defaultMode: 0o440,
    sources: [secretItem(token, 'token'), ...(ca ? [secretItem(ca, 'ca.pem')] : [])],
  },
});

const volumes = (spec: SyncSpec, command: Command): readonly Json[] => [
  { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
  ...(asksSite(command) ? [siteVolume(spec)] : []),
  ...(readsBundle(command) ? [bundleVolume(spec)] : []),
  { name: 'output', persistentVolumeClaim: { claimName: spec.output.claimName } },
];

const mounts = (command: Command): readonly Json[] => [
  { name: 'tmp', mountPath: '/tmp' },
  ...(asksSite(command) ? [{ name: 'site', mountPath: places.site, readOnly: true }] : []),
  ...(readsBundle(command) ? [{ name: 'bundle', mountPath: places.bundle, readOnly: true }] : []),
  { name: 'output', mountPath: places.output, ...(command === 'undo-plan' ? { readOnly: true } : {}) },
];

/** An argument that the kubelet hands on as it is: it would put a variable's value for $(NAME), and makes $ of $$. */
const literal = (arg: string): string => arg.replaceAll('$', '$$$$');

const container = (settings: JobSettings, command: Command, args: readonly string[]): Json => ({
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

/** Where a cluster gives each namespace users of its own, a pod that names another one is refused. */
const user = ({ runAsUser }: PodOptions): Json =>
  runAsUser === null ? {} : { runAsUser, runAsGroup: runAsUser, fsGroup: runAsUser };

const placement = ({ nodeSelector, tolerations, affinity, priorityClassName }: PodOptions): Json => ({
  ...(nodeSelector ? { nodeSelector } : {}),
  ...(tolerations ? { tolerations } : {}),
  ...(affinity ? { affinity } : {}),
  ...(priorityClassName ? { priorityClassName } : {}),
});

/** The pod of a Job: it keeps to Pod Security `restricted`, has no token for the API server and reads that of the site from a file. */
export const podOf = (spec: SyncSpec, settings: JobSettings, command: Command, args: readonly string[]): Json => ({
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
