import { RelayError } from '@ranger-relay/errors';
import type { ActionRegistration, TypeRegistration } from '@ranger-relay/platform';
import type { z } from 'zod';
import type { Action } from '../define/action.ts';
import type { Catalogue } from '../define/catalogue.ts';
import { crontabMembers, restrictsBothDays } from '../schedule/crontab.ts';
import { type Schedule, schedulesOf } from '../schedule/schedules.ts';
import { formOf, titleOf } from './form.ts';

const form = /^[a-z0-9_]+$/;

/**
 * Normalises an integration type: trimmed, lower case.
 * @throws RelayError `config_invalid` for characters that the platform does not accept
 */
export const typeSlug = (text: string): string => {
  const slug = text.trim().toLowerCase();
  if (form.test(slug)) return slug;
  throw new RelayError('config_invalid', {
    details: {
      variable: 'INTEGRATION_TYPE_SLUG',
      problem: `is "${text}", but the platform accepts only letters, digits and "_"`,
    },
  });
};

/** Warnings for the operator before a type is registered, one sentence each. */
export const registrationWarnings = ({ catalogue, schedules }: TypeSpec): readonly string[] =>
  schedulesOf(catalogue, schedules)
    .filter(({ crontab }) => restrictsBothDays(crontab))
    .map(
      ({ actionId, crontab }) =>
        `The schedule "${crontab.text}" of ${actionId} restricts both kinds of days: here one match is enough, but the platform may need both`,
    );

/** The registration data of a service's integration type. */
export interface TypeSpec {
  readonly slug: string;
  readonly catalogue: Catalogue;
  readonly description?: string;
  /** INTEGRATION_SERVICE_URL. */
  readonly serviceUrl?: string | undefined;
  /** Model of the settings of its webhook. */
  readonly webhook?: z.ZodObject;
  /** `<action id>:<crontab>`. */
  readonly schedules?: readonly string[];
}

/** The address with a trailing slash: the platform joins paths to it, and would otherwise replace the last segment. */
const withSlash = (address: string): string => {
  const url = new URL(address);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url.href;
};

const actionOf = (action: Action, schedule: Schedule | undefined): ActionRegistration => {
  const {
    id,
    type,
    title,
    description = '',
    config,
    published = config,
    executable = false,
    branches,
    uiSchema,
  } = action;
  return {
    type,
    name: title ?? titleOf(id),
    value: id,
    description,
    ...formOf(published, { executable, branches, uiSchema }),
    is_periodic_action: schedule !== undefined,
    ...(schedule ? { crontab_schedule: { ...crontabMembers(schedule.crontab) } } : {}),
  };
};

const webhookOf = (slug: string, settings: z.ZodObject) => ({
  name: titleOf(`${slug}_webhook`),
  value: `${slug}_webhook`,
  description: '',
  ...formOf(settings),
});

/**
 * Builds the registration of a service's integration type (platform contract, registration), without internal actions.
 * @throws RelayError `config_invalid` (slug), `crontab_invalid`
 */
export const registrationBody = (spec: TypeSpec): TypeRegistration => {
  const { catalogue, description = '', serviceUrl, webhook } = spec;
  const slug = typeSlug(spec.slug);
  const schedules = new Map(schedulesOf(catalogue, spec.schedules).map((each) => [each.actionId, each]));
  return {
    name: titleOf(slug),
    value: slug,
    description,
    ...(serviceUrl === undefined ? {} : { service_url: withSlash(serviceUrl) }),
    actions: catalogue.actions
      .filter(({ internal }) => !internal)
      .map((action) => actionOf(action, schedules.get(action.id))),
    ...(webhook ? { webhook: webhookOf(slug, webhook) } : {}),
  };
};
