import { topics } from '@ranger-relay/contracts';
import { messageCodes, webhookDefaults } from '@ranger-relay/device';
import { registry } from '@ranger-relay/errors';
import { operatorEnv } from '@ranger-relay/operator';
import {
  commonEnv,
  conditionList,
  envMarkdown,
  kafkaEnv,
  kvEnv,
  metricList,
  platformEnv,
  sentenceOf,
} from '@ranger-relay/runtime';
import { ruleList, specTable, statusTable } from './kind-fields.mjs';
import { table } from './sections.mjs';

const day = 86_400_000;
const code = (/** @type {string} */ text) => `\`${text}\``;

const errorTable = () =>
  table(
    ['code', 'next', 'status', 'says', 'check first'],
    Object.entries(registry).map(([name, { next, status, text, check }]) => [
      `<a id="${name}"></a>${code(name)}`,
      next,
      String(status),
      text.replaceAll(/\{(\w+)\}/g, '_$1_'),
      check,
    ]),
  );

const topicTable = () =>
  table(
    ['topic', 'key', 'value', 'partitions', 'days', 'largest record', 'contents'],
    Object.values(topics).map(({ name, key, value, partitions, retentionMs, maxRecordBytes, description }) => [
      code(name),
      key.includes('<') ? code(key) : key,
      value,
      String(partitions),
      retentionMs < 0 ? 'until done' : String(retentionMs / day),
      `${maxRecordBytes / 1_048_576} MiB`,
      description,
    ]),
  );

const metricTable = () =>
  table(
    ['metric', 'kind', 'labels', 'help'],
    Object.entries(metricList).map(([name, { kind, labels, help }]) => [
      code(name),
      kind,
      labels.map(code).join(', ') || '–',
      help,
    ]),
  );

/** Values with which a sentence of the table is complete. */
const example = {
  path: '/data',
  is: 'lost and started empty',
  files: '/data/bus.sqlite',
  free_mib: 7,
  free_percent: 4,
  status: 503,
  effect: 'refuses all requests',
  state: 'declared',
  recorded_at: '2026-01-31T14:00:00Z',
  events: 3,
  records: 3,
  parked: 1,
  texts: 2,
  letters: 2,
  days: 9,
  takes: 1_048_588,
  allowed: 4_194_304,
  action: 'pull_events',
  reason: '…',
  type: '…',
};

/** @param {keyof typeof conditionList} name */
const exampleOf = (name) => {
  const says = sentenceOf({ name, subject: '…', active: true, since: 0, lastAt: 0, count: 3, details: example });
  if (/undefined|NaN/.test(says)) throw new Error(`the example of ${name} lacks a detail: ${says}`);
  return says;
};

const conditionTable = () =>
  table(
    ['condition', 'about', 'severity', 'says, for example', 'what to do', 'runbook'],
    /** @type {[keyof typeof conditionList, import('@ranger-relay/runtime').ConditionSpec][]} */ (
      Object.entries(conditionList)
    ).map(([name, { subject, severity, remedy, runbook }]) => [
      code(name),
      subject,
      severity,
      exampleOf(name),
      remedy,
      `[${runbook}](../k8s/runbooks/${runbook}.md)`,
    ]),
  );

/** A row for each code, and one for a range of codes that differ in nothing else. */
const messageCodeTable = () => {
  /** @type {{ first: number, last: number, cells: string[] }[]} */
  const ranges = [];
  for (const [number, { name, sos }] of messageCodes) {
    const cells = [code(name), sos ?? '–', webhookDefaults.message_codes.includes(number) ? 'yes' : 'no'];
    const before = ranges.at(-1);
    if (before?.last === number - 1 && String(before.cells) === String(cells)) before.last = number;
    else ranges.push({ first: number, last: number, cells });
  }
  return table(
    ['code', 'name', 'SOS', 'message by default'],
    ranges.map(({ first, last, cells }) => [first === last ? String(first) : `${first} to ${last}`].concat(cells)),
  );
};

/** The pages of the operator's kinds, and the definitions that they are about. */
const kindPages = [
  ['docs/patrolsync.md', 'patrolsyncs.yaml'],
  ['docs/patrolsyncrollback.md', 'patrolsyncrollbacks.yaml'],
];

/**
 * The generated sections of the documents: file, name of the section, its Markdown.
 * @type {readonly { file: string, section: string, render: () => string }[]}
 */
export const documents = Object.freeze([
  { file: 'libs/errors/README.md', section: 'errors', render: errorTable },
  { file: 'libs/contracts/README.md', section: 'topics', render: topicTable },
  { file: 'docs/conditions.md', section: 'conditions', render: conditionTable },
  { file: 'docs/message-codes.md', section: 'message codes', render: messageCodeTable },
  { file: 'libs/runtime/README.md', section: 'common variables', render: () => envMarkdown(commonEnv) },
  { file: 'libs/runtime/README.md', section: 'platform variables', render: () => envMarkdown(platformEnv) },
  { file: 'libs/runtime/README.md', section: 'bus variables', render: () => envMarkdown(kafkaEnv) },
  { file: 'libs/runtime/README.md', section: 'store variables', render: () => envMarkdown(kvEnv) },
  { file: 'libs/runtime/README.md', section: 'metrics', render: metricTable },
  { file: 'services/operator/README.md', section: 'variables', render: () => envMarkdown(operatorEnv) },
  ...kindPages.flatMap(([file = '', definition = '']) => [
    { file, section: 'spec', render: () => specTable(definition) },
    { file, section: 'rules', render: () => ruleList(definition) },
    { file, section: 'status', render: () => statusTable(definition) },
  ]),
]);
