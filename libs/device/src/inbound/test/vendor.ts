import { clientFor, mockServer, type TestServer } from '@ranger-relay/http/testing';
import type { ExecutionContext } from 'ava';
import { createInbound, type Inbound } from '../client.ts';
import type { InboundConfig } from '../config.ts';
import type { InboundFailure, InboundOutcome } from '../outcome.ts';
import type { InboundText } from '../text.ts';

/** What a scripted vendor answers. */
export interface Reply {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A vendor that answers every call alike. */
export const answering = (t: ExecutionContext, { body, ...init }: Reply): Promise<TestServer> =>
  mockServer(t, () => new Response(body ?? null, init));

/** The client under test, which may reach loopback. */
export const inboundFor = (
  t: ExecutionContext,
  { timeoutMs = 5_000, allowedNetworks = ['127.0.0.0/8'] as readonly string[] } = {},
): Inbound => createInbound({ http: clientFor(t, { allowedNetworks }), timeoutMs });

export const device = '300434030000000';

/** An account at an address. */
export const account = (apiUrl: string, more: Partial<InboundConfig> = {}): InboundConfig => ({
  apiUrl,
  username: 'fieldteam',
  password: 'päss:wörd',
  ...more,
});

const someText: InboundText = { text: 'Return to camp', sender: 'ops@site.org', timestamp: 1_749_033_310_000 };

/** Sends a text to the vendor at an address. */
export const send = (inbound: Inbound, apiUrl: string): Promise<InboundOutcome> =>
  inbound.sendText(account(apiUrl), someText, device);

/** Sends a text to a vendor that answers so. */
export const outcomeOf = async (t: ExecutionContext, reply: Reply): Promise<InboundOutcome> =>
  send(inboundFor(t), (await answering(t, reply)).origin);

/** Narrows to a failure. */
export const failureIn = (t: ExecutionContext, outcome: InboundOutcome): InboundFailure => {
  if (outcome.kind === 'accepted') {
    t.fail('the call was accepted');
    throw new Error('the call was accepted');
  }
  return outcome;
};
