import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { z } from 'zod';
import { type Budget, type BudgetDependencies, type PlatformCall, withBudget } from './api.ts';
import { noAnswer, rateLimited, unavailable } from './classify.ts';

/** An action of an integration type, for its registration (platform contract, registration). */
export interface ActionRegistration {
  readonly type: 'auth' | 'pull' | 'push' | 'generic';
  readonly name: string;
  readonly value: string;
  readonly description: string;
  readonly schema: object;
  readonly ui_schema: object;
  readonly is_periodic_action: boolean;
  readonly crontab_schedule?: Readonly<Record<string, string | number>>;
}

/** An integration type, for its registration. */
export interface TypeRegistration {
  readonly name: string;
  readonly value: string;
  readonly description: string;
  readonly service_url?: string;
  readonly actions: readonly ActionRegistration[];
  readonly webhook?: {
    readonly name: string;
    readonly value: string;
    readonly description: string;
    readonly schema: object;
    readonly ui_schema: object;
  };
}

const registeredSchema = z.looseObject({
  name: z.string().nullish(),
  value: z.string(),
  description: z.string().nullish(),
  service_url: z.string().nullish(),
});

/** The integration type in the platform's response. */
export type RegisteredType = z.infer<typeof registeredSchema>;

/** Three attempts, one second apart (platform contract, registration). */
const registrationBudget: Budget = {
  tries: 3,
  totalMs: 65_000,
  backoff: { baseMs: 1_000, maxMs: 1_000, jitterMs: 0 },
};

const path = '/v2/integrations/types/';

const refused = (type: string, reason: string): RelayError =>
  new RelayError('registration_refused', { details: { type, reason } });

const read = (type: string, answer: HttpAnswer): RegisteredType => {
  const { status, target } = answer;
  const text = `${target} answered ${status}`;
  if (status === 200 || status === 201) {
    const parsed = registeredSchema.safeParse(answer.json());
    if (parsed.success && parsed.data.value === type) return parsed.data;
    throw unavailable(`${text} without the type`, answer);
  }
  if (status === 403)
    throw refused(
      type,
      `${text}; only a superuser may register types, and the client of PLATFORM_CLIENT_ID is not one`,
    );
  if (status === 429) throw rateLimited(answer);
  if (status === 400) throw refused(type, `${text}: ${answer.excerpt(500)}`);
  throw unavailable(text, answer);
};

/**
 * Registers an integration type, or updates an existing one.
 * @throws RelayError `registration_refused`, `platform_unavailable`, `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`
 */
export const registerType = (
  call: PlatformCall,
  tools: BudgetDependencies,
  body: TypeRegistration,
): Promise<RegisteredType> =>
  withBudget(registrationBudget, tools, async () => {
    try {
      const { answer } = await call({ method: 'POST', path, json: body });
      return read(body.value, answer);
    } catch (error) {
      throw isRelayError(error, 'registration_refused') ? error : noAnswer(error);
    }
  });
