import { closestTo, parseEnv } from '@ranger-relay/runtime';
import { addressOption, printable, jsonDocument, type Shell, usage } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { cataloguesOf } from '../actions/catalogues.ts';
import { actionsCliEnv } from '../actions/env.ts';
import { actionArgument, callerToken, integrationArgument, integrationHelp } from '../actions/options.ts';
import { remedyOf } from '../actions/remedies.ts';
import { type ActionService, serviceOfType, servicesOf } from '../actions/services.ts';
import { type ActionsDependencies, atWorkbench } from '../actions/workbench.ts';
import { outputOption, print } from '../program/output.ts';
import { storesHelp } from '../program/open-stores.ts';
import { dryRun, dryRunLines } from './dry-run.ts';
import { executeAction, type ExecuteBody, type Ran } from './execute.ts';
import { overrideOption, type Overrides, placeOf } from './place.ts';

const tellFailure = (
  shell: Shell,
  { http_status: status, error, detail }: Extract<Ran, { outcome: 'failed' }>,
): void => {
  shell.err(printable(`The action failed (HTTP ${status}): ${error}`));
  const { request_url: url, request_verb: verb, server_response_status: answer } = detail as Record<string, unknown>;
  if (typeof url === 'string')
    shell.err(
      printable(`It called ${String(verb)} ${url}${answer === undefined ? '' : `, which answered ${String(answer)}`}.`),
    );
  shell.err('Check: `ranger-relay activity` and the log of the service hold more.');
};

/** A run that asked whether credentials are valid, and was told that they are not. */
const areRefused = (ran: Ran): boolean =>
  ran.outcome === 'complete' && (ran.result as { valid_credentials?: unknown } | null)?.valid_credentials === false;

/** Prints the outcome of a run; without completion, or with credentials that are not valid, the command exits with 1. */
export const tellRun = (shell: Shell, ran: Ran, output: string): void => {
  if (ran.outcome !== 'complete' || areRefused(ran)) shell.fail();
  if (output === 'json') return shell.out(jsonDocument(ran));
  if (ran.outcome === 'complete') return shell.out(jsonDocument(ran.result));
  if (ran.outcome === 'failed') return tellFailure(shell, ran);
  shell.err(printable(`It was not run: ${ran.reason}. ${remedyOf(ran.reason)}`));
};

/** Settings of an action, as users enter them. */
const membersOf = ({ catalogue }: ActionService, actionId: string): readonly string[] => {
  const action = catalogue.get(actionId);
  return action ? Object.keys((action.published ?? action.config).shape) : [];
};

/**
 * Refuses overrides that the action would ignore, such as a misspelt name.
 * @throws RelayError `usage` with a suggestion
 */
export const checkMembers = (services: readonly ActionService[], action: string, overrides: Overrides): void => {
  const known = [...new Set(services.flatMap((service) => membersOf(service, action)))];
  const unknown = Object.keys(overrides).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = closestTo(unknown, known);
  const hint =
    meant !== undefined ? `did you mean ${meant}?` : `it has ${known.length > 0 ? known.join(', ') : 'no settings'}`;
  throw usage(`${action} has no setting ${unknown}; ${hint}`);
};

interface Options {
  readonly integration: string;
  readonly override?: Overrides;
  readonly dryRun?: true;
  readonly scheduled?: true;
  readonly url?: string;
  readonly output: string;
}

const bodyOf = (action: string, { integration, override, scheduled }: Options): ExecuteBody => ({
  integration_id: integration,
  action_id: action,
  run_in_background: false,
  config_overrides: override ?? null,
  triggered_by: scheduled ? 'auto' : 'manual',
});

/** The service that the type of an integration belongs to. */
const serviceOfIntegration = (dependencies: ActionsDependencies, id: string): Promise<ActionService> =>
  atWorkbench(dependencies, async ({ look, services }) => {
    const { value } = await look.integration(id);
    return serviceOfType(services, id, value.type.value);
  });

/** Checks overrides before anything is opened. A service at its own address may have actions that this version does not know. */
const checkOverrides = (
  { shell, catalogues = cataloguesOf }: ActionsDependencies,
  action: string,
  { url, override }: Options,
): void => {
  if (!override || url !== undefined) return;
  const env = parseEnv(actionsCliEnv, shell.env);
  const having = servicesOf(env, catalogues(env)).filter(({ catalogue }) => catalogue.get(action) !== undefined);
  if (having.length > 0) checkMembers(having, action, override);
};

const execute = async (dependencies: ActionsDependencies, action: string, options: Options): Promise<void> => {
  const { shell, catalogues = cataloguesOf } = dependencies;
  const env = parseEnv(actionsCliEnv, shell.env);
  const services = servicesOf(env, catalogues(env));
  const place = await placeOf(services, action, options.url, () =>
    serviceOfIntegration(dependencies, options.integration),
  );
  const ran = await executeAction(shell, place, bodyOf(action, options), await callerToken(env));
  tellRun(shell, ran, options.output);
};

const showOnly = ({ shell, ...rest }: ActionsDependencies, action: string, options: Options): Promise<void> =>
  atWorkbench({ shell, ...rest }, async (bench) => {
    const found = await dryRun(bench, bodyOf(action, options), options.url);
    if (!found.verdict.would_run) shell.fail();
    print(shell, options.output, found, () => dryRunLines(found, shell.paint));
  });

/** `run`: lets the service of an integration run an action now. */
export const runCommand = (dependencies: ActionsDependencies): Command =>
  new Command('run')
    .argument('<action>', 'name of the action', actionArgument)
    .requiredOption('--integration <id>', integrationHelp, integrationArgument)
    .option(
      '--override <member>',
      'KEY=JSON or a JSON object that overrides the stored configuration; repeatable',
      overrideOption,
    )
    .option('--dry-run', 'print the request and whether the action would run; send nothing')
    .option('--scheduled', 'run it as the schedule would, not as a person')
    .option(
      '--url <address>',
      'address of the service (default: RUNNER_URL or PUSHER_URL, else that of the `up` of DATA_DIR)',
      addressOption,
    )
    .addOption(outputOption())
    .addHelpText('after', storesHelp(actionsCliEnv))
    .addHelpText(
      'after',
      '\nExample:\n  $ ranger-relay run pull_events --integration 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01 --dry-run',
    )
    .action((action: string, options: Options) => {
      checkOverrides(dependencies, action, options);
      return options.dryRun ? showOnly(dependencies, action, options) : execute(dependencies, action, options);
    });
