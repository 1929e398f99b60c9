import { sourceEventKey, topics } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';
import type { StoredLetter } from '@ranger-relay/service';
import { plural } from '@ranger-relay/terminal';
import { failed, type Finding } from '../doctor/finding.ts';
import { probeDevice } from './event.ts';
import { letterOfEvent, type Sent, type Sight } from './parts.ts';

/** Name of what is asked. */
export const platformName = 'platform';

/** The platform refused the event, which is a dead letter now. */
export const refused = ({ id, reason, detail }: StoredLetter): Finding =>
  failed(
    platformName,
    `it refused the test event: ${reason}${detail === '' ? '' : ` (${detail})`}`,
    `\`ranger-relay dlq show ${id}\` prints it, \`ranger-relay dlq drop ${id}\` removes it.`,
  );

const onTheBus = (waiting: number): Finding =>
  failed(
    platformName,
    `the test event waits on the bus, ${plural(waiting, 'event')} with it`,
    'Check whether the observation forwarder is ready; its log holds the responses of the platform. With many events waiting, repeat later.',
  );

const parked = (): Finding =>
  failed(
    platformName,
    'the test event was parked: sending for this integration fails while others succeed',
    'Check the integration and its API key at the platform; the log of the observation forwarder holds the response.',
  );

const unmarked = (problem: string | null): Finding =>
  problem === null
    ? failed(
        platformName,
        'the test event has left the bus, but the store has no mark of it',
        'Check whether the forwarder and this command use the same store (KV_HOST, KV_STATE_DB), and whether it has lost data.',
      )
    : failed(
        platformName,
        `the state of the test event is unknown: ${problem}`,
        'Check KV_HOST, and the key-value store.',
      );

const look = async ({ bus }: Sight, sent: Sent, storeProblem: string | null, signal: AbortSignal): Promise<Finding> => {
  const letter = await letterOfEvent(bus, sent, signal);
  if (letter) return refused(letter);
  const direct = await bus.pending(topics.sourceEvents.name, forwarderGroup);
  const key = sourceEventKey(sent.integration, probeDevice);
  if (direct.some((pending) => pending.key === key)) return onTheBus(direct.reduce((sum, { count }) => sum + count, 0));
  const aside = await bus.pending(topics.sourceEventsParked.name, forwarderGroup);
  return aside.some((pending) => pending.key === sent.integration) ? parked() : unmarked(storeProblem);
};

/** Locates an event that the platform has not accepted in time. `storeProblem`: why the store could not be read. Never rejects. */
export const whereabouts = (
  sight: Sight,
  sent: Sent,
  storeProblem: string | null,
  signal: AbortSignal,
): Promise<Finding> =>
  look(sight, sent, storeProblem, signal).catch((error: unknown) =>
    failed(
      platformName,
      `it has not accepted the test event in time, and the state of the event is unknown: ${toRelayError(error).message}`,
      'Check the bus with `ranger-relay doctor`.',
    ),
  );
