import { idSchema } from '@ranger-relay/contracts';
import { z } from 'zod';
import { unavailable } from './classify.ts';

/** An integration without its configurations. Unknown members are kept. */
export const integrationSchema = z.looseObject({
  id: idSchema,
  enabled: z.boolean(),
  name: z.string().nullish(),
  base_url: z.string().nullish(),
  type: z.looseObject({ value: z.string() }),
});

/** The settings of one action of an integration. */
export const configurationSchema = z.looseObject({
  action: z.looseObject({ value: z.string() }),
  data: z.unknown().optional(),
});

const wholeSchema = integrationSchema.extend({
  configurations: z.array(z.unknown()).nullish(),
  webhook_configuration: z.looseObject({ data: z.unknown().optional() }).nullish(),
});

export type Integration = z.infer<typeof integrationSchema>;
export type Configuration = z.infer<typeof configurationSchema>;

/** One integration of the platform, split into its parts. */
export interface Snapshot {
  readonly integration: Integration;
  /** By action. */
  readonly configurations: ReadonlyMap<string, Configuration>;
  /** Settings of the webhook; null when it has none. */
  readonly webhook: Readonly<Record<string, unknown>> | null;
}

/** Whether a text can be the id of an integration. */
export const isIntegrationId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);

const byAction = (list: readonly unknown[]): Map<string, Configuration> => {
  const good = list.flatMap((item) => {
    const parsed = configurationSchema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
  return new Map(good.map((configuration) => [configuration.action.value, configuration]));
};

/** The JSON of an integration without the settings of its actions and its webhook. */
export const withoutConfigurations = (json: unknown): unknown => {
  if (json === null || typeof json !== 'object') return json;
  return Object.fromEntries(
    Object.entries(json).filter(([name]) => name !== 'configurations' && name !== 'webhook_configuration'),
  );
};

/** Parses an integration. @throws RelayError `platform_unavailable` when the response is not an integration */
export const readSnapshot = (json: unknown): Snapshot => {
  const parsed = wholeSchema.safeParse(json);
  if (!parsed.success) throw unavailable('the answer is not an integration');
  const { configurations, webhook_configuration: webhook } = parsed.data;
  return {
    integration: integrationSchema.parse(withoutConfigurations(json)),
    configurations: byAction(configurations ?? []),
    webhook: webhook ?? null,
  };
};
