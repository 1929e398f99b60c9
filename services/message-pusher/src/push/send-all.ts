import { RelayError } from '@ranger-relay/errors';
import { ledgerKey } from '../ledger/entry.ts';
import { later, unanswered, type End } from './ends.ts';
import type { PushDeps } from './parts.ts';
import type { Push } from './read-push.ts';
import { Sending, type Sent } from './sending.ts';

/** Longest time that a run waits because the vendor asks for it, ms. */
const patienceMs = 60_000;
/** A vendor that asks for no time at all is not asked again at once, ms. */
const shortestWaitMs = 1_000;
/** Time that the ledger may take around a call, ms. */
const marginMs = 5_000;

/** Failures of the account: another device would end the same way, and wrong credentials again and again may lock it. */
const touchesAll = (end: End): RelayError | undefined =>
  end.kind === 'transient' && (end.error.code === 'vendor_auth_refused' || end.error.code === 'vendor_throttled')
    ? end.error
    : undefined;

/** How long the vendor asks to wait before the same call; undefined when there is nothing to wait for. */
const askedWait = (end: End): number | undefined => {
  if (end.kind !== 'transient' || end.status === null || end.error.ambiguous) return undefined;
  const { retryAfterMs } = end.error;
  return retryAfterMs === undefined ? undefined : Math.max(retryAfterMs, shortestWaitMs);
};

/**
 * Sends a push to each of its devices in turn, one call at a time per integration (device contract, section 7).
 * @param parent trace parent of the calls
 */
export const sendAll = async (push: Push, deps: PushDeps, parent?: string): Promise<readonly End[]> => {
  const { clock, ledger, turns, settings } = deps;
  const { integrationId, budgetMs, signal } = push.input;
  const finish = clock.monotonic() + budgetMs;
  const spareMs = (): number => finish - clock.monotonic() - settings.timeoutMs;
  const refusal = (): RelayError | undefined =>
    spareMs() <= 0 || signal?.aborted
      ? new RelayError('deadline_exceeded', { details: { what: 'The push', ms: budgetMs } })
      : undefined;
  const keys = push.recipients.map((recipient) => ledgerKey(integrationId, push.deliveryId, recipient));
  const opened = await ledger.open(keys, push.input.receivedAt);
  const sending = new Sending(push, deps, { refusal, parent, opened });
  let patience = patienceMs;

  const sendPatiently = async (recipient: string): Promise<Sent> => {
    for (;;) {
      const sent = await sending.sendTo(recipient);
      const waitMs = askedWait(sent.end);
      if (waitMs === undefined || waitMs > patience || waitMs > spareMs() - marginMs || signal?.aborted) return sent;
      patience -= waitMs;
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  };

  const settling: Promise<void>[] = [];
  const inTurn = async (recipient: string): Promise<End> => {
    const sent = refusal()
      ? undefined
      : await turns.take(integrationId, spareMs(), () => sendPatiently(recipient), signal);
    if (!sent) return later(recipient, unanswered(refusal() ?? new RelayError('push_busy')));
    sent.settled.catch(() => undefined);
    settling.push(sent.settled);
    return sent.end;
  };

  const ends: End[] = [];
  let stop: RelayError | undefined;
  for (const recipient of push.recipients) {
    const end = stop ? later(recipient, unanswered(stop)) : await inTurn(recipient);
    stop ??= touchesAll(end);
    ends.push(end);
  }
  await Promise.all(settling);
  return ends;
};
