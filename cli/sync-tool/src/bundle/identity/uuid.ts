const bareForm = /^[0-9a-f]{32}$/;
const dashedForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const zero = '0'.repeat(32);

/**
 * A uuid in its canonical spelling, 32 lower-case hex digits; null when the text is none, or all zero. Dashes and case make no difference
 * (bundle contract, 2).
 */
export const canonicalUuid = (text: string): string | null => {
  // Patrols name very many, nearly all of them in this spelling.
  if (bareForm.test(text)) return text === zero ? null : text;
  const lower = text.toLowerCase();
  const bare = dashedForm.test(lower) ? lower.replaceAll('-', '') : lower;
  return bareForm.test(bare) && bare !== zero ? bare : null;
};
