import { runnerEnv, runnerProblems } from '@ranger-relay/action-runner';
import { kafkaSettings } from '@ranger-relay/bus/kafka';
import { redisSettings } from '@ranger-relay/kv/redis';
import { pusherEnv, pusherProblems } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { type EnvTable, refuseEnv, unknownVariables } from '@ranger-relay/runtime';
import { aloneEnv, parseServiceEnv, type ServiceSpec } from '@ranger-relay/service';
import type { Shell } from '@ranger-relay/terminal';
import { ingesterEnv, ingesterProblems } from '@ranger-relay/webhook-ingester';
import { Argument, Command } from 'commander';
import { parseUpConfig, runsActions, upEnv } from '../up/config.ts';

/** Reads an environment as the program of a component does. @throws RelayError `config_invalid` */
type Check = (source: NodeJS.ProcessEnv) => void;

/** A service reads its variables, and then how to reach bus and store; the certificates of the store are read at its start. */
const checkService =
  <Table extends EnvTable>(spec: Pick<ServiceSpec<Table>, 'env' | 'rules'>): Check =>
  (source) => {
    const config = parseServiceEnv(spec, source);
    const store = config.KV_HOST === undefined && config.KV_SENTINELS === undefined ? { KV_HOST: 'localhost' } : {};
    const certificates = config.KV_TLS ? { KV_TLS_CA_FILE: undefined } : {};
    kafkaSettings(config, 'config-check');
    redisSettings({ ...config, ...store, ...certificates });
  };

/** The one process reads the variables of every service; both services with actions have an address of their own. */
const checkUp: Check = (source) => {
  const config = parseUpConfig(source);
  if (!runsActions(config)) return;
  refuseEnv([
    ...pusherProblems({ ...config, INTEGRATION_SERVICE_URL: config.PUSHER_SERVICE_URL }),
    ...runnerProblems({ ...config, INTEGRATION_SERVICE_URL: config.RUNNER_SERVICE_URL }),
  ]);
};

const checks: Readonly<Record<string, Check>> = {
  'webhook-ingester': checkService({ env: ingesterEnv, rules: ingesterProblems }),
  'observation-forwarder': checkService({ env: forwarderEnv }),
  'message-pusher': checkService({ env: pusherEnv, rules: pusherProblems }),
  'action-runner': checkService({ env: runnerEnv, rules: runnerProblems }),
  'ranger-relay': checkUp,
};

/** Variables of another component may stand in the same environment. */
const tables = [ingesterEnv, forwarderEnv, pusherEnv, runnerEnv, aloneEnv, upEnv];

/** Values of variables that count as set: files are empty. */
const assumed = (names: string): NodeJS.ProcessEnv =>
  Object.fromEntries(
    names
      .split(',')
      .filter(Boolean)
      .map((name) => [name, name.endsWith('_FILE') ? '/dev/null' : 'a value that is not read here']),
  );

const checkCommand = (shell: Shell): Command =>
  new Command('check')
    .description('Tell whether a component would start with the variables of this environment; start nothing')
    .addArgument(new Argument('<component>', 'the component').choices(Object.keys(checks)))
    .option('--assume-set <names>', 'variables that count as set, such as secrets that are mounted later', '')
    .addHelpText('after', '\nExample:\n  $ ranger-relay config check webhook-ingester --assume-set WEBHOOK_TOKENS_FILE')
    .action((component: string, { assumeSet }: { readonly assumeSet: string }) => {
      const source = { ...shell.env, ...assumed(assumeSet) };
      checks[component]?.(source);
      refuseEnv(unknownVariables(tables, source));
      shell.out(`${component} accepts this configuration.`);
    });

/** `ranger-relay config`: the configuration of the components, as the chart's hook checks it before an installation. */
export const configCommand = (shell: Shell): Command =>
  new Command('config').description('Check the configuration of a component').addCommand(checkCommand(shell));
