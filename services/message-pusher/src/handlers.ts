import { defineAction, type ActionContext } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { auth, type AuthResult } from './auth/auth.ts';
import { authFields } from './auth/fields.ts';
import type { PushBody } from './push/result.ts';
import { pushMessages } from './push/push-messages.ts';
import type { PusherTools } from './tools.ts';

/** Any shape passes, none at all too: what is wrong is answered in band. */
const anyFields = z.looseObject({});
const noFields = z.looseObject({});

const authId = 'auth';

/** Checks the account at the vendor's inbound service (device contract, section 6). */
export const action_auth = defineAction({
  type: 'auth',
  title: 'Authentication',
  description: 'The account at the inbound service of the vendor. Its check asks the device for a sign of life.',
  config: anyFields,
  published: authFields,
  executable: true,
  run: ({ config, tools }: ActionContext<z.output<typeof anyFields>, unknown, PusherTools>): Promise<AuthResult> =>
    auth(config, tools.inbound),
});

/** Sends a text of the site to devices (device contract, section 7). */
export const action_push_messages = defineAction({
  type: 'push',
  title: 'Push messages',
  description: 'Sends texts of the site to devices.',
  config: noFields,
  model: 'MessageTransformed*',
  run: async (context: ActionContext<z.output<typeof noFields>, unknown, PusherTools>): Promise<PushBody> => {
    const { integration, attributes, data, deliveryId, receivedAt, origin, traceparent, signal, feed, log } = context;
    if (integration.id === null || data === undefined)
      throw new RelayError('push_data_invalid', { details: { problem: 'it was started without data' } });
    const input = {
      integrationId: integration.id,
      auth: await context.configOf(authId),
      currentAuth: () => context.currentConfigOf(authId),
      attributes,
      data,
      messageId: origin === null ? (deliveryId ?? null) : null,
      receivedAt,
      origin,
      traceparent,
      budgetMs: context.timeLeft(),
      signal,
      feed,
      log,
    };
    return pushMessages(input, context.tools);
  },
});
