import { version } from '../version.mjs';
import { accountEntries, identityEntries, podEntries } from './pod.mjs';
import { policyEntries } from './policy.mjs';
import { watchingEntries } from './watching.mjs';
import { commands, optionsOf } from './sync/commands.mjs';
import {
  bundleEntries,
  jobEntries,
  outputEntries,
  recordEntries,
  siteEntries,
  sitePolicyEntries,
} from './sync/entries.mjs';
import { factsOf, optionEntries } from './sync/options.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry @typedef {import('../entry.mjs').Probe} Probe */

/** The pods of a service's Deployment are here those of a CronJob. @param {Probe} probe @returns {Probe} */
const ofCronJob = (probe) => ({
  ...probe,
  at: probe.at
    .replace('Deployment#spec.template', 'CronJob/-show#spec.jobTemplate.spec.template')
    .replace('Deployment#', 'CronJob/-show#'),
  ...(probe.at === 'Deployment#metadata.name' ? { shows: `${probe.shows ?? probe.set}-show` } : {}),
});

/** What is to be said otherwise of a Job than of a service. @type {Readonly<Record<string, string>>} */
const abouts = {
  affinity: 'Affinity of the pods',
  priorityClassName: 'Priority of the pods',
  extraEnv: 'Variables of the container',
};

/** @param {Entry} entry @returns {Entry} */
const ofJob = (entry) => {
  const { path, about, probe } = entry;
  const said = { ...entry, about: abouts[path] ?? about };
  return probe === undefined ? said : { ...said, probe: ofCronJob(probe) };
};

/** @param {readonly Entry[]} entries @param {(path: string) => boolean} [wanted] @returns {Entry[]} */
const some = (entries, wanted = () => true) => entries.filter(({ path }) => wanted(path)).map(ofJob);

const policies = /^networkPolicy[.](?:enabled|dns[.]|internet[.]except$|egress$)/;
/** Behind the rules for names and the site. @param {Entry} entry @returns {Entry} */
const policyEntry = (entry) => {
  const { path, probe } = entry;
  if (probe === undefined) return entry;
  if (path === 'networkPolicy.internet.except')
    return { ...entry, probe: { ...probe, at: probe.at.replace('[3]', '[1]') } };
  if (path !== 'networkPolicy.egress') return entry;
  const { with: _, ...rest } = probe;
  return { ...entry, probe: { ...rest, at: probe.at.replace('[3]', '[2]') } };
};

const { takes } =
  optionsOf(commands[0] ?? { suffix: '', words: [], about: '' }).find(({ name }) => name === 'siteEndpoint') ?? {};
if (typeof takes !== 'object' || !('pattern' in takes))
  throw new Error('sync-tool does not tell the form of an address');

/** @type {import('../outputs.mjs').ChartSpec} */
export const patrolSync = {
  title: 'Values of patrol-sync',
  entries: [
    ...some(identityEntries({ repository: 'sync-tool', version, enabled: false })),
    ...siteEntries(takes.pattern),
    ...bundleEntries,
    ...optionEntries,
    ...recordEntries,
    ...outputEntries,
    ...jobEntries,
    ...some(policyEntries({ serves: false }), (path) => policies.test(path)).map(policyEntry),
    ...sitePolicyEntries,
    ...some(watchingEntries, (path) => path.startsWith('prometheusRule.')),
    ...some(podEntries({ limitMi: 512, requestMi: 128 }), (path) => !path.startsWith('topologySpread.')),
    ...some(accountEntries),
  ],
  hints: {
    schedule: 'every run is started by a person: kubectl create job --from=cronjob/patrol-sync NAME',
    suspend: 'every run is started by a person: kubectl create job --from=cronjob/patrol-sync NAME',
    'site.tokenFile': 'write it as site.token, {name, key} of a Secret',
    'options.siteToken':
      'a token does not stand in the arguments of a pod; write it as site.token, {name, key} of a Secret',
    'options.siteEndpoint': 'write it as site.endpoint',
    'options.bundle': 'write it as bundle.claim or bundle.configMap',
    'options.checklist': 'write it as output.checklist',
    'options.dryRun': 'create a Job from the CronJob whose name ends in -plan',
    podSecurityContext: 'pods keep to the restricted standard and nothing can loosen them',
    securityContext: 'pods keep to the restricted standard and nothing can loosen them',
  },
  open: ['lib'],
  facts: {
    component: 'patrol-sync',
    program: '/app/sync-tool.mjs',
    besideHeapVariable: '',
    commands: commands.map((command) => ({
      suffix: command.suffix,
      words: command.words,
      about: command.about,
      dryRun: command.dryRun ?? false,
      site: command.site ?? false,
      bundle: command.bundle ?? false,
      output: command.output ?? '',
      takes: command.takes ?? '',
      options: factsOf(command),
    })),
  },
};
