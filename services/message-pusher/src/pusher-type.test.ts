import { webhookDefaults } from '@ranger-relay/device';
import test from 'ava';
import { z } from 'zod';
import { pusherType } from './pusher-type.ts';

test('the description of message_codes names every code that becomes a message by default', (t) => {
  const { webhook } = pusherType({ PUSH_MESSAGE_EVENT_TYPE: 'any' });
  const codes = webhook?.shape['message_codes'] ?? z.never();
  const { description = '' } = z.globalRegistry.get(codes) ?? {};
  for (const code of webhookDefaults.message_codes) t.regex(description, new RegExp(`\\b${code}\\b`));
});
