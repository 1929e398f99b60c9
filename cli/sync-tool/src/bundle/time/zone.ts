const form = /^[A-Za-z0-9_+\-/]+$/;

/**
 * The name that `Intl` makes of a timezone name, the same for all names of a zone in whatever case; null when it is none. `Intl` alone
 * would also take offsets and short names such as EST, which are not zones people mean (bundle contract, 2).
 */
export const canonicalZone = (name: string): string | null => {
  const isLong = name.includes('/') || name.toUpperCase() === 'UTC';
  if (!isLong || !form.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
};
