import { type ActionContext, defineAction } from '@ranger-relay/actions';
import { type Inbound, type InboundFailure, readInboundConfig } from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { failureKind } from './failures/failure.ts';
import { pushMessages } from './push/push-messages.ts';
import type { PushBody } from './push/result.ts';
import type { PushDeps } from './push/dependencies.ts';

/** The fields that an operator fills in. A run accepts any data and reports its problems in band. */
export const authFields = z.object({
  api_url: z.string().min(1).meta({
    title: 'Address of the inbound service',
    description: 'As the vendor shows it, such as https://inbound.vendor.example',
  }),
  username: z.string().min(1).meta({ title: 'User name' }),
  password: z.string().min(1).meta({ title: 'Password', secret: true }),
});

/** Output of the `auth` action; its HTTP status is always 200. */
export type AuthResult =
  { readonly valid_credentials: true } | { readonly valid_credentials: false; readonly error: string };

const refused = (error: string): AuthResult => ({ valid_credentials: false, error });

const describe = ({ error }: InboundFailure): AuthResult => {
  if (error.code === 'vendor_auth_refused') return refused('Invalid username or password');
  if (failureKind(error).title === 'Configuration error') return refused(`api_url: ${error.message}`);
  return refused(`${failureKind(error).title}: ${error.message}`);
};

/**
 * The `auth` action (device contract, section 6): checks the credentials by a pingback, which probably causes an event of code 65. Problems
 * of the configuration itself are reported without a call.
 * @param data the action's configuration as received, any shape
 */
export const auth = async (data: unknown, inbound: Pick<Inbound, 'pingback'>): Promise<AuthResult> => {
  const config = readInboundConfig(data);
  if (typeof config === 'string') return refused(`${config} is missing`);
  const outcome = await inbound.pingback(config);
  return outcome.kind === 'accepted' ? { valid_credentials: true } : describe(outcome);
};

/** Accepts any shape, even none: problems are reported in band. */
const anyFields = z.looseObject({});
const noFields = z.looseObject({});

const authId = 'auth';

/** Checks the account at the vendor's inbound service (device contract, section 6). */
export const action_auth = defineAction({
  type: 'auth',
  title: 'Authentication',
  description: 'The account at the inbound service of the vendor. Its check locates a device.',
  config: anyFields,
  published: authFields,
  executable: true,
  run: async ({
    config,
    integration,
    tools,
  }: ActionContext<z.output<typeof anyFields>, unknown, PushDeps>): Promise<AuthResult> => {
    const result = await auth(config, tools.inbound);
    if (result.valid_credentials && integration.id !== null)
      tools.conditions.clear('vendor_credentials_refused', integration.id);
    return result;
  },
});

/** Sends a text from the site to devices (device contract, section 7). */
export const action_push_messages = defineAction({
  type: 'push',
  title: 'Push messages',
  description: 'Sends texts of the site to devices.',
  config: noFields,
  model: 'MessageTransformed*',
  run: async (context: ActionContext<z.output<typeof noFields>, unknown, PushDeps>): Promise<PushBody> => {
    const { integration, data, deliveryId, attempt, origin } = context;
    if (integration.id === null || data === undefined)
      throw new RelayError('push_data_invalid', { details: { problem: 'it was started without data' } });
    const input = {
      ...context,
      integrationId: integration.id,
      auth: await context.configOf(authId),
      currentAuth: () => context.currentConfigOf(authId),
      messageId: origin === null ? (deliveryId ?? null) : null,
      isRedelivered: origin === null && attempt > 1,
      budgetMs: context.timeLeft(),
    };
    return pushMessages(input, context.tools);
  },
});
