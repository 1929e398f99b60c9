import { RelayError } from '@ranger-relay/errors';
import { statusSchema, type Status } from './model.ts';

const timeoutMs = 10_000;

const get = async (address: string): Promise<Response> => {
  try {
    return await fetch(address, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
      headers: { connection: 'close' },
    });
  } catch (error) {
    throw new RelayError('not_running', { details: { address }, cause: error });
  }
};

/**
 * The status of a running `up` at an address.
 * @throws RelayError `not_running` without a response, `status_unreadable` when the response is not the status
 */
export const fetchStatus = async (address: string): Promise<Status> => {
  const answer = await get(address);
  const body: unknown = await answer.json().catch(() => null);
  const parsed = statusSchema.safeParse(body);
  if (!answer.ok || !parsed.success) {
    const problem = answer.ok ? 'is not the status of ranger-relay' : `has the status ${answer.status}`;
    throw new RelayError('status_unreadable', { details: { address, problem } });
  }
  return parsed.data;
};
