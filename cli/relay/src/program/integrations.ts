import { canonicalId, isUuid } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { alignColumns, plural, printable, type Shell } from '@ranger-relay/terminal';
import type { Command } from 'commander';
import { nameIn } from '../sos/names.ts';
import { withOpen } from './stores.ts';

/** An integration that the services have served. */
interface Known {
  readonly id: string;
  readonly name: string | null;
}

const prefix = 'integration.';
const maxShown = 20;

const knownIn = async ({ config }: Pick<KeyValue, 'config'>): Promise<readonly Known[]> =>
  (await config.list(prefix))
    .map(({ key, value }) => ({ id: key.slice(prefix.length), name: nameIn(value) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

const usage = (problem: string, candidates: readonly Known[]): RelayError => {
  const rows = candidates.slice(0, maxShown).map(({ id, name }) => ['', id, printable(name ?? '')]);
  const more = candidates.length - rows.length;
  const lines = [
    problem,
    ...alignColumns(rows, ['left', 'left', 'left']),
    ...(more > 0 ? [`  and ${plural(more, 'other')}`] : []),
  ];
  return new RelayError('usage', { details: { problem: lines.join('\n') } });
};

/**
 * The id of the integration that a person means by an id, its beginning, or the name of the integration. A whole id may be one that is not known.
 * @throws RelayError `usage` with the candidates when it is none, or several
 */
export const resolveIntegration = (given: string, known: readonly Known[]): string => {
  const id = canonicalId(given.trim());
  if (isUuid(id) || known.some((each) => each.id === id)) return id;
  const text = id.toLowerCase();
  const named = known.filter(({ name }) => name?.trim().toLowerCase() === text);
  const found = named.length > 0 ? named : known.filter((each) => each.id.startsWith(text));
  const [only, ...others] = found;
  if (only && others.length === 0) return only.id;
  if (only) throw usage(`"${given}" may be any of these integrations; give the id:`, found);
  const what = `"${given}" is neither the id, the beginning of an id, nor the name of an integration`;
  throw usage(known.length > 0 ? `${what}; known are:` : `${what}; none is known here yet`, known);
};

const openKnown = async (openKv: () => Promise<KeyValue>, given: string): Promise<readonly Known[] | undefined> => {
  try {
    return await withOpen(openKv, knownIn);
  } catch (error) {
    if (isUuid(given)) return undefined;
    throw error;
  }
};

/**
 * Lets a command, and those below it, take an integration by id, by the beginning of its id or by its name, wherever it takes one.
 * An id that no service has served is told, because a wrong one finds nothing.
 */
export const withIntegrations = (command: Command, shell: Shell, openKv: () => Promise<KeyValue>): Command => {
  const resolve = async (given: string): Promise<string> => {
    const known = await openKnown(openKv, given);
    if (!known) return canonicalId(given);
    const id = resolveIntegration(given, known);
    if (!known.some((each) => each.id === id))
      shell.err(`No service has served an integration ${id} in the last seven days.`);
    return id;
  };
  return command.hook('preAction', async (_, called) => {
    // Its integration is one of another installation.
    if (called.name() === 'simulate') return;
    for (let owner: Command | null = called; owner; owner = owner.parent) {
      const option: unknown = owner.getOptionValue('integration');
      if (typeof option === 'string') owner.setOptionValue('integration', await resolve(option));
    }
    const place = called.registeredArguments.findIndex((argument) => argument.name() === 'integration');
    const argument: unknown = called.processedArgs[place];
    if (typeof argument === 'string') called.processedArgs[place] = await resolve(argument);
  });
};
