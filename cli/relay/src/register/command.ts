import { runnerEnv, runnerType } from '@ranger-relay/action-runner';
import { registrationBody, registrationWarnings, type TypeSpec } from '@ranger-relay/actions';
import { pusherEnv, pusherType } from '@ranger-relay/message-pusher';
import { type RegisteredType, registerType } from '@ranger-relay/platform';
import { envHelp, parseEnv } from '@ranger-relay/runtime';
import { jsonDocument, printableJson, type Shell } from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { type OpenedPlatform, openPlatform, platformCallEnv } from '../actions/platform-api.ts';
import { withOpen } from '../program/stores.ts';
import { outputOption, print } from '../program/output.ts';

/** Services that have an integration type to register. */
export const typeServices = ['action-runner', 'message-pusher'] as const;

/** One of them. */
export type TypeService = (typeof typeServices)[number];

const runner = (source: NodeJS.ProcessEnv): TypeSpec => {
  const env = parseEnv(runnerEnv, source);
  return { ...runnerType(env), slug: env.INTEGRATION_TYPE_SLUG, serviceUrl: env.INTEGRATION_SERVICE_URL };
};

const pusher = (source: NodeJS.ProcessEnv): TypeSpec => {
  const env = parseEnv(pusherEnv, source);
  return { ...pusherType(env), slug: env.INTEGRATION_TYPE_SLUG, serviceUrl: env.INTEGRATION_SERVICE_URL };
};

const idOf = (schedule: string): string => schedule.split(':', 1)[0]?.trim() ?? '';

/**
 * What a service's type is registered with, from the environment that the service itself would read.
 * @param schedules `<action>:<crontab>`; they win over those of the environment
 * @throws RelayError `config_invalid`
 */
export const typeOf = (service: TypeService, source: NodeJS.ProcessEnv, schedules: readonly string[]): TypeSpec => {
  const spec = service === 'action-runner' ? runner(source) : pusher(source);
  const given = new Set(schedules.map(idOf));
  return { ...spec, schedules: [...(spec.schedules ?? []).filter((each) => !given.has(idOf(each))), ...schedules] };
};

interface Options {
  readonly service: TypeService;
  readonly schedule?: readonly string[];
  readonly dryRun?: true;
  readonly output: string;
}

const { INTEGRATION_TYPE_SLUG, INTEGRATION_SERVICE_URL, ACTION_SCHEDULES } = runnerEnv;
const registerEnv = { INTEGRATION_TYPE_SLUG, INTEGRATION_SERVICE_URL, ACTION_SCHEDULES, ...platformCallEnv } as const;

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const onlyTold = (shell: Shell, schedules: readonly string[]): boolean =>
  schedules.length > 0 && parseEnv({ SCHEDULER: runnerEnv.SCHEDULER }, shell.env).SCHEDULER === 'internal';

/** `register`: registers the integration type of a service at the platform. */
export const registerCommand = (shell: Shell, open: () => OpenedPlatform = () => openPlatform(shell)): Command =>
  new Command('register')
    .addOption(new Option('--service <name>', 'whose type').choices([...typeServices]).default('action-runner'))
    .option('--schedule <action:crontab>', 'schedule of a pull action, instead of its default; repeatable', collect)
    .option('--dry-run', 'print what would be sent, and send nothing')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `\nEnvironment:\n${envHelp(registerEnv)}\n\nExample:\n  $ ranger-relay register --schedule 'pull_events:0 */4 * * * -5'`,
    )
    .action(async ({ service, schedule = [], dryRun, output }: Options) => {
      const spec = typeOf(service, shell.env, schedule);
      const body = registrationBody(spec);
      for (const warning of registrationWarnings(spec)) shell.err(`${warning}.`);
      if (onlyTold(shell, schedule))
        shell.err('With SCHEDULER=internal the action runner follows ACTION_SCHEDULES, not the registered schedules.');
      const answer: RegisteredType | null = dryRun
        ? null
        : await withOpen(open, ({ call }) => registerType(call, shell, body));
      const told = answer ? `The platform answers: ${printableJson(answer)}` : 'Nothing was sent.';
      print(shell, output, { sent: body, answer }, () => [jsonDocument(body), told]);
    });
