import { entries } from '../entry.ts';

/** What actions and their schedules end in. */
export const actionErrors = entries({
  crontab_invalid: {
    next: 'alert',
    status: 422,
    text: 'The schedule "{crontab}" cannot be used: {reason}',
    check:
      'Five fields (minute, hour, day of month, month, day of week) and, if wanted, whole hours from UTC (-12 to 14).',
  },
});
