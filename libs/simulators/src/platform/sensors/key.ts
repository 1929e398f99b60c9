import { json, type Answer } from '../../http/answer.ts';
import type { IntegrationBook } from '../integrations.ts';

/** Whose items come with a request, or how they are refused. */
export type KeyVerdict =
  | { readonly integration: string; readonly refusal?: undefined }
  | { readonly integration: string | null; readonly refusal: (batch: readonly unknown[], asList: boolean) => Answer };

const gateway = (status: 401 | 403, message: string) => (): Answer => json(status, { message });

const unbound = (batch: readonly unknown[], asList: boolean): Answer => {
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
