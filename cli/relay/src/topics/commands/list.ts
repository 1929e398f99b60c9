import { Command, Option } from 'commander';
import { alignColumns, printableJson, type Shell } from '@ranger-relay/terminal';
import { untilDone, type BusNames } from '@ranger-relay/contracts';
import { namesHere } from '../env.ts';
import { yamlOf } from '../manifests/yaml.ts';

const dayMs = 86_400_000;

const plainOf = ({ topics, prefix }: BusNames) =>
  topics.map(({ name, key, value, partitions, retentionMs, maxRecordBytes, producers, consumers, listeners }) => ({
    name: prefix + name,
    partitions,
    retention_ms: retentionMs,
    max_record_bytes: maxRecordBytes,
    key,
    value,
    producers: [...producers],
    consumers: [...consumers],
    listeners: [...listeners],
  }));

const tableOf = ({ topics, prefix }: BusNames): string[] =>
  alignColumns(
    [
      ['TOPIC', 'PARTITIONS', 'DAYS', 'WRITTEN BY', 'READ BY'],
      ...topics.map(({ name, partitions, retentionMs, producers, consumers, listeners }) => [
        prefix + name,
        String(partitions),
        retentionMs === untilDone ? 'until done' : String(retentionMs / dayMs),
        producers.join(', ') || 'others',
        [...consumers, ...listeners].join(', ') || 'others',
      ]),
    ],
    ['left', 'right', 'right', 'left', 'left'],
  );

/** `topics list`: what the installation needs, without asking a broker. */
export const listCommand = (shell: Shell): Command =>
  new Command('list')
    .description('Print the topics that the installation needs, without asking the brokers')
    .addOption(new Option('--output <form>', 'what is printed').choices(['table', 'json', 'yaml']).default('table'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics list --output yaml')
    .action(({ output }: { readonly output: string }) => {
      const names = namesHere(shell);
      if (output === 'json') return shell.out(printableJson(plainOf(names), 2));
      for (const line of output === 'yaml' ? yamlOf(plainOf(names)) : tableOf(names)) shell.out(line);
    });
