import type { ActionRegistration, TypeRegistration } from '@ranger-relay/platform';
import type { z } from 'zod';
import type { Action } from '../define/action.ts';
import type { Catalogue } from '../define/catalogue.ts';
import { crontabMembers } from '../schedule/members.ts';
import { schedulesOf, type Schedule } from '../schedule/schedules.ts';
import { publishedSchema } from './schema.ts';
import { titleOf, typeSlug } from './slug.ts';

/** Webhook of an integration type. */
export interface WebhookSpec {
  /** Model of its settings. */
  readonly settings: z.ZodObject;
  readonly name?: string;
  readonly description?: string;
  readonly uiSchema?: Readonly<Record<string, unknown>>;
}

/** What a service says of its integration type. */
export interface TypeSpec {
  readonly slug: string;
  readonly catalogue: Catalogue;
  /** The slug as a title when left out. */
  readonly name?: string;
  readonly description?: string;
  /** INTEGRATION_SERVICE_URL. */
  readonly serviceUrl?: string | undefined;
  readonly webhook?: WebhookSpec;
  /** `<action id>:<crontab>`. */
  readonly schedules?: readonly string[];
}

/** The address with a last slash: the platform joins paths to it, and would take the place of the last part otherwise. */
const withSlash = (address: string): string => {
  const url = new URL(address);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url.href;
};

const uiOf = (uiSchema: Readonly<Record<string, unknown>> | undefined) => (uiSchema ? { ui_schema: uiSchema } : {});

const actionOf = (action: Action, schedule: Schedule | undefined): ActionRegistration => {
  const { id, type, title, description = '', config, published = config, executable = false, uiSchema } = action;
  return {
    type,
    name: title ?? titleOf(id),
    value: id,
    description,
    schema: publishedSchema(published, { executable }),
    ...uiOf(uiSchema),
    is_periodic_action: schedule !== undefined,
    ...(schedule ? { crontab_schedule: { ...crontabMembers(schedule.crontab) } } : {}),
  };
};

const webhookOf = (slug: string, { settings, name, description = '', uiSchema }: WebhookSpec) => ({
  name: name ?? titleOf(`${slug}_webhook`),
  value: `${slug}_webhook`,
  description,
  schema: publishedSchema(settings),
  ...uiOf(uiSchema),
});

/**
 * What a service's integration type is registered with (platform contract, registration); internal actions are left out.
 * @throws RelayError `config_invalid` (slug), `crontab_invalid`
 */
export const registrationBody = (spec: TypeSpec): TypeRegistration => {
  const { catalogue, name, description = '', serviceUrl, webhook } = spec;
  const slug = typeSlug(spec.slug);
  const schedules = new Map(schedulesOf(catalogue, spec.schedules).map((each) => [each.actionId, each]));
  return {
    name: name ?? titleOf(slug),
    value: slug,
    description,
    ...(serviceUrl === undefined ? {} : { service_url: withSlash(serviceUrl) }),
    actions: catalogue.actions
      .filter(({ internal }) => !internal)
      .map((action) => actionOf(action, schedules.get(action.id))),
    ...(webhook ? { webhook: webhookOf(slug, webhook) } : {}),
  };
};
