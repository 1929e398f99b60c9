import { z } from 'zod';

/** Who the credentials belong to, as `user/me` says; members that are not named here pass. */
export const siteUserSchema = z.looseObject({
  is_active: z.boolean().nullish(),
  username: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  is_superuser: z.boolean().nullish(),
  permissions: z.record(z.string(), z.unknown()).nullish(),
});

/** Only a user that says so is active. */
export const isActiveUser = (payload: unknown): boolean => siteUserSchema.safeParse(payload).data?.is_active === true;
