import { failureSentence, type Failure } from '../failures/failure.ts';
import type { End } from './ends.ts';

/** What became of each device, as the answer of a run says it (device contract, section 7). */
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

/** What a run came to. */
export type Concluded =
  /** To be delivered again. */
  | { readonly kind: 'again'; readonly failure: Failure; readonly recipients: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly recipients: readonly string[];
      readonly body: PushBody;
    }
  | { readonly kind: 'success'; readonly body: PushBody };

const of = <K extends End['kind']>(ends: readonly End[], kind: K): Extract<End, { kind: K }>[] =>
  ends.filter((end): end is Extract<End, { kind: K }> => end.kind === kind);

const names = (ends: readonly End[]): string[] => ends.map(({ recipient }) => recipient);

/** What a run came to, from what it came to for each device: any transient failure first, then permanent ones. */
export const conclude = (ends: readonly End[]): Concluded => {
  const again = of(ends, 'transient');
  if (again[0]) return { kind: 'again', failure: again[0], recipients: names(again) };
  const failures = of(ends, 'failed');
  const failure = failures.find(({ fresh }) => fresh) ?? failures[0];
  const body: PushBody = {
    status: failure ? 'failed' : 'success',
    accepted: names(of(ends, 'accepted')),
    failed: failures.map((end) => ({ recipient: end.recipient, code: end.code, error: failureSentence(end) })),
    unknown: names(of(ends, 'held')),
  };
  return failure ? { kind: 'failed', failure, recipients: names(failures), body } : { kind: 'success', body };
};
