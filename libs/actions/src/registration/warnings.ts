import { restrictsBothDays } from '../schedule/members.ts';
import { schedulesOf } from '../schedule/schedules.ts';
import type { TypeSpec } from './body.ts';

/** What an operator should know before a type is registered, one sentence each. */
export const registrationWarnings = ({ catalogue, schedules }: TypeSpec): readonly string[] =>
  schedulesOf(catalogue, schedules)
    .filter(({ crontab }) => restrictsBothDays(crontab))
    .map(
      ({ actionId, crontab }) =>
        `The schedule "${crontab.text}" of ${actionId} restricts both kinds of days: here either is enough, but the platform may need both`,
    );
