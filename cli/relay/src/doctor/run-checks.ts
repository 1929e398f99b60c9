import type { Clock } from '@ranger-relay/runtime';
import { failed, failureOf, type Check, type Finding } from './finding.ts';

/** Each check has so long, ms; all run beside each other, so that the whole ends within 30 s. */
export const checkMs = 20_000;

const late = (name: string): Finding =>
  failed(name, `no answer within ${checkMs / 1_000} s`, 'The network to the other side, and its load.');

const askOne = async ({ name, ask }: Check, clock: Clock, interrupted: AbortSignal): Promise<readonly Finding[]> => {
  const over = new AbortController();
  const tooLate = Promise.withResolvers<readonly Finding[]>();
  const timer = clock.after(checkMs, () => {
    tooLate.resolve([late(name)]);
    over.abort();
  });
  const asking = ask(AbortSignal.any([over.signal, interrupted])).catch((error: unknown) => [failureOf(name, error)]);
  try {
    return await Promise.race([asking, tooLate.promise]);
  } finally {
    timer.cancel();
  }
};

/** Asks all beside each other; what they find comes in the order of the checks. Never rejects. */
export const runChecks = async (
  checks: readonly Check[],
  clock: Clock,
  interrupted: AbortSignal,
): Promise<readonly Finding[]> => (await Promise.all(checks.map((check) => askOne(check, clock, interrupted)))).flat();
