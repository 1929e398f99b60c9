import { hostname, userInfo } from 'node:os';
import { wholeAction } from '@ranger-relay/actions';
import type { Bus } from '@ranger-relay/bus';
import { activityLevel } from '@ranger-relay/contracts';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import { writeEntry } from '@ranger-relay/platform';
import { parseEnv } from '@ranger-relay/runtime';
import { printable, printableJson, type Shell, usage } from '@ranger-relay/terminal';
import { Command, InvalidArgumentError } from 'commander';
import { cataloguesOf } from '../actions/catalogues.ts';
import { actionsCliEnv } from '../actions/env.ts';
import { masked } from '../actions/masked.ts';
import { actionArgument, integrationArgument, integrationHelp } from '../actions/options.ts';
import type { Catalogues } from '../actions/services.ts';
import type { ActionsDependencies } from '../actions/workbench.ts';
import { outputOption, print } from '../program/output.ts';
import { withStores } from '../program/stores.ts';
import { type Change, type Changed, changeState, keyOf, type StatePlace } from './change.ts';
import { leaseSource } from './entries.ts';

/** Audit record of a change, as printed and written to the activity log; times are ISO 8601, secrets are masked. */
const auditOf = (
  { integration, action, source }: StatePlace,
  { before, after }: Changed,
  { command, by, at }: { readonly command: string; readonly by: string; readonly at: number },
) => ({
  at: new Date(at).toISOString(),
  by,
  command,
  integration,
  action,
  source,
  before: masked(before),
  after: masked(after),
});

/** Writes the record to the activity log. @throws RelayError `state_untold` */
const tellAudit = async (
  { bus, topic, clock, random }: Pick<Shell, 'clock' | 'random'> & { readonly bus: Bus; readonly topic: string },
  audit: ReturnType<typeof auditOf>,
): Promise<void> => {
  const { integration, action, by, command, source, before, after } = audit;
  const value = writeEntry({
    eventId: random.uuid(),
    at: clock.now(),
    kind: 'CustomLog',
    integrationId: integration,
    subject: { action_id: action },
    payload: {
      title: `State of ${action} changed by ${by}`,
      level: activityLevel.info,
      data: { by, command, source, before, after },
    },
  });
  try {
    await bus.publish(topic, [{ key: integration, value }]);
  } catch (error) {
    const details = { key: keyOf(audit), reason: toRelayError(error).message };
    throw new RelayError('state_untold', { details, cause: error });
  }
};

/** Dependencies of the commands of `state`. */
export interface StateDependencies extends ActionsDependencies {
  /** Caller for the audit record; the user of this process by default. */
  readonly who?: () => string;
}

/** Options of commands that change something. */
export interface ChangeOptions {
  readonly source: string;
  readonly if?: string;
  readonly force?: true;
  readonly output: string;
}

const caller = (): string => `${userInfo().username}@${hostname()}`;

const sourceOption = (text: string): string => {
  if (!/^[\x21-\x7e]{1,200}$/.test(text))
    throw new InvalidArgumentError('Expected the name of a source, as `state list` prints it.');
  return text;
};

/** A command about one state. */
export const placeCommand = (name: string): Command =>
  new Command(name)
    .argument('<integration>', integrationHelp, integrationArgument)
    .argument('<action>', 'name of the action', actionArgument);

/** `--source`, of states that are not of the action as a whole. */
export const withSource = (command: Command): Command =>
  command.option('--source <name>', 'source of the state, such as the id of an event', sourceOption, wholeAction);

/** Options of a command that changes something. */
export const withChangeOptions = (command: Command): Command =>
  command
    .option('--if <revision>', 'only if this is the stored revision, as `state get` prints it')
    .option('--force', 'even if a run uses the state')
    .addOption(outputOption());

const checkPlace = ({ pusher, runner }: Catalogues, { action, source }: Change): void => {
  if (!pusher.get(action) && !runner.get(action)) throw usage(`No service has an action ${action}.`);
  if (source === leaseSource) throw usage('The lease of a run cannot be changed by hand; it expires within 30 s.');
};

/** Makes a change, prints it and writes it to the activity log. @throws as `changeState` and `tellAudit` */
export const carryOut = async (
  { shell, openStores, catalogues = cataloguesOf, who = caller }: StateDependencies,
  command: string,
  change: Change,
  output: string,
): Promise<void> => {
  const env = parseEnv(actionsCliEnv, shell.env);
  checkPlace(catalogues(env), change);
  const topic = env.INTEGRATION_EVENTS_TOPIC;
  const { clock, random } = shell;
  await withStores(openStores, async ({ bus, kv }) => {
    const changed = await changeState({ state: kv.state, clock, random }, change);
    const audit = auditOf(change, changed, { command, by: who(), at: clock.now() });
    print(shell, output, { revision: changed.revision, ...audit }, () => [
      `before  ${printableJson(audit.before)}`,
      `after   ${printableJson(audit.after)}`,
      `${audit.at}  ${printable(audit.by)}  ${command}  revision ${changed.revision}`,
    ]);
    await tellAudit({ bus, topic, clock, random }, audit);
  });
};
