import { discoverActions, type TypeSpec } from '@ranger-relay/actions';
import { webhookDefaults } from '@ranger-relay/device';
import { z } from 'zod';
import type { PusherConfig } from './config.ts';
import * as handlers from './handlers.ts';

const messageCodesHelp = 'Codes of the events that become messages; 3 is free text.';

/** Webhook settings as an operator fills them in; the ingester reads them (device contract, section 2). */
const webhookFields = z.object({
  include_observations: z.boolean().default(webhookDefaults.include_observations).meta({ title: 'Send positions' }),
  include_messages: z.boolean().default(webhookDefaults.include_messages).meta({ title: 'Send messages' }),
  message_codes: z
    .array(z.int())
    .default(webhookDefaults.message_codes)
    .meta({ title: 'Message codes', description: messageCodesHelp }),
  include_no_fix: z
    .boolean()
    .default(webhookDefaults.include_no_fix)
    .meta({ title: 'Send positions without a fix', description: 'They are sent at 0,0 and marked.' }),
});

/** The device connector as registered and served. */
export const pusherType = ({
  PUSH_MESSAGE_EVENT_TYPE,
}: Pick<PusherConfig, 'PUSH_MESSAGE_EVENT_TYPE'>): Omit<TypeSpec, 'slug' | 'serviceUrl'> => ({
  catalogue: discoverActions(handlers, { models: { push_messages: PUSH_MESSAGE_EVENT_TYPE } }),
  description: 'Receives events of devices, and sends texts to them',
  webhook: webhookFields,
});
