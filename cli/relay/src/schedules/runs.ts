import { RelayError } from '@ranger-relay/errors';
import type { PlatformApi } from '@ranger-relay/platform';
import { z } from 'zod';

const integrationSchema = z.looseObject({
  enabled: z.boolean(),
  configurations: z
    .array(
      z.looseObject({
        action: z.looseObject({ value: z.string() }),
        data: z.looseObject({ run_on_schedule: z.unknown().optional() }).nullish(),
      }),
    )
    .catch([]),
});

/** Whether a schedule has an effect for one integration. */
export type Runs = 'yes' | 'integration disabled' | 'no configuration' | 'run_on_schedule off';

/** Tells it of each action. @throws RelayError `integration_unknown` and those of the platform */
export const runsOf = async (api: PlatformApi, id: string): Promise<(actionId: string) => Runs> => {
  const found = await api.get(`/v2/integrations/${encodeURIComponent(id)}/`);
  const parsed = integrationSchema.safeParse(found);
  if (!parsed.success) throw new RelayError('integration_unknown', { details: { integration: id.slice(0, 100) } });
  const { enabled, configurations } = parsed.data;
  return (actionId) => {
    if (!enabled) return 'integration disabled';
    const configuration = configurations.find(({ action }) => action.value === actionId);
    if (!configuration) return 'no configuration';
    return configuration.data?.run_on_schedule === true ? 'yes' : 'run_on_schedule off';
  };
};
