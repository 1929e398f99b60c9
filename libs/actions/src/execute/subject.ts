import { z } from 'zod';
import type { Action } from '../define/action.ts';
import { createScrubber } from '../values/scrubber.ts';
import { maskedTexts, maskSecrets } from '../values/secrets.ts';
import type { Subject } from './report.ts';

/** What is told about a run, with the secrets of its configuration known to the scrubber. */
export const subjectOf = (
  integrationId: string | null,
  action: Pick<Action, 'id' | 'config'> | undefined,
  raw: unknown,
): Subject => {
  const scrubber = createScrubber();
  const masked = maskSecrets(action?.config ?? z.unknown(), raw);
  scrubber.add(maskedTexts(raw, masked));
  return { integrationId, actionId: action?.id ?? null, configData: scrubber.value(masked), scrubber };
};
