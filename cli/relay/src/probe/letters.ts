import type { Bus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { readLetter, type StoredLetter } from '@ranger-relay/service';

const eventIdIn = ({ body_base64: body }: StoredLetter): unknown => {
  try {
    return (JSON.parse(Buffer.from(body, 'base64').toString('utf8')) as { event_id?: unknown } | null)?.event_id;
  } catch {
    return undefined;
  }
};

/** The dead letter of an event; undefined when there is none. @throws RelayError of the bus; whatever `signal` was aborted with */
export const letterOfEvent = async (
  bus: Pick<Bus, 'read'>,
  { integration, eventId }: { readonly integration: string; readonly eventId: string },
  signal: AbortSignal,
): Promise<StoredLetter | undefined> => {
  for await (const record of bus.read({ topic: topics.deadLetters.name, signal })) {
    const letter = readLetter(record);
    if (letter?.integration_id === integration && eventIdIn(letter) === eventId) return letter;
  }
  // A reading that was broken off has seen nothing of the rest.
  signal.throwIfAborted();
  return undefined;
};
