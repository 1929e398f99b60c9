/**
 * A label as it is shown: trimmed, in Unicode form C, runs of control characters and line breaks as one space (bundle contract, 3), and
 * without the characters that turn the direction of what stands around them.
 */
export const cleanLabel = (label: string): string =>
  label
    .normalize('NFC')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();

/** Whether nothing of a label would be shown. */
export const isBlankLabel = (label: string): boolean => !/[^\s\p{Cc}\p{Bidi_Control}]/u.test(label);
