const bareForm = /^[0-9a-f]{32}$/;
const dashedForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const zero = '0'.repeat(32);

/**
 * Returns the canonical form of a uuid, 32 lower-case hex digits; null when the text is not a uuid, or all zero. Dashes and case do not
 * matter (bundle contract, 2).
 */
export const canonicalUuid = (text: string): string | null => {
  // Fast path: patrols contain many uuids, nearly all of them in this form.
  if (bareForm.test(text)) return text === zero ? null : text;
  const lower = text.toLowerCase();
  const bare = dashedForm.test(lower) ? lower.replaceAll('-', '') : lower;
  return bareForm.test(bare) && bare !== zero ? bare : null;
};
