import { hostname, userInfo } from 'node:os';
import { RelayError } from '@ranger-relay/errors';
import { parseEnv } from '@ranger-relay/runtime';
import { printable, printableJson } from '@ranger-relay/terminal';
import { Command, InvalidArgumentError } from 'commander';
import { wholeAction } from '@ranger-relay/actions';
import { actionsCliEnv } from '../actions/env.ts';
import { actionArgument, integrationArgument, outputOption, type Output } from '../actions/options.ts';
import type { Catalogues } from '../actions/services.ts';
import type { ActionsDependencies } from '../actions/workbench.ts';
import { withStores } from '../program/stores.ts';
import { auditOf, tellAudit } from './audit.ts';
import { changeState, type Change } from './change.ts';
import { leaseSource } from './entries.ts';

/** What the commands of `state` work with. */
export interface StateDependencies extends ActionsDependencies {
  /** Who calls, for the record of changes; the user of this process when left out. */
  readonly who?: () => string;
}

/** Options of commands that change something. */
export interface ChangeOptions {
  readonly source: string;
  readonly if?: string;
  readonly force?: true;
  readonly output: Output;
}

const caller = (): string => `${userInfo().username}@${hostname()}`;

const sourceOption = (text: string): string => {
  if (!/^[\x21-\x7e]{1,200}$/.test(text))
    throw new InvalidArgumentError('It takes the name of a source, as `state list` prints it.');
  return text;
};

/** A command about one state. */
export const placeCommand = (name: string): Command =>
  new Command(name)
    .argument('<integration>', 'id of the integration', integrationArgument)
    .argument('<action>', 'name of the action', actionArgument);

/** `--source`, of states that are not of the action as a whole. */
export const withSource = (command: Command): Command =>
  command.option('--source <name>', 'whose state, such as the id of an event', sourceOption, wholeAction);

/** Options of a command that changes something. */
export const withChangeOptions = (command: Command): Command =>
  command
    .option('--if <revision>', 'only over this revision, as `state get` prints it')
    .option('--force', 'also while a run works on it')
    .addOption(outputOption());

const usage = (problem: string): RelayError => new RelayError('usage', { details: { problem } });

const checkPlace = ({ pusher, runner }: Catalogues, { action, source }: Change): void => {
  if (!pusher.get(action) && !runner.get(action)) throw usage(`No service has an action ${action}.`);
  if (source === leaseSource) throw usage('The lease of a run is not changed by hand; it runs out within 30 s.');
};

/** Makes a change, prints it and puts it into the activity log. @throws as `changeState` and `tellAudit` */
export const carryOut = async (
  { shell, openStores, catalogues, who = caller }: StateDependencies,
  command: string,
  change: Change,
  output: Output,
): Promise<void> => {
  const env = parseEnv(actionsCliEnv, shell.env);
  checkPlace(catalogues(env), change);
  const topic = env.INTEGRATION_EVENTS_TOPIC;
  const { clock, random } = shell;
  await withStores(openStores, async ({ bus, kv }) => {
    const changed = await changeState({ state: kv.state, clock, random }, change);
    const audit = auditOf(change, changed, { command, by: who(), at: clock.now() });
    if (output === 'json') shell.out(printableJson({ revision: changed.revision, ...audit }, 2));
    else {
      shell.out(`before  ${printableJson(audit.before)}`);
      shell.out(`after   ${printableJson(audit.after)}`);
      shell.out(`${audit.at}  ${printable(audit.by)}  ${command}  revision ${changed.revision}`);
    }
    await tellAudit({ bus, topic, clock, random }, audit);
  });
};
