import { fileRef, flag, matching, nameOrNothing, oneOf, quantity, secretRef, texts, whole } from '../../entry.mjs';
import { peers } from '../policy.mjs';

/** @typedef {import('../../entry.mjs').Entry} Entry */

const job = 'spec.jobTemplate.spec';
const pod = `${job}.template.spec`;
const container = `${pod}.containers[0]`;
const run = 'CronJob/release-patrol-sync#';

/** What names a file in the folder of the checklist: as long as an archive can hold. */
const fileName = matching('a file name', '^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$');
const folder = matching(
  'a path inside the volume, or nothing',
  '^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,60}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,60}){0,5})?$',
);
const recordName = '^patrol-datamodel-run-[0-9]{8}T[0-9]{6}Z[.]json$';

/** The site and how it is reached. @param {string} addressPattern @returns {Entry[]} */
export const siteEntries = (addressPattern) => [
  {
    ...matching('host, host:port or https://host', `^$|${addressPattern}`),
    path: 'site.endpoint',
    about: 'Where the site is (`--site-endpoint`)',
    default: '',
    refuses: { value: 'ftp://site.example', says: 'endpoint' },
    probe: {
      set: 'probe.example',
      at: `${run}${container}.args[=--site-endpoint=probe.example]`,
      shows: '--site-endpoint=probe.example',
    },
  },
  {
    ...secretRef,
    path: 'site.token',
    about: 'Secret that holds the API token of the site; each Job reads it anew',
    probe: {
      set: { name: 'probe', key: 'k' },
      at: `${run}${pod}.volumes[name=site].projected.sources[0].secret.name`,
      shows: 'probe',
    },
  },
  {
    ...fileRef,
    path: 'site.ca',
    about: 'Certificate (PEM) of an authority to trust, beside the well-known ones (`--ca-file`)',
    probe: {
      set: { name: 'probe', key: 'k', kind: 'ConfigMap' },
      at: `${run}${pod}.volumes[name=site].projected.sources[1].configMap.name`,
      shows: 'probe',
    },
  },
];

const withoutClaim = { 'bundle.claim.name': '', 'bundle.claim.path': '' };
const withoutConfigMap = { 'bundle.configMap': '' };

/** @type {readonly Entry[]} */
export const bundleEntries = [
  {
    ...nameOrNothing,
    path: 'bundle.claim.name',
    about: 'PersistentVolumeClaim that holds the bundle; it is mounted for reading alone',
    default: '',
    probe: {
      set: 'probe',
      with: withoutConfigMap,
      at: `${run}${pod}.volumes[name=bundle].persistentVolumeClaim.claimName`,
    },
  },
  {
    ...folder,
    path: 'bundle.claim.path',
    about: 'Folder of the bundle in that volume; the volume itself when empty',
    default: '',
    probe: {
      set: 'exports/first',
      with: { ...withoutConfigMap, 'bundle.claim.name': 'probe' },
      at: `${run}${container}.args[=--bundle=/bundle/exports/first]`,
      shows: '--bundle=/bundle/exports/first',
    },
  },
  {
    ...nameOrNothing,
    path: 'bundle.configMap',
    about: 'ConfigMap that holds the files of the bundle, for one of at most 1 MiB; in place of a claim',
    default: '',
    probe: { set: 'probe', with: withoutClaim, at: `${run}${pod}.volumes[name=bundle].configMap.name` },
  },
];

const claim = 'PersistentVolumeClaim#';

/** @type {readonly Entry[]} */
export const outputEntries = [
  {
    ...flag,
    path: 'output.claim.create',
    about: 'Whether to make the volume of checklists and run records; it stays when the chart is uninstalled',
    default: true,
    probe: { set: false, with: { 'output.claim.name': 'probe' }, at: claim, shows: false },
  },
  {
    ...nameOrNothing,
    path: 'output.claim.name',
    about:
      'Name of the volume’s claim: of the one to make, or of one that is there; the name of the objects and -output when empty',
    default: '',
    probe: { set: 'probe', at: `${run}${pod}.volumes[name=output].persistentVolumeClaim.claimName` },
  },
  {
    ...quantity,
    path: 'output.claim.size',
    about: 'Size of the volume',
    default: '1Gi',
    probe: { set: '2Gi', at: `${claim}spec.resources.requests.storage` },
  },
  {
    ...nameOrNothing,
    path: 'output.claim.storageClassName',
    about: 'Class of the volume; that of the cluster when empty',
    default: '',
    probe: { set: 'probe', at: `${claim}spec.storageClassName` },
  },
  {
    ...oneOf('ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod'),
    path: 'output.claim.accessMode',
    about: 'ReadWriteMany lets Jobs of several nodes have it at once; one waits for the other all the same',
    default: 'ReadWriteOnce',
    probe: { set: 'ReadWriteMany', at: `${claim}spec.accessModes[0]` },
  },
  {
    ...texts,
    path: 'output.claim.annotations',
    about: 'More annotations of the claim',
    default: {},
    probe: { set: { probe: 'x' }, at: `${claim}metadata.annotations.probe`, shows: 'x' },
  },
  {
    ...folder,
    path: 'output.folder',
    about:
      'Folder on the volume for checklist, records and lock; one for each conservation area when they share a volume',
    default: '',
    probe: {
      set: 'north',
      at: `${run}${container}.args[=--checklist=/output/north/checklist.md]`,
      shows: '--checklist=/output/north/checklist.md',
    },
  },
  {
    ...fileName,
    path: 'output.checklist',
    about: 'Name of the checklist; that of a plan begins with plan- (`--checklist`)',
    default: 'checklist.md',
    probe: {
      set: 'list.md',
      at: `${run}${container}.args[=--checklist=/output/list.md]`,
      shows: '--checklist=/output/list.md',
    },
  },
  {
    ...fileName,
    path: 'output.plan',
    about: 'Name of the plan that -plan writes and -apply carries out (`--plan-out`, `--plan`)',
    default: 'plan.json',
    probe: {
      set: 'p.json',
      at: `CronJob/-apply#${container}.args[=--plan=/output/p.json]`,
      shows: '--plan=/output/p.json',
    },
  },
  {
    ...matching('a file name, or nothing', '^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,80})?$'),
    path: 'output.show',
    about: 'File that -show prints; the checklist when empty',
    default: '',
    probe: {
      set: 'plan-checklist.md',
      at: `CronJob/-show#${container}.args[=plan-checklist.md]`,
      shows: 'plan-checklist.md',
    },
  },
];

/** @type {readonly Entry[]} */
export const recordEntries = [
  {
    schema: { type: 'array', maxItems: 100, uniqueItems: true, items: { type: 'string', pattern: recordName } },
    takes: 'names of run records',
    path: 'undo.records',
    about: 'Runs that -undo takes back; the newest one when empty',
    default: [],
    probe: {
      set: ['patrol-datamodel-run-20260131T140311Z.json'],
      at: `CronJob/-undo#${container}.args[=/output/patrol-datamodel-run-20260131T140311Z.json]`,
      shows: '/output/patrol-datamodel-run-20260131T140311Z.json',
    },
  },
  {
    ...matching('name of a run record, or nothing', `^$|${recordName}`),
    path: 'resume.record',
    about: 'Run that -resume finishes; the newest one when empty',
    default: '',
    probe: {
      set: 'patrol-datamodel-run-20260131T140311Z.json',
      at: `CronJob/-resume#${container}.args[=/output/patrol-datamodel-run-20260131T140311Z.json]`,
      shows: '/output/patrol-datamodel-run-20260131T140311Z.json',
    },
  },
];

/** @type {readonly Entry[]} */
export const jobEntries = [
  {
    ...whole(60, 604_800),
    path: 'job.deadlineSeconds',
    about: 'How long a pod may work, seconds; it is then asked to end as by hand, and -resume goes on',
    default: 7_200,
    probe: { set: 3_600, at: `${run}${pod}.activeDeadlineSeconds` },
  },
  {
    ...whole(60, 604_800),
    path: 'job.startSeconds',
    about: 'How long its pod may wait for a node, volumes and the image before that, seconds',
    default: 900,
    probe: { set: 1_000, at: `${run}${job}.activeDeadlineSeconds`, shows: 8_410 },
  },
  {
    ...whole(150, 3_600),
    path: 'job.terminationGracePeriodSeconds',
    about: 'How long a pod may take to its end, seconds: a write under way may take 120 of them',
    default: 150,
    probe: { set: 200, at: `${run}${pod}.terminationGracePeriodSeconds` },
  },
  {
    ...whole(3_600, 31_536_000),
    path: 'job.ttlSecondsAfterFinished',
    about:
      'How long a Job that has ended stays, with its log and its termination message, seconds; records stay anyway',
    default: 2_592_000,
    probe: { set: 86_400, at: `${run}${job}.ttlSecondsAfterFinished` },
  },
  {
    ...whole(1, 100),
    path: 'job.history',
    about: 'How many Jobs that have ended stay for each CronJob, of those that succeeded and of those that failed',
    default: 10,
    probe: { set: 20, at: `${run}spec.failedJobsHistoryLimit` },
  },
  {
    ...texts,
    path: 'job.annotations',
    about: 'Annotations of the Jobs',
    default: {},
    probe: { set: { probe: 'x' }, at: `${run}spec.jobTemplate.metadata.annotations.probe`, shows: 'x' },
  },
];

/** How the pods reach the site. @type {readonly Entry[]} */
export const sitePolicyEntries = [
  {
    ...peers,
    path: 'networkPolicy.site.to',
    about: 'Where the site is; its address when site.endpoint names one, else every public address',
    default: [],
    probe: { set: [{ podSelector: { matchLabels: { probe: 'x' } } }], at: 'NetworkPolicy#spec.egress[1].to' },
  },
  {
    schema: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65_535 } },
    takes: 'port numbers',
    path: 'networkPolicy.site.ports',
    about: 'Ports of the site; as in site.endpoint when empty',
    default: [],
    probe: { set: [8443], at: 'NetworkPolicy#spec.egress[1].ports[0].port', shows: 8443 },
  },
];
