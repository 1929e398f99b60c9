import { entryOf } from '@ranger-relay/errors';
import { humanSpan } from '@ranger-relay/terminal';
import { z } from 'zod';
import { failed, ok, type Finding } from '../doctor/finding.ts';
import { deliver } from '../simulate/deliver.ts';
import type { PostAnswer } from '../simulate/post.ts';
import { createCounting } from '../simulate/tally.ts';
import { probeDevice } from './event.ts';
import type { ProbeParts, Sent } from './parts.ts';

const name = 'webhook';

const answerSchema = z.looseObject({
  total_observations: z.number().catch(0),
  rejected: z.array(z.looseObject({ code: z.string(), reason: z.string().catch('') })).catch([]),
  detail: z.looseObject({ error: z.string() }).optional().catch(undefined),
});

const read = (body: string): z.infer<typeof answerSchema> => {
  try {
    return answerSchema.parse(JSON.parse(body));
  } catch {
    return { total_observations: 0, rejected: [] };
  }
};

const remedies: Readonly<Record<number, string>> = {
  401: entryOf('webhook_unauthorized').check,
  404: 'The integration, and whether the platform knows it; the address of the webhook.',
};
const unavailable = 'Bus and platform, as `ranger-relay doctor` tells, and the log of the webhook ingester.';

const sentence = (answer: PostAnswer | undefined): string => {
  if (!answer) return 'was not asked';
  if (answer.status === null) return `does not answer: ${answer.reason}`;
  const { error } = read(answer.body).detail ?? {};
  return `answers ${answer.status}${error === undefined ? '' : `: ${error}`}`;
};

const refusalOf = (url: string, answer: PostAnswer | undefined): Finding => {
  const status = answer?.status ?? null;
  const remedy =
    status === null
      ? 'Whether the webhook ingester runs and may be reached from here, and PROBE_URL.'
      : (remedies[status] ?? unavailable);
  return failed(name, `${url} ${sentence(answer)}`, remedy);
};

const notStored = (body: string): Finding => {
  const [rejected] = read(body).rejected;
  if (rejected)
    return failed(
      name,
      `the test event was rejected: ${rejected.code} ${rejected.reason}`.trim(),
      'The clocks of this machine and of the webhook’s.',
    );
  return failed(
    name,
    'it took the test event and stored nothing of it',
    'Whether the integration is enabled, and wants positions (include_observations).',
  );
};

/** Posts the event until the webhook has it on the bus, as the vendor would. */
export const storeEvent = async (parts: ProbeParts, { body, integration, eventId }: Sent): Promise<Finding> => {
  const { clock, random, signal, tell, url } = parts;
  const began = clock.monotonic();
  let last: PostAnswer | undefined;
  const post: ProbeParts['post'] = async (text, limit) => {
    const answer = await parts.post(text, limit);
    if (!signal.aborted) last = answer;
    if (answer.status !== 200) tell(`${url} ${sentence(last)}`);
    return answer;
  };
  const taken = await deliver(body, { post, counting: createCounting(), clock, random, signal });
  if (!taken || last?.status !== 200) return refusalOf(url, last);
  if (read(last.body).total_observations < 1) return notStored(last.body);
  const span = humanSpan((clock.monotonic() - began) / 1_000);
  return ok(name, `stored event ${eventId.slice(0, 12)} of ${probeDevice} for ${integration} in ${span}`);
};
