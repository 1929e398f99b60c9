import { Command, InvalidArgumentError } from 'commander';
import { allowRefusals } from '@ranger-relay/observation-forwarder';
import { plural, printable } from '@ranger-relay/terminal';
import { withStores } from '../../program/stores.ts';
import type { DlqDependencies } from './parts.ts';

const maxCount = 1_000_000;

const countOf = (text: string): number => {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= maxCount) return count;
  throw new InvalidArgumentError(`It takes a whole number from 1 to ${maxCount}.`);
};

/** `dlq allow`: lets the forwarder give up refused items again, where the platform refused too many in a row. */
export const allowCommand = ({ shell, openStores }: DlqDependencies): Command =>
  new Command('allow')
    .description('Let refused items of an integration become dead letters again, after too many in a row')
    .argument('<integration>', 'id of the integration')
    .option('--count <n>', 'how many more items may be given up in a row', countOf, 20)
    .addHelpText('after', '\nExample:\n  $ ranger-relay dlq allow 2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01 --count 1000')
    .action((integration: string, { count }: { count: number }) =>
      withStores(openStores, async ({ kv }) => {
        await allowRefusals(kv.state, integration, count);
        shell.out(`${plural(count, 'item')} of ${printable(integration)} may become dead letters in a row.`);
      }),
    );
