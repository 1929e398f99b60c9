import { Command } from 'commander';
import { actionsCliEnv } from '../actions/env.ts';
import { actionArgument, integrationArgument, integrationHelp } from '../actions/options.ts';
import { atWorkbench, type ActionsDependencies } from '../actions/workbench.ts';
import { outputOption, print } from '../program/output.ts';
import { storesHelp } from '../program/open-stores.ts';
import { collectWhy } from './collect.ts';
import { whyLines } from './format.ts';

/** `why`: whether the next tick of an action runs it, and if not, why. */
export const whyCommand = (dependencies: ActionsDependencies): Command =>
  new Command('why')
    .argument('<integration>', integrationHelp, integrationArgument)
    .argument('<action>', 'name of the action', actionArgument)
    .addOption(outputOption())
    .addHelpText('after', storesHelp(actionsCliEnv))
    .addHelpText('after', '\nExample:\n  $ ranger-relay why 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01 pull_observations')
    .action((integration: string, action: string, { output }: { readonly output: string }) =>
      atWorkbench(dependencies, async (bench) => {
        const { shell } = dependencies;
        const why = await collectWhy(shell, bench, integration, action);
        print(shell, output, why, () => whyLines(why, shell.clock.now(), shell.paint));
      }),
    );
