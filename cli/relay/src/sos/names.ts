import { jsonOf } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { SosCall } from './model.ts';

const keptMs = 60_000;
const maxNames = 1_000;

const integrationSchema = z.object({ value: z.looseObject({ name: z.string().min(1).max(200) }) });

/** The name in the cached entry of an integration. */
export const nameIn = (text: string | null): string | null =>
  integrationSchema.safeParse(jsonOf(text ?? '')).data?.value.name ?? null;

/** Names of integrations by their ids; null for an unknown one. */
export type Names = (ids: Iterable<string>) => Promise<ReadonlyMap<string, string | null>>;

/**
 * Names of integrations from the configuration cache; each is read once a minute. One that is not there is read again each time, and a name
 * that was known stays: it is that of the park to call, whatever becomes of the cache.
 */
export const createNames = (config: Pick<KvSpace, 'get'>, clock: Clock): Names => {
  const known = new BoundedMap<{ readonly name: string; readonly until: number }>(maxNames);
  const nameOf = async (id: string): Promise<string | null> => {
    const found = known.get(id);
    if (found && clock.monotonic() < found.until) return found.name;
    const name = nameIn(await config.get(`integration.${id}`).catch(() => null)) ?? found?.name ?? null;
    if (name !== null) known.set(id, { name, until: clock.monotonic() + keptMs });
    return name;
  };
  return async (ids) => new Map(await Promise.all([...ids].map(async (id) => [id, await nameOf(id)] as const)));
};

/** The list with the names of the integrations. */
export const named = async (calls: readonly SosCall[], namesOf: Names): Promise<SosCall[]> => {
  const names = await namesOf(new Set(calls.map(({ integration_id: id }) => id)));
  return calls.map((call) => ({ ...call, name: names.get(call.integration_id) ?? null }));
};

/** What integrations are called among others: by name, with the id where two have that name; null without a name. */
export const labels = (names: ReadonlyMap<string, string | null>): ((id: string) => string | null) => {
  const byName = Map.groupBy(names.keys(), (id) => names.get(id));
  return (id) => {
    const name = names.get(id) ?? null;
    return name !== null && (byName.get(name)?.length ?? 0) > 1 ? `${name} (${id})` : name;
  };
};
