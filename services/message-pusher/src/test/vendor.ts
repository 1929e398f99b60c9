import { createInbound, type Inbound } from '@ranger-relay/device';
import { clientFor, cutResponse, loopbackServer, type Responder } from '@ranger-relay/http/testing';
import type { ExecutionContext } from 'ava';
import { account, harness, type HarnessOptions } from './harness.ts';

/** How a vendor ends one call whose text it has taken in. */
export type Ending = Responder;

/** Ends a call with a status. */
export const answer =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Ending =>
  () =>
    new Response(body || null, { status, headers });

/** Ends a call with an error code of the vendor. */
export const coded = (status: number, code: number, headers: Readonly<Record<string, string>> = {}): Ending =>
  answer(status, JSON.stringify({ Code: code, Description: 'so it says', IMEI: null, Message: 'Error' }), headers);

export const endings = {
  accept: answer(200, '{"count":1}'),
  hang: () => new Promise(() => undefined),
  reset: () => Response.error(),
  refuse: answer(422, '{"Code":4,"Description":"not in this account","IMEI":null,"Message":"Unknown"}'),
  throttle: answer(429, '{"Code":2}', { 'retry-after': '1' }),
  half: () => cutResponse('{"Code"', { status: 500 }),
  halfGood: () => cutResponse('{"count"'),
  portal: answer(502, '<html>Bad gateway</html>'),
} as const satisfies Record<string, Ending>;

/** A vendor that takes texts in and ends their calls as told, in this order, then well; and the client to call it with. */
export const startVendor = async (
  t: ExecutionContext,
  plan: Ending[] = [],
  serve: typeof loopbackServer = loopbackServer,
) => {
  const texts: string[] = [];
  const { origin } = await serve(t, (request) => {
    const { Messages } = JSON.parse(request.body) as { Messages?: { Recipients: string[] }[] };
    texts.push(Messages?.[0]?.Recipients.join() ?? 'pingback');
    return (plan.shift() ?? endings.accept)(request);
  });
  const http = clientFor(t);
  return {
    apiUrl: `${origin}/IPCInbound`,
    texts,
    inboundWithin: (timeoutMs: number): Inbound => createInbound({ http, timeoutMs }),
  };
};

/** A harness whose vendor is called through the real client. */
export const wiredHarness = async (
  t: ExecutionContext,
  plan: Ending[],
  options: HarnessOptions = {},
  serve: typeof loopbackServer = loopbackServer,
) => {
  const vendor = await startVendor(t, plan, serve);
  const w = harness(options);
  const inbound = vendor.inboundWithin(2_000);
  Object.assign(w.deps, { inbound });
  const config = { ...account, api_url: vendor.apiUrl };
  return { w, vendor, inbound, config, deliver: (...recipients: string[]) => w.deliver(recipients, { auth: config }) };
};
