import { Command, Option } from 'commander';
import { wholeOption, type Shell } from '@ranger-relay/terminal';
import { namesHere } from '../env.ts';
import { strimziManifests, type StrimziOptions } from '../manifests/strimzi.ts';
import { yamlDocuments } from '../manifests/yaml.ts';

interface Options extends Omit<StrimziOptions, 'authentication'> {
  readonly users: 'scram-sha-512' | 'tls' | 'none';
}

/** `topics strimzi`: topics and users for those whose Kafka is run by the Strimzi operator. */
export const strimziCommand = (shell: Shell): Command =>
  new Command('strimzi')
    .description('Print topics and users as manifests for the Strimzi operator')
    .requiredOption('--cluster <name>', 'name of the Kafka that they belong to')
    .option('--namespace <name>', 'of the manifests; that of kubectl when left out')
    .addOption(new Option('--replicas <n>', 'copies of each record').argParser(wholeOption(1, 15)).default(3))
    .addOption(
      new Option('--users <form>', 'how the users log in')
        .choices(['scram-sha-512', 'tls', 'none'])
        .default('scram-sha-512'),
    )
    .addOption(new Option('--api <version>', 'of the operator’s interface').choices(['v1', 'v1beta2']).default('v1'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics strimzi --cluster kafka | kubectl apply -f -')
    .action(({ users, ...options }: Options) => {
      const authentication = users === 'none' ? null : users;
      for (const line of yamlDocuments(strimziManifests(namesHere(shell), { ...options, authentication })))
        shell.out(line);
    });
