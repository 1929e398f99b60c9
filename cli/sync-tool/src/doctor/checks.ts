import type { SyncStep } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { coreFields } from '../desired/choices.ts';
import { permissionsOf } from '../run/permissions.ts';

/** What one question to the site showed. `unknown`: only writing would show it. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'unknown';
  readonly detail: string;
}

const ask = async (name: string, question: () => Promise<string>): Promise<Check> => {
  try {
    return { name, status: 'ok', detail: await question() };
  } catch (error) {
    return { name, status: 'failed', detail: error instanceof Error ? error.message : toRelayError(error).message };
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
  return `"${group.name}" with ${(await site.groupMembers(group.id)).length} members`;
};

const count = (items: readonly unknown[]): string => String(items.length);

const unknowable = (step: SyncStep): Check => ({
  name: `writing ${step}`,
  status: 'unknown',
  detail: `the token needs ${permissionsOf[step]}`,
});

/** Asks everything that can be asked without writing, one question after the other. */
export const runChecks = async (site: Site, rosterGroup: string | undefined): Promise<readonly Check[]> => {
  const token = await ask('token', async () => {
    await site.probe();
    return 'accepted';
  });
  const featureFlag = await ask('preview feature patrol_schemas', () => flag(site));
  const checks = [
    token,
    featureFlag,
    await ask('patrol types', async () => count(await site.patrolTypes())),
    await ask('universal patrol fields', async () => ((await site.form()) === null ? 'none yet' : 'there')),
  ];
  for (const field of Object.values(coreFields))
    checks.push(await ask(`choices of ${field}`, async () => count(await site.choices(field))));
  checks.push(await ask('subjects that the token may see', async () => count(await site.subjects())));
  checks.push(await ask('roster group', () => members(site, rosterGroup)));
  const writes = ['patrol_types', 'universal_patrol_fields', 'choices', 'subjects', 'roster'] as const;
  return [...checks, ...writes.map(unknowable)];
};
