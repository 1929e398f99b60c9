import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { z } from 'zod';

const keptMs = 60_000;
const maxNames = 1_000;

const entrySchema = z.object({ value: z.looseObject({ name: z.string().min(1).max(200) }) });

const nameIn = (text: string | null): string | null => {
  try {
    return entrySchema.safeParse(JSON.parse(text ?? 'null')).data?.value.name ?? null;
  } catch {
    return null;
  }
};

/** Names of integrations out of the configuration cache, as far as it has them; each is looked up once a minute. */
export const createNames = (
  config: Pick<KvSpace, 'get'>,
  clock: Clock,
): ((ids: Iterable<string>) => Promise<ReadonlyMap<string, string | null>>) => {
  const known = new Map<string, { readonly name: string | null; readonly until: number }>();
  const nameOf = async (id: string): Promise<string | null> => {
    const found = known.get(id);
    if (found && clock.monotonic() < found.until) return found.name;
    const name = nameIn(await config.get(`integration.${id}`).catch(() => null));
    if (known.size < maxNames || known.has(id)) known.set(id, { name, until: clock.monotonic() + keptMs });
    return name;
  };
  return async (ids) => new Map(await Promise.all([...ids].map(async (id) => [id, await nameOf(id)] as const)));
};
