import type { HttpAnswer } from '@ranger-relay/http';
import { isPlatformAbsence, unavailable } from '../classify.ts';
import { readListAnswer, type ListAnswer, type Posted } from '../list-answer.ts';

/** How the platform answered a list of events. What is transient is thrown instead. */
export type EventsAnswer =
  /**
   * One id for each event, in order. `unsure` when the answer of an earlier try was lost: the platform may have dropped this one as a
   * repeat, and then does not know these ids.
   */
  | { readonly kind: 'accepted'; readonly ids: readonly string[]; readonly unsure: boolean }
  | Exclude<ListAnswer, { readonly kind: 'accepted' }>;

/** How the platform answered a change of one event, or a file for it. */
export type ChangeAnswer =
  | { readonly kind: 'accepted' }
  /** The platform has no event of this id. */
  | { readonly kind: 'unknown_event' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * What the answer to a posted list of events means; `unsure` when the answer of an earlier try was lost.
 * @throws RelayError as `readListAnswer`; `platform_unavailable` for an answer without an id for each event
 */
export const readEventsAnswer = (answer: HttpAnswer, posted: Posted, unsure = false): EventsAnswer => {
  const read = readListAnswer(answer, posted);
  if (read.kind !== 'accepted') return read;
  const ids = read.ids.filter((id) => id !== undefined);
  if (ids.length === posted.count) return { kind: 'accepted', ids, unsure };
  throw unavailable(`${answer.target} answered ${answer.status} without an id for each event`, answer, true);
};

const saysUnknown = (answer: HttpAnswer): boolean => {
  if (answer.status !== 404) return false;
  try {
    return isPlatformAbsence(answer.json());
  } catch {
    return false;
  }
};

/** A file of a size or type that is not taken is refused by whatever stands in front of the platform, too. */
const refusesFile = ({ status }: HttpAnswer): boolean => status === 413 || status === 415;

/** What the answer to a change of one event, or to a file for it, means. @throws RelayError as `readListAnswer` */
export const readChangeAnswer = (answer: HttpAnswer, integrationId: string, isFile = false): ChangeAnswer => {
  if (saysUnknown(answer)) return { kind: 'unknown_event' };
  if (isFile && refusesFile(answer))
    return { kind: 'refused', reason: `${answer.target} answered ${answer.status}: ${answer.excerpt()}` };
  const read = readListAnswer(answer, { integrationId, count: 1 });
  if (read.kind === 'accepted') return { kind: 'accepted' };
  return { kind: 'refused', reason: read.kind === 'refused' ? (read.offenders[0]?.reason ?? '') : read.reason };
};
