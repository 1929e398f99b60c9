import { Command } from 'commander';
import { alignColumns, plural, printable } from '@ranger-relay/terminal';
import { type SyncStep, syncSteps } from '@ranger-relay/contracts';
import { type ErrorCode, isRelayError } from '@ranger-relay/errors';
import { lacksPermission, type Site, type SiteUser } from '@ranger-relay/site';
import type { SyncShell } from '../run/machine.ts';
import type { Facts } from '../summary/write.ts';
import { interruption } from './action.ts';
import type { Output } from './flags.ts';
import type { SiteFlags } from './inputs.ts';
import { onSite } from './on-site.ts';
import { coreFields } from '../resources/choice.ts';
import { permissionsOf, stepNames } from '../resources/index.ts';

/** The result of one check of the site. `unknown`: only a write would show it. */
interface Check {
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'unknown';
  readonly detail: string;
  /** Error code of the failure, from the registry. */
  readonly reason?: ErrorCode;
}

const ask = async (name: string, question: () => Promise<string>): Promise<Check> => {
  try {
    return { name, status: 'ok', detail: await question() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { name, status: 'failed', detail: error.message, ...(isRelayError(error) ? { reason: error.code } : {}) };
  }
};

const flag = async (site: Site): Promise<string> => {
  if (await site.patrolSchemas()) return 'on';
  throw new Error(
    'off: the universal patrol fields are skipped until the operator of the site or the vendor switches it on',
  );
};

const members = async (site: Site, named: string | undefined): Promise<string> => {
  const group = named === undefined ? await site.firstMemberGroup() : await site.groupByName(named);
  if (!group)
    throw new Error(named === undefined ? 'none is configured; pass --roster-group' : `there is no group "${named}"`);
  return `"${group.name}" with ${plural((await site.groupMembers(group.id)).length, 'member')}`;
};

const count = ({ length }: readonly unknown[]): string => (length === 0 ? 'none yet' : `${length} there`);

const unknown = (name: string, detail: string): Check => ({ name, status: 'unknown', detail });

/** Checks the form, unless the feature is off: a stored form is not visible then. */
const form = async (site: Site, { status }: Check): Promise<Check> =>
  status === 'ok'
    ? ask('universal patrol fields', async () => ((await site.form()) === null ? 'none yet' : 'there'))
    : unknown('universal patrol fields', 'they cannot be seen until the preview feature is on');

/** Checks that no read can answer. */
const unknowns: readonly Check[] = [
  unknown('default subject group', 'the first subject that a run creates shows whether the token may view it'),
  unknown(
    'import of patrols',
    'no call tells whether one is running; it needs retired people active until it ends, and verify names those',
  ),
  unknown('languages', 'no call tells in which the site is used; --ext-language chooses among those of the bundle'),
  unknown('limits', 'no call tells them; texts are cut to those of the contract before they are sent'),
];

/** The permissions for writing that `user/me` shows, by step; those for the other steps it never shows. */
const shownFor: Partial<Record<SyncStep, readonly (readonly [model: string, action: string])[]>> = {
  patrol_types: [
    ['patroltype', 'add'],
    ['patroltype', 'change'],
  ],
  universal_patrol_fields: [['segmenttype', 'change']],
};

/** Whether the token may write what a step writes, as far as the site shows it. */
const writing = (step: SyncStep, user: SiteUser | undefined): Check => {
  const name = `writing: ${stepNames[step]}`;
  if (user?.isSuperuser) return { name, status: 'ok', detail: 'the token is that of a superuser' };
  const needed = shownFor[step];
  const missing = (needed ?? []).filter(([model, action]) => user && lacksPermission(user, model, action));
  if (missing.length === 0) return unknown(name, `the token needs ${permissionsOf[step]}`);
  const names = missing.map(([model, action]) => `activity.${action}_${model}`).join(' and ');
  return { name, status: 'failed', detail: `the token lacks ${names}`, reason: 'site_forbidden' };
};

/** Runs all checks that need no write, one after another. */
const runChecks = async (site: Site, rosterGroup: string | undefined): Promise<readonly Check[]> => {
  let user: SiteUser | undefined;
  const token = await ask('token', async () => {
    user = await site.probe();
    return 'accepted';
  });
  const featureFlag = await ask('preview feature patrol_schemas', () => flag(site));
  // Every further question would fail for the same reason.
  if (token.status === 'failed')
    return [token, featureFlag, unknown('everything else', 'not looked at before the site accepts the token')];
  const checks = [
    token,
    featureFlag,
    await ask('patrol types', async () => {
      const types = await site.patrolTypes();
      await site.checkPatrolTypesWritable();
      return count(types);
    }),
    await form(site, featureFlag),
  ];
  for (const field of Object.values(coreFields))
    checks.push(await ask(`choices of ${field}`, async () => count(await site.choices(field))));
  checks.push(await ask('subjects that the token may see', async () => count(await site.subjects())));
  checks.push(await ask('roster group', () => members(site, rosterGroup)));
  return [...checks, ...unknowns, ...syncSteps.map((step) => writing(step, user))];
};

interface Flags extends SiteFlags {
  readonly rosterGroup?: string;
  readonly output: Output;
}

const signOf = ({ paint }: SyncShell, { status }: Check): string => {
  if (status === 'ok') return paint.green('ok');
  return status === 'failed' ? paint.red('failed') : paint.yellow('unknown');
};

const doctorFacts = (checks: readonly Check[]): Facts => {
  const count = (wanted: Check['status']): number => checks.filter(({ status }) => status === wanted).length;
  const failed = checks.filter(({ status }) => status === 'failed').map(({ name, detail }) => `${name}: ${detail}`);
  return {
    counts: { ok: count('ok'), failed: failed.length, unknown: count('unknown') },
    message: failed[0] ?? null,
    problems: { items: failed, left_out: 0 },
  };
};

/** `doctor`: checks a site before the first run; writes nothing. */
export const doctorCommand = (shell: SyncShell): Command => {
  const command = new Command('doctor').option('--roster-group <name>', 'subject group that subjects would join');
  const example = '\nExample:\n  $ sync-tool doctor --site-endpoint site.example --site-token-file token.txt';
  return onSite<Flags>(shell, command, example, async ({ site, flags, note }) => {
    const checks = await runChecks(site, flags.rosterGroup);
    if (shell.interrupted().aborted) throw interruption();
    const failed = checks.find(({ status }) => status === 'failed');
    note(doctorFacts(checks));
    return {
      code: failed ? 1 : 0,
      ...(failed ? { reason: failed.reason ?? 'step_failed' } : {}),
      lines: alignColumns(
        checks.map((check) => [signOf(shell, check), check.name, printable(check.detail)]),
        ['left', 'left', 'left'],
      ),
      json: { site: site.identity, checks },
    };
  });
};
