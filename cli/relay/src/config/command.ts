import { runnerEnv, runnerProblems } from '@ranger-relay/action-runner';
import { pusherEnv, pusherProblems } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { type Env, type EnvTable, splitList, unknownVariables } from '@ranger-relay/runtime';
import { aloneEnv, prepareService, type ServiceSpec } from '@ranger-relay/service';
import type { Shell } from '@ranger-relay/terminal';
import { ingesterEnv, ingesterProblems, ingesterWarnings } from '@ranger-relay/webhook-ingester';
import { Argument, Command } from 'commander';
import type { Counterparts } from '../doctor/command.ts';
import { upEnv } from '../up/config.ts';
import { checkUp } from '../up/prepare.ts';

/**
 * Does the first half of a component's start with the variables of a shell, and takes it back. Nothing is wrong about those in `assumed`.
 * Returns what to know of a configuration that is accepted.
 * @throws RelayError with a line for everything that is wrong
 */
type Check = (shell: Pick<Shell, 'env' | 'clock' | 'random'>, assumed: readonly string[]) => Promise<readonly string[]>;

/** Variables of another component may stand in the same environment. */
const tables = [ingesterEnv, forwarderEnv, pusherEnv, runnerEnv, aloneEnv, upEnv];

const checkService =
  <Table extends EnvTable>(
    spec: Pick<ServiceSpec<Table>, 'env' | 'rules'>,
    warningsOf: (config: Env<Table>) => readonly string[] = () => [],
  ): Check =>
  async ({ env }, assumed) => {
    const { config, ports } = await prepareService(spec, env, { assumed, more: unknownVariables(tables, env) });
    await ports.release();
    return warningsOf(config);
  };

const checks: Readonly<Record<string, Check>> = {
  'webhook-ingester': checkService({ env: ingesterEnv, rules: ingesterProblems }, ingesterWarnings),
  'observation-forwarder': checkService({ env: forwarderEnv }),
  'message-pusher': checkService({ env: pusherEnv, rules: pusherProblems }),
  'action-runner': checkService({ env: runnerEnv, rules: runnerProblems }),
  'ranger-relay': async (shell, assumed) =>
    ingesterWarnings((await checkUp(shell, { acceptEmptyBus: false, salvageBus: false }, assumed)).config),
};

/** Values of variables that count as set, for rules about other variables: files are empty. */
const valuesOf = (names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(
    names.map((name) => [name, name.endsWith('_FILE') ? '/dev/null' : 'a value that is not read here']),
  );

interface Options {
  readonly assumeSet?: string;
  readonly connect?: true;
}

const checkCommand = (shell: Shell, counterparts: Counterparts): Command =>
  new Command('check')
    .description('Do the first half of a component’s start: variables, files and ports; start nothing')
    .addArgument(new Argument('<component>', 'the component').choices(Object.keys(checks)))
    .option('--assume-set <names>', 'variables that count as set, such as secrets that are mounted later')
    .option('--connect', 'ask the platform, bus, store, sites and vendor too')
    .addHelpText('after', '\nExample:\n  $ ranger-relay config check webhook-ingester --assume-set WEBHOOK_TOKENS_FILE')
    .action(async (component: string, { assumeSet = '', connect }: Options) => {
      const assumed = splitList(assumeSet);
      const env = { ...shell.env, ...valuesOf(assumed) };
      const warnings = await checks[component]?.({ ...shell, env }, assumed);
      for (const warning of warnings ?? []) shell.err(`Warning: ${warning}`);
      if (connect && !(await counterparts())) return shell.fail();
      shell.out(`${component} accepts this configuration.`);
    });

/** `ranger-relay config`: the configuration of the components, as the chart's hook checks it before an installation. */
export const configCommand = (shell: Shell, counterparts: Counterparts): Command =>
  new Command('config').addCommand(checkCommand(shell, counterparts));
