const ellipsis = '…';
/** Made when a text has to be cut: few have, and making it takes longer than cutting thousands. */
let graphemes: Intl.Segmenter | undefined;

const isLonger = (text: string, limit: number): boolean => {
  if (text.length <= limit) return false;
  // A code point has at most two code units, so that more is not looked at.
  return text.length > limit * 2 || [...text].length > limit;
};

/** A text of at most `limit` code points: a longer one is cut between graphemes and ends in `…` (bundle contract, 3, rule 4). */
export const cutText = (text: string, limit: number): string => {
  if (!isLonger(text, limit)) return text;
  let kept = '';
  let length = 0;
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    length += [...segment].length;
    if (length >= limit) break;
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
};
