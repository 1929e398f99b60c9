import { isRelayError } from '@ranger-relay/errors';
import { failed, ok, type Finding } from '../doctor/finding.ts';
import type { ReadyParts } from './parts.ts';

const name = 'webhook ready';
const betweenMs = 1_000;
const totalMs = 5_000;

/** Asks the webhook whether it is ready until it is. */
export const askReady = async ({ http, clock, signal, tell, url }: ReadyParts): Promise<Finding> => {
  const address = new URL('/readyz', url).href;
  let problem = 'it was not asked';
  while (!signal.aborted) {
    try {
      const { status } = await http.request({ method: 'GET', url: address, totalMs, signal });
      if (status === 200) return ok(name, `${address} answers 200`);
      problem = `it answers ${status}`;
    } catch (error) {
      if (!isRelayError(error)) throw error;
      if (!signal.aborted) problem = error.message;
    }
    tell(`${address}: ${problem}`);
    await clock.sleep(betweenMs, signal).catch(() => undefined);
  }
  return failed(
    name,
    `${address}: ${problem}`,
    'Whether the webhook ingester runs, and PROBE_URL; its log says what it waits for.',
  );
};
