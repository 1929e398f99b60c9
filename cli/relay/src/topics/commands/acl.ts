import { Command, Option } from 'commander';
import { alignColumns, printableJson, type Shell } from '@ranger-relay/terminal';
import { namesHere } from '../env.ts';
import { rightsOfAll, type UserRights } from '../rights.ts';

const tableOf = (all: readonly UserRights[]): string[] =>
  alignColumns(
    [
      ['USER', 'KIND', 'NAME', 'MAY'],
      ...all.flatMap(({ user, rights }) =>
        rights.map(({ kind, name, operations }) => [user, kind, name, operations.join(', ')]),
      ),
    ],
    ['left', 'left', 'left', 'left'],
  );

const callsOf = (all: readonly UserRights[]): string[] =>
  all.flatMap(({ user, rights }) =>
    rights.map(
      ({ kind, name, operations }) =>
        `kafka-acls.sh --bootstrap-server "$KAFKA_BROKERS" --add --allow-principal User:${user} ` +
        `${operations.map((operation) => `--operation ${operation}`).join(' ')} --${kind} '${name}'`,
    ),
  );

/** `topics acl`: what each service must be allowed to do at the brokers. */
export const aclCommand = (shell: Shell): Command =>
  new Command('acl')
    .description('Print what each service must be allowed to do at the brokers')
    .addOption(new Option('--output <form>', 'what is printed').choices(['table', 'json', 'commands']).default('table'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics acl --output commands')
    .action(({ output }: { readonly output: string }) => {
      const all = rightsOfAll(namesHere(shell));
      if (output === 'json') return shell.out(printableJson(all, 2));
      for (const line of output === 'commands' ? callsOf(all) : tableOf(all)) shell.out(line);
    });
