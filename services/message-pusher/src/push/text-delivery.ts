import { isDeepStrictEqual } from 'node:util';
import { isOlder } from '@ranger-relay/actions';
import { type InboundFailure, type InboundOutcome, isRecipient, recipientInvalid } from '@ranger-relay/device';
import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import type { Failure } from '../failures/failure.ts';
import { ledgerKey } from '../ledger/entry.ts';
import type { Claim, Claimed, Opened } from '../ledger/ledger.ts';
import { isHeld } from '../ledger/transitions.ts';
import { decidedBefore, type Outcome, later, unanswered } from './result.ts';
import { giveUp } from './letters.ts';
import type { PushDeps, PushInput } from './dependencies.ts';
import type { Push } from './read-push.ts';

/** An unusable account may be one that an operator is about to configure: its texts wait this long, ms. */
export const accountPatienceMs = 10 * 60_000;

/** Vendor codes for faults of the text itself, independent of the account: its length and its attachments. */
const codesOfText: ReadonlySet<number | string> = new Set([5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);

/** Whether the pusher itself refused the account. */
const isUnusable = (error: RelayError): boolean =>
  isRelayError(error, 'push_unconfigured', 'vendor_address_invalid', 'http_address_refused', 'http_scheme_refused');

/** The facts on which a final failure is judged. */
interface Judged {
  /** True when the vendor refused the text. */
  readonly isRefused: boolean;
  readonly failure: Pick<Failure, 'error'>;
  /** The vendor's code, or the pusher's own. */
  readonly code: number | string;
  /** How long the text has been tried, ms. */
  readonly ageMs: number;
}

/**
 * Why a text is retried although its account does not work: the account may come from a cache, and it has changed, cannot be read now, or
 * may still be entered. Undefined when the failure is final.
 */
const accountProblem = async (
  { auth, currentAuth }: Pick<PushInput, 'auth' | 'currentAuth'>,
  { isRefused, failure: { error }, code, ageMs }: Judged,
): Promise<RelayError | undefined> => {
  if (!isUnusable(error) && (!isRefused || codesOfText.has(code))) return undefined;
  try {
    if (!isDeepStrictEqual(await currentAuth(), auth)) return error;
  } catch (thrown) {
    return toRelayError(thrown);
  }
  return isUnusable(error) && ageMs < accountPatienceMs ? error : undefined;
};

/** Why a text is not sent any more, as recorded in the ledger. */
interface Final {
  readonly kind: 'invalid' | 'refused' | 'transient' | 'ambiguous';
  readonly failure: Failure;
  readonly code: number | string;
}

const away = (): Failure =>
  unanswered(
    new RelayError('kv_unavailable', { details: { reason: 'texts wait for it, because of PUSH_AMBIGUOUS=hold' } }),
  );

const resting = (retryAfterMs: number): Failure =>
  unanswered(
    new RelayError('vendor_answer_lost', { details: { reason: 'the text will be retried later' }, retryAfterMs }),
  );

const heldDetail = 'The text may have been sent; a person must decide whether to send it again';

/** Result of an attempt for one device. */
export interface DeliveryResult {
  readonly end: Outcome;
  /** Resolves when the ledger has recorded the result; meanwhile the vendor may be called for another text. */
  readonly settled: Promise<void>;
}

const settled = Promise.resolve();

/** The run that sends a push. */
interface RunOfPush {
  /** The entries that the ledger created. */
  readonly opened: Opened;
  /** Why no call may start now. */
  readonly refusal: () => RelayError | undefined;
  /** Trace parent of the calls. */
  readonly parent: string | undefined;
}

/** Sends one push to its devices, one by one. */
export class TextDelivery {
  private readonly push: Push;
  private readonly deps: PushDeps;
  private readonly run: RunOfPush;

  constructor(push: Push, deps: PushDeps, run: RunOfPush) {
    this.push = push;
    this.deps = deps;
    this.run = run;
  }

  /** Claims the text of one device and sends it, unless the ledger forbids it. At most one call. */
  async sendTo(recipient: string): Promise<DeliveryResult> {
    const key = ledgerKey(this.push.input.integrationId, this.push.deliveryId, recipient);
    const claimed = await this.deps.ledger.claim(key, this.run.opened.get(key));
    return claimed.kind === 'send'
      ? this.send(recipient, claimed.claim)
      : { end: await this.notSent(recipient, claimed), settled };
  }

  private async notSent(recipient: string, claimed: Exclude<Claimed, { kind: 'send' }>): Promise<Outcome> {
    switch (claimed.kind) {
      case 'busy':
        return later(recipient, unanswered(new RelayError('push_busy')));
      case 'resting':
        return later(recipient, resting(claimed.restMs));
      case 'away':
        return later(recipient, away());
      case 'done':
        return decidedBefore(recipient, claimed.entry);
      case 'held':
        return this.hold(recipient, claimed.claim);
    }
  }

  private async send(recipient: string, claim: Claim): Promise<DeliveryResult> {
    const outcome = await this.callUnlessRefused(recipient, claim);
    if ('recipient' in outcome) return { end: outcome, settled };
    if (outcome.kind !== 'accepted') return { end: await this.failed(recipient, claim, outcome), settled };
    return {
      end: { recipient, kind: 'accepted', fresh: true },
      settled: this.deps.ledger.settle(claim, { kind: 'accepted', status: outcome.status, code: null }),
    };
  }

  private async callUnlessRefused(recipient: string, claim: Claim): Promise<InboundOutcome | Outcome> {
    const { sending } = this.push;
    if (!isRecipient(recipient)) return this.invalid(recipient, claim, recipientInvalid());
    if (sending instanceof RelayError) return this.invalid(recipient, claim, sending);
    const expired = this.expiry();
    if (expired) return this.invalid(recipient, claim, expired);
    const refusal = this.run.refusal();
    if (refusal) return this.requeue(recipient, claim, refusal);
    if (!this.deps.ledger.isTimely(claim)) return this.requeue(recipient, claim, new RelayError('push_busy'));
    return this.call(sending, recipient);
  }

  /** Why a text is too old to be sent at all: it waited on the bus for longer than the retry period. */
  private expiry(): RelayError | undefined {
    const { time, settings } = this.deps;
    if (!isOlder(this.push.input.receivedAt, settings.maxAgeMs, time)) return undefined;
    const reason = 'it expired before it could be sent';
    return new RelayError('push_expired', { details: { hours: settings.maxAgeMs / 3_600_000, reason } });
  }

  private call({ config, text }: Exclude<Push['sending'], RelayError>, recipient: string): Promise<InboundOutcome> {
    const { input, deliveryId } = this.push;
    const attributes = { delivery_id: deliveryId, destination_id: input.integrationId };
    return this.deps.tracing.span('vendor.send', { parent: this.run.parent, attributes }, async (span) => {
      const outcome = await this.deps.inbound.sendText(config, text, recipient);
      if (outcome.kind !== 'accepted') span.fail(outcome.error.code);
      this.noteAccount(outcome);
      return outcome;
    });
  }

  private noteAccount(outcome: InboundOutcome): void {
    const { conditions } = this.deps;
    const { integrationId } = this.push.input;
    if (outcome.kind === 'accepted') conditions.clear('vendor_credentials_refused', integrationId);
    else if (outcome.error.code === 'vendor_auth_refused') conditions.set('vendor_credentials_refused', integrationId);
  }

  private invalid(recipient: string, claim: Claim, error: RelayError): Promise<Outcome> {
    return this.fail(recipient, claim, { kind: 'invalid', failure: unanswered(error), code: error.code });
  }

  private async requeue(
    recipient: string,
    claim: Claim,
    error: RelayError,
    call: { isCalled: boolean; maybeSent?: boolean } = { isCalled: false },
  ): Promise<Outcome> {
    await this.deps.ledger.settle(claim, { kind: 'returned', ...call });
    return later(recipient, unanswered(error));
  }

  private async failed(
    recipient: string,
    claim: Claim,
    { kind, error, status, code, body, url }: InboundFailure,
  ): Promise<Outcome> {
    const { ledger, settings } = this.deps;
    const failure = { error, status, body, url };
    if (kind === 'permanent')
      return this.fail(recipient, claim, { kind: 'refused', failure, code: code ?? error.code });
    const event = { kind, status, code } as const;
    if (ledger.preview(claim, event).state !== 'failed') {
      await ledger.settle(claim, event);
      return later(recipient, failure);
    }
    const details = { hours: settings.maxAgeMs / 3_600_000, reason: error.message };
    const expired = { ...failure, error: new RelayError('push_expired', { details }) };
    return this.fail(recipient, claim, { kind, failure: expired, code: code ?? expired.error.code });
  }

  /** The dead letter is stored before the ledger records the failure: in the other order a crash would lose the text. */
  private async fail(recipient: string, claim: Claim, { kind, failure, code }: Final): Promise<Outcome> {
    const { error, status } = failure;
    const isCalled = kind !== 'invalid';
    const seenAt = Date.parse(claim.entry.first_seen_at);
    const ageMs = (this.deps.time() ?? seenAt) - seenAt;
    const attempts = claim.entry.attempts - Number(!isCalled);
    const problem =
      (await accountProblem(this.push.input, { isRefused: kind === 'refused', failure, code, ageMs })) ??
      (await this.storeLetter(recipient, error.code, error.message, attempts));
    // A text that may have been sent keeps that state; otherwise it would be sent again although such texts must be held.
    if (problem) return this.requeue(recipient, claim, problem, { isCalled, maybeSent: kind === 'ambiguous' });
    await this.deps.ledger.settle(claim, { kind, status, code });
    return { ...failure, recipient, kind: 'failed', fresh: true, code };
  }

  private async hold(recipient: string, claim: Claim): Promise<Outcome> {
    if (isHeld(claim.entry)) return { recipient, kind: 'held', fresh: false };
    const problem = await this.storeLetter(recipient, 'ambiguous', heldDetail, claim.entry.attempts);
    if (problem) return later(recipient, unanswered(problem));
    await this.deps.ledger.settle(claim, { kind: 'held' });
    return { recipient, kind: 'held', fresh: true };
  }

  /** Stores the dead letter; resolves with the error when that fails. */
  private storeLetter(
    recipient: string,
    reason: string,
    detail: string,
    attempts: number,
  ): Promise<RelayError | undefined> {
    const { input, deliveryId } = this.push;
    return giveUp(input, { deliveryId, recipient, reason, detail, attempts }, this.deps).then(
      () => undefined,
      toRelayError,
    );
  }
}
