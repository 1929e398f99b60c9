import { parseCrontab, type Schedule } from '@ranger-relay/actions';
import type { KvSpace } from '@ranger-relay/kv';
import { type Context, repeat } from '@ranger-relay/runtime';
import { z } from 'zod';
import { schedulerKey } from './due.ts';

/** The schedules of a running service, for processes that do not have its environment. */
export interface ServiceSchedules {
  /** The component that starts scheduled runs: the service, or the platform. */
  readonly scheduler: 'internal' | 'platform';
  readonly schedules: readonly Schedule[];
}

const everyMs = 60_000;
/** How long the schedules of a stopped service stay in the store, ms. */
const keptMs = 5 * everyMs;

const entrySchema = z.object({
  scheduler: z.enum(['internal', 'platform']),
  schedules: z.array(
    z.object({ action: z.string(), crontab: z.string(), source: z.enum(['registration', 'handler', 'default']) }),
  ),
});

const written = ({ scheduler, schedules }: ServiceSchedules): string =>
  JSON.stringify({
    scheduler,
    schedules: schedules.map(({ actionId, crontab, source }) => ({ action: actionId, crontab: crontab.text, source })),
  } satisfies z.infer<typeof entrySchema>);

/** Stores the schedules of this process until it ends; an unavailable store is not an error. */
export const announceSchedules = (
  { clock, log, lifecycle }: Pick<Context, 'clock' | 'log' | 'lifecycle'>,
  state: KvSpace,
  slug: string,
  schedules: ServiceSchedules,
): void => {
  const text = written(schedules);
  const announce = (): Promise<void> =>
    state
      .set(schedulerKey.schedules(slug), text, { ttlMs: keptMs })
      .catch((error: unknown) => log.debug({ err: error }, 'the schedules were not announced'));
  const stop = repeat({ clock, everyMs, firstMs: 0 }, announce);
  lifecycle.onStop('announced schedules', () => void stop());
};

/** Types whose running services have announced schedules. Scans the keys of the store. @throws RelayError `kv_unavailable` */
export const announcedTypes = async (state: KvSpace): Promise<readonly string[]> => {
  const [before = '', after = ''] = schedulerKey.schedules('*').split('*');
  const entries = await state.list(before);
  return entries.filter(({ key }) => key.endsWith(after)).map(({ key }) => key.slice(before.length, -after.length));
};

/** The schedules that a running service of the type has announced; null when none has. @throws RelayError `kv_unavailable` */
export const readSchedules = async (state: KvSpace, slug: string): Promise<ServiceSchedules | null> => {
  const text = await state.get(schedulerKey.schedules(slug));
  if (text === null) return null;
  try {
    const { scheduler, schedules } = entrySchema.parse(JSON.parse(text));
    return {
      scheduler,
      schedules: schedules.map(({ action, crontab, source }) => ({
        actionId: action,
        crontab: parseCrontab(crontab),
        source,
      })),
    };
  } catch {
    return null;
  }
};
