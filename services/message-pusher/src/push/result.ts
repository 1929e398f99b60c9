import {
  failedBody,
  failedPayload,
  failureSentence,
  type FailedBody,
  type FailedPayload,
} from '../failures/failed-entry.ts';
import type { End } from './ends.ts';

/** What became of each device, as the answer of a run says it. */
export interface PushBody {
  readonly status: 'success' | 'failed';
  readonly accepted: readonly string[];
  readonly failed: readonly FailedRecipient[];
  /** Perhaps sent, and held for a person. */
  readonly unknown: readonly string[];
}

/** A device that is not sent the text; null when the push names none. */
export interface FailedRecipient {
  readonly recipient: string | null;
  readonly code: number | string | null;
  readonly error: string;
}

/** Body of a push that was not looked at. */
export interface SkippedBody {
  readonly skipped: true;
  readonly reason: string;
}

/** What a run came to (device contract, section 7). The Failed event, if any, is written already. */
export type PushResult =
  | { readonly outcome: 'success' | 'failed'; readonly status: 200; readonly body: PushBody }
  | { readonly outcome: 'skipped'; readonly status: 200; readonly body: SkippedBody }
  | {
      /** To be delivered again; `retryAfterMs` when the vendor asked for a wait. */
      readonly outcome: 'transient';
      readonly status: 500;
      readonly body: FailedBody;
      readonly retryAfterMs: number | undefined;
    };

/** A result with what the Failed event says. */
export interface Concluded {
  readonly result: PushResult;
  readonly failed: FailedPayload | undefined;
}

const of = <K extends End['kind']>(ends: readonly End[], kind: K): Extract<End, { kind: K }>[] =>
  ends.filter((end): end is Extract<End, { kind: K }> => end.kind === kind);

const names = (ends: readonly End[]): string[] => ends.map(({ recipient }) => recipient);

/** The result of a run from what it came to for each device: any transient failure first, then permanent ones. */
export const conclude = (deliveryId: string, ends: readonly End[]): Concluded => {
  const [transient] = of(ends, 'transient');
  if (transient) {
    const payload = failedPayload(transient, { deliveryId, recipients: names(of(ends, 'transient')) });
    const { retryAfterMs } = transient.error;
    return {
      failed: payload,
      result: { outcome: 'transient', status: 500, body: failedBody(transient, payload), retryAfterMs },
    };
  }
  const failures = of(ends, 'failed');
  const first = failures.find(({ fresh }) => fresh) ?? failures[0];
  const body: PushBody = {
    status: first ? 'failed' : 'success',
    accepted: names(of(ends, 'accepted')),
    failed: failures.map((end) => ({ recipient: end.recipient, code: end.code, error: failureSentence(end) })),
    unknown: names(of(ends, 'held')),
  };
  return {
    failed: first && failedPayload(first, { deliveryId, recipients: names(failures) }),
    result: { outcome: body.status, status: 200, body },
  };
};
