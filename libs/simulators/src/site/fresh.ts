import { allPermissions } from './permissions.ts';
import type { Seed } from './seed.ts';

/** Which tokens a fresh site knows. */
export interface FreshTokens {
  /** A superuser's. */
  readonly token: string;
  /** One with every permission, and view on the default and the member group. */
  readonly ordinaryToken: string;
}

/**
 * A site that was set up and never synced: the feature flag on, a default subject group, a member group, two tokens; no types, form, choices
 * or subjects.
 */
export const freshSeed = (newId: () => string, { token, ordinaryToken }: FreshTokens): Seed => {
  const [base, roster] = [newId(), newId()];
  return {
    groups: [
      { id: base, name: 'All Subjects' },
      { id: roster, name: 'Rangers' },
    ],
    default_group: base,
    member_groups: [roster],
    tokens: [
      { token, username: 'superuser', is_superuser: true },
      { token: ordinaryToken, username: 'ordinary', permissions: allPermissions, groups: [base, roster] },
    ],
  };
};
