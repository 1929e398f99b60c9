import type { ExecutionContext } from 'ava';
import type { SimulatedResponse, SimRequest } from '../http/answer.ts';
import { startServer, type SimServer } from '../http/server.ts';
import { seeded } from '../time/random.ts';
import type { VendorOptions } from '../vendor/line.ts';
import { createVendor, type Vendor } from '../vendor/vendor.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';

/** One POST as the customer got it. */
export interface Got {
  readonly body: string;
  readonly events: readonly { imei?: string; n?: number }[];
  readonly request: SimRequest;
}

/** A customer's webhook and the vendor that posts to it. */
export interface Receiver {
  readonly got: Got[];
  readonly server: SimServer;
  readonly clock: ManualClock;
  readonly vendor: Vendor;
}

/** Starts both; the webhook answers the given answers in turn, the last one for ever. */
export const startReceiver = async (
  t: ExecutionContext,
  answers: readonly SimulatedResponse[],
  options: Partial<VendorOptions> = {},
): Promise<Receiver> => {
  const got: Got[] = [];
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    async handle(request) {
      const body = (await request.body()).toString();
      const answer = answers[Math.min(got.length, answers.length - 1)] ?? { status: 200 };
      const { Events: events } = JSON.parse(body) as { Events: Got['events'] };
      got.push({ body, events, request });
      return answer;
    },
  });
  const clock = manualClock();
  const vendor = createVendor({
    targetUrl: `${server.url}/webhooks?x=1`,
    auth: { header: 'token' },
    clock,
    random: seeded(1),
    ...options,
  });
  t.teardown(async () => {
    await vendor.close();
    await server.close();
  });
  return { got, server, clock, vendor };
};
