import { type SimulatedResponse, json } from '../../http/answer.ts';
import type { SwitchBoard } from '../../switches/fault-registry.ts';
import type { Clock } from '../../time/clock.ts';
import type { Random } from '../../time/random.ts';
import type { AnswerLog } from '../answer-log.ts';
import type { Dedup } from '../dedup.ts';
import type { Arrival, IngestLog } from '../ingest-log.ts';
import type { IntegrationBook } from '../integrations.ts';
import type { Counting } from '../stats.ts';

/** Integration of a request's items, or the refusal. */
type KeyVerdict =
  | { readonly integration: string; readonly refusal?: undefined }
  | {
      readonly integration: string | null;
      readonly refusal: (batch: readonly unknown[], asList: boolean) => SimulatedResponse;
    };

const gateway = (status: 401 | 403, message: string) => (): SimulatedResponse => json(status, { message });

const unbound = (batch: readonly unknown[], asList: boolean): SimulatedResponse => {
  const problem = { non_field_errors: ['Your API Key is not associated with an Integration.'] };
  return json(400, asList ? batch.map(() => problem) : problem);
};

/** Judges an `apikey` header. */
export const judgeKey = (book: IntegrationBook, key: string | undefined): KeyVerdict => {
  if (key === undefined) return { integration: null, refusal: gateway(401, 'No API key found in request') };
  const owner = book.byKey(key);
  if (!owner) return { integration: null, refusal: gateway(401, 'Invalid authentication credentials') };
  if (owner.state === 'refused')
    return { integration: owner.id, refusal: gateway(403, 'You cannot consume this service') };
  return owner.state === 'unbound' ? { integration: owner.id, refusal: unbound } : { integration: owner.id };
};

/** Events that can be changed, each by the integration that made it alone. */
export interface EventBook {
  has(id: string, integration: string | null): boolean;
  add(id: string, integration: string): void;
}

/** Dependencies of the sensors API. */
export interface SensorDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly switches: SwitchBoard;
  readonly integrations: IntegrationBook;
  readonly dedup: Dedup;
  readonly ingestLog: IngestLog;
  readonly answers: AnswerLog;
  readonly counting: Counting;
  readonly events: EventBook;
}

/** Writes down what a call brought and what became of it, and sends the answer. */
export const settle = (
  { ingestLog, counting, answers }: SensorDependencies,
  arrivals: readonly Arrival[],
  caller: string | undefined,
  answer: SimulatedResponse,
): SimulatedResponse => {
  const request = ingestLog.record(arrivals, caller);
  for (const arrival of arrivals) counting.item(arrival);
  return { ...answer, onEnd: (sent) => answers.note(request, sent) };
};
